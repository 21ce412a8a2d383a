//! The borrower's acceptance of a manual loan: its signatures are verified, stored, and never disclosed.

use bitcoin::Txid;
use domain::{CancelledBy, LoanAccount, LoanId, LoanStage, ProcessType, UserId};
use escrow::contract::signing::signatures::Signatures;

use crate::lookups::ports::Ports;
use crate::origination::returned_signatures::check_returned;
use crate::records::contract::{Contract, LoanTransactions, Source};
use crate::service::fee_bounds::OriginationStep;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::LENDER_SIGNING_MS;

impl<P: Ports> LoanService<P> {
    /// Accepts the borrower's signatures of all prepared transactions, in their order; returns the txid of the loan's
    /// transaction. Idempotent.
    pub async fn accept(&self, borrower: UserId, id: LoanId, signed: &[String]) -> Result<Txid, LoanServiceError> {
        let loan = self.accepted_loan(borrower, id).await?;
        let contract = Contract::from_record(&loan.contract)?;
        if matches!(contract.source, Source::Vault(_)) {
            return Err(LoanServiceError::WrongProcess);
        }
        let beginning = contract.build()?;
        let signatures = check_returned(&beginning, signed, &contract.borrower)?;
        if loan.stage != LoanStage::Prepared {
            // The signatures are valid: a repeated request whose first answer was lost.
            return Ok(beginning.txid());
        }
        self.check_not_halted(&loan).await?;
        self.check_inputs(&contract, &beginning).await?;
        if !matches!(contract.source, Source::Rollover { .. }) {
            self.check_origination_rate(contract.fee_rate, ProcessType::Manual, OriginationStep::Submit).await?;
        }
        let answer = encode_signatures(&beginning, &signatures)?;
        self.cancel_competing(&loan, &contract).await?;
        if let Err(refusal) =
            self.market.await_lender(id, answer, self.signing_deadline(LENDER_SIGNING_MS, loan.sign_by())).await
        {
            // A concurrent duplicate of this request may have stored them already.
            let now = self.market.loan(id).await;
            let is_kept = |now: &LoanAccount| now.stage == LoanStage::AwaitingLender && now.contract == loan.contract;
            return if now.as_ref().is_some_and(is_kept) {
                Ok(beginning.txid())
            } else {
                Err(self.or_taken(id, refusal))
            };
        }
        Ok(beginning.txid())
    }

    /// Refuses a loan that would begin while new loans are halted; an extension goes on.
    pub(crate) async fn check_not_halted(&self, loan: &LoanAccount) -> Result<(), LoanServiceError> {
        if loan.extended_until.is_none() {
            self.market.check_new_loan().await?;
        }
        Ok(())
    }

    /// Cancels a loan for its borrower, before the lender signs.
    pub async fn withdraw(&self, borrower: UserId, id: LoanId) -> Result<(), LoanServiceError> {
        self.loan_of_borrower(borrower, id).await?;
        Ok(self.market.cancel_loan(id, CancelledBy::Borrower).await?)
    }
}

/// The borrower's signatures as stored in the journal: PSBTs in base64.
fn encode_signatures(beginning: &LoanTransactions, signatures: &[Signatures]) -> Result<String, LoanServiceError> {
    let both = beginning.templates().zip(signatures);
    let texts = both.map(|(template, signatures)| Ok(template.signed_psbt(signatures)?.to_string()));
    let texts: Vec<String> = texts.collect::<Result<_, LoanServiceError>>()?;
    // Serializing a list of strings cannot fail.
    Ok(serde_json::to_string(&texts).unwrap_or_default())
}
