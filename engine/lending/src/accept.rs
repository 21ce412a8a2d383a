//! A borrower's signatures of a manual loan: verified, kept, and shown to nobody.

use bitcoin::Txid;
use domain::{CancelledBy, LoanAccount, LoanId, LoanStage, ProcessType, ReservationId, UserId};
use escrow::contract::signatures::Signatures;
use escrow::contract::template::Template;

use crate::contract::{Beginning, Contract, Source};
use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::fee_bounds::StartStep;
use crate::party::Party;
use crate::ports::Ports;
use crate::prepare::LENDER_MS;

impl<P: Ports> Desk<P> {
    /// Takes the borrower's signatures of everything that was handed out, in its order; the id of the loan's transaction.
    /// The same again gives the same answer.
    pub async fn accept(&self, borrower: UserId, id: LoanId, signed: &[String]) -> Result<Txid, DeskError> {
        let loan = self.reserved_by(borrower, id).await?;
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.begin()?;
        let signatures = returned(&beginning, signed, &contract.borrower)?;
        if loan.stage != LoanStage::Prepared {
            // The signatures are good: whoever sends them again has not heard that they arrived.
            return Ok(beginning.txid());
        }
        self.look_up(&contract, &beginning).await?;
        if !matches!(contract.source, Source::Lent { .. }) {
            self.check_start_rate(contract.fee_rate, ProcessType::Manual, StartStep::Submit).await?;
        }
        let answer = kept(&beginning, &signatures)?;
        if let Err(refusal) = self.market.await_lender(id, answer, self.until(LENDER_MS, loan.sign_by())).await {
            // The same may have arrived twice at once, and then it is kept.
            let now = self.market.loan(id).await;
            let is_kept = |now: LoanAccount| now.stage == LoanStage::AwaitingLender && now.contract == loan.contract;
            return if now.is_some_and(is_kept) { Ok(beginning.txid()) } else { Err(refusal.into()) };
        }
        Ok(beginning.txid())
    }

    /// A loan that this borrower accepts, or has accepted: it waits for somebody's signature, or it began, whatever became
    /// of it since.
    pub(crate) async fn reserved_by(&self, borrower: UserId, id: LoanId) -> Result<LoanAccount, DeskError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        let loan = loan.ok_or(DeskError::NoReservation(ReservationId(id.0)))?;
        let is_wanted = matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender) || loan.txid.is_some();
        if is_wanted { Ok(loan) } else { Err(DeskError::WrongStage { stage: loan.stage }) }
    }

    /// The borrower changed their mind before the lender signed.
    pub async fn withdraw(&self, borrower: UserId, id: LoanId) -> Result<(), DeskError> {
        self.loan_of_borrower(borrower, id).await?;
        Ok(self.market.cancel_loan(id, CancelledBy::Borrower).await?)
    }
}

/// One side's signatures of each transaction.
pub(crate) fn returned(beginning: &Beginning, signed: &[String], party: &Party) -> Result<Vec<Signatures>, DeskError> {
    let templates: Vec<&Template> = beginning.templates().collect();
    if templates.len() != signed.len() {
        return Err(DeskError::TransactionCount { wanted: templates.len(), found: signed.len() });
    }
    let both = templates.into_iter().zip(signed);
    both.map(|(template, text)| Ok(template.check_returned(text, &party.keys())?)).collect()
}

/// The borrower's signatures as the journal keeps them: PSBTs in base64.
pub(crate) fn kept(beginning: &Beginning, signatures: &[Signatures]) -> Result<String, DeskError> {
    let both = beginning.templates().zip(signatures);
    let texts = both.map(|(template, signatures)| Ok(template.signed_psbt(signatures)?.to_string()));
    let texts: Vec<String> = texts.collect::<Result<_, DeskError>>()?;
    // A list of texts has nothing that JSON could not say.
    Ok(serde_json::to_string(&texts).unwrap_or_default())
}
