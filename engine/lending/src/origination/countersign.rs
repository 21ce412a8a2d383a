//! The lender's counter-signature of a manual loan, which originates it.

use bitcoin::Txid;
use bitcoin::transaction::Version;
use domain::{CancelledBy, LenderReturn, LoanAccount, LoanId, LoanStage, UserId};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::signing::spent_output::SpentOutputError;
use escrow::contract::transaction::version::TRUC;

use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::origination::returned_signatures::check_returned;
use crate::records::contract::{Contract, Source};
use crate::records::contract_record::RecordError;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::sides::payout_sides;
use crate::service::unsigned_transactions::{UnsignedLoan, UnsignedPsbt};

/// The transactions for the lender's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedCountersignature {
    /// The transactions that originate the loan; those without inputs of the lender are left out.
    pub origination: UnsignedLoan,
    /// The repayment to be signed beforehand, in version 2 and in version 3.
    pub payouts: [UnsignedPsbt; 2],
    /// The return to the lender.
    pub lender_return: LenderReturn,
}

/// The signed transactions from the lender's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Countersigned {
    /// The transaction that originates the loan.
    pub origination: String,
    /// The repayments, in version 2 and in version 3.
    pub payouts: [String; 2],
}

impl<P: Ports> LoanService<P> {
    /// Returns what the lender is to sign. If a coin of the lender was spent meanwhile the transaction is rebuilt; if
    /// the collateral was, the loan is cancelled.
    ///
    /// # Errors
    /// [`LoanServiceError::Rebuilt`] and [`LoanServiceError::CollateralGone`] report that this happened.
    pub async fn prepare_countersign(
        &self,
        lender: UserId,
        id: LoanId,
    ) -> Result<UnsignedCountersignature, LoanServiceError> {
        let loan = self.loan_awaiting_lender(lender, id).await?;
        self.check_not_halted(&loan).await?;
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.build()?;
        let keys = contract.lender.keys();
        let unsigned = self.unsigned_loan(&loan.deal, &contract, &beginning, &keys, loan.expires_at).await;
        let mut unsigned = self.or_repair(&loan, &contract, unsigned).await?;
        unsigned.transactions.truncate(1);
        let request = beginning.payout_request();
        let payout = |version: Version| -> Result<UnsignedPsbt, LoanServiceError> {
            let sides = payout_sides(&request, version, self.rules.network)?;
            Ok(UnsignedPsbt { base64: request.to_base64(version)?, sides })
        };
        let payouts = [payout(Version::TWO)?, payout(TRUC)?];
        let lender_return = LenderReturn::of(&loan.deal).ok_or(LoanServiceError::OutOfRange)?;
        Ok(UnsignedCountersignature { origination: unsigned, payouts, lender_return })
    }

    /// Verifies the lender's signatures and originates the loan; returns the txid of its transaction. Idempotent.
    ///
    /// # Errors
    /// As [`Self::prepare_countersign`].
    pub async fn countersign(
        &self,
        lender: UserId,
        id: LoanId,
        signed: &Countersigned,
    ) -> Result<Txid, LoanServiceError> {
        let loan = self.loan_of_lender(lender, id).await?;
        if loan.txid.is_some() {
            // It was originated, whatever its stage since.
            let contract = Contract::from_record(&loan.contract)?;
            return Ok(contract.build()?.txid());
        }
        let loan = self.loan_awaiting_lender(lender, id).await?;
        self.check_not_halted(&loan).await?;
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.build()?;
        let lender_signed = beginning.origination.check_returned(&signed.origination, &contract.lender.keys())?;
        let request = beginning.payout_request();
        let [two, truc] = &signed.payouts;
        let beforehand = PayoutSignaturePair {
            two: request.check_returned(Version::TWO, two)?,
            truc: request.check_returned(TRUC, truc)?,
        };
        let answer: Vec<String> =
            serde_json::from_str(loan.answer.as_deref().unwrap_or_default()).map_err(RecordError::from)?;
        let mut signatures = check_returned(&beginning, &answer, &contract.borrower)?;
        let mut first = signatures.remove(0).merge(lender_signed)?;
        // The lender of an extension signs the whole transaction instead.
        let is_extension = matches!(contract.source, Source::Rollover { .. });
        if let Some(ending) = contract.pledged.replaced_kit().filter(|_| !is_extension) {
            first = first.merge(ending.pre_signatures(&beginning.origination)?)?;
        }
        signatures.insert(0, first);
        let both = beginning.templates().zip(&signatures);
        let transactions = both.map(|(template, signatures)| template.finish(signatures, template.final_txid()));
        let transactions = transactions.collect::<Result<Vec<_>, _>>()?;
        let originated = async {
            let looked_up = self.check_inputs(&contract, &beginning).await.map(drop);
            self.or_repair(&loan, &contract, looked_up).await?;
            self.originate_loan(&contract, &beginning, transactions, beforehand.into(), None).await
        };
        self.or_if_originated(id, beginning.txid(), originated.await).await
    }

    /// Cancels a loan that the lender refuses to sign.
    pub async fn refuse(&self, lender: UserId, id: LoanId) -> Result<(), LoanServiceError> {
        self.loan_awaiting_lender(lender, id).await?;
        Ok(self.market.cancel_loan(id, CancelledBy::Lender).await?)
    }

    async fn loan_awaiting_lender(&self, lender: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.loan_of_lender(lender, id).await?;
        if loan.stage == LoanStage::AwaitingLender {
            Ok(loan)
        } else {
            Err(LoanServiceError::WrongStage { stage: loan.stage })
        }
    }

    /// Passes an answer on, unless it reports a spent output of the loan: then the loan is first repaired as far as
    /// possible.
    async fn or_repair<T>(
        &self,
        loan: &LoanAccount,
        contract: &Contract,
        answer: Result<T, LoanServiceError>,
    ) -> Result<T, LoanServiceError> {
        let Err(LoanServiceError::Lookup(LookupError::Spent(SpentOutputError::MissingOrSpent(gone)))) = answer else {
            return answer;
        };
        Err(self.repair_loan(loan, contract, gone).await?)
    }
}
