//! A prepared loan: stored, and returned for signing until it expires.

use bitcoin::FeeRate;
use domain::{LoanAccount, LoanEvent, LoanId, LoanStage, PledgedIds, UserId};

use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::origination::loan_request::{LoanRequest, ValidatedLoanRequest};
use crate::records::contract::{Contract, Source};
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::SOFT_RESERVATION_MS;
use crate::service::unsigned_transactions::UnsignedLoan;

impl<P: Ports> LoanService<P> {
    /// Builds a contract of the terms of a draft.
    pub(super) fn contract(
        &self,
        draft: &ValidatedLoanRequest,
        loan: LoanId,
        source: Source,
        fee_rate: FeeRate,
    ) -> Result<Contract, LoanServiceError> {
        Ok(Contract {
            loan,
            borrower: draft.borrower,
            lender: draft.lender,
            claim_after: draft.claim_after()?,
            pledged: draft.pledged.clone(),
            source,
            principal: draft.principal(),
            payout: draft.payout(),
            platform_fee: self.platform_output(&draft.deal),
            fee_rate,
        })
    }

    /// Looks all outputs up once more, stores the loan, and hands it out. Nothing is reserved before the borrower has
    /// signed.
    pub(super) async fn store_prepared(
        &self,
        draft: ValidatedLoanRequest,
        contract: &Contract,
    ) -> Result<UnsignedLoan, LoanServiceError> {
        let beginning = contract.build()?;
        let expires_at = self.signing_deadline(SOFT_RESERVATION_MS, draft.deal.sign_by());
        let keys = draft.borrower.keys();
        let unsigned = self.unsigned_loan(&draft.deal, contract, &beginning, &keys, expires_at).await?;
        let (deal, record, coins) = (Box::new(draft.deal), contract.to_record(), contract.coins_to_reserve());
        let prepared = LoanEvent::SoftPrepared { deal, contract: record, expires_at, coins };
        self.market.prepare_loan(contract.loan, prepared).await?;
        Ok(unsigned)
    }

    /// Returns what was prepared for the same request and still waits for the borrower.
    pub(super) async fn existing_prepared(
        &self,
        request: &LoanRequest,
    ) -> Result<Option<UnsignedLoan>, LoanServiceError> {
        let now = self.market.now();
        let is_same = |loan: &LoanAccount| {
            let deal = &loan.deal;
            loan.stage == LoanStage::Prepared
                && loan.expires_at > now
                && (deal.borrower, deal.offer) == (request.borrower, request.offer)
                && deal.follows == request.refinances
                && (request.inscriptions.is_empty()
                    || request.inscriptions.iter().collect::<PledgedIds>() == deal.pledged_ids)
                && request.amount_raw.is_none_or(|raw| raw == deal.pledged_raw)
        };
        let Some(loan) = self.market.open_loan_of(request.borrower, is_same).await else { return Ok(None) };
        let contract = Contract::from_record(&loan.contract)?;
        if contract.fee_rate != request.fee_rate || !self.is_still_offered(&loan).await? {
            // Another fee rate, or another principal, makes another transaction: the first one is given up.
            self.market.cancel_loan_at_stage(&loan, domain::CancelledBy::Borrower).await?;
            return Ok(None);
        }
        let beginning = contract.build()?;
        let keys = contract.borrower.keys();
        let unsigned = self.unsigned_loan(&loan.deal, &contract, &beginning, &keys, loan.expires_at).await;
        if let Err(LoanServiceError::Lookup(LookupError::Spent(gone))) = &unsigned {
            // It can never be signed.
            tracing::debug!(loan = %loan.id, %gone, "a prepared loan was given up");
            self.market.cancel_loan_at_stage(&loan, domain::CancelledBy::Market).await?;
            return Ok(None);
        }
        unsigned.map(Some)
    }

    /// Whether the offer of a prepared loan, which reserves nothing, still leads to its principal and terms. An offer that
    /// is gone, or leaves too little, is refused by its reservation, which names the reason.
    async fn is_still_offered(&self, loan: &LoanAccount) -> Result<bool, LoanServiceError> {
        if loan.coins_to_reserve.is_none() {
            return Ok(true);
        }
        let deal = &loan.deal;
        let Some(offer) = self.market.offer(deal.offer).await? else { return Ok(true) };
        let part = offer.part(Some(deal.pledged_raw));
        Ok(part.map_or(true, |(principal, _)| principal == deal.principal) && self.check_terms(deal).await.is_ok())
    }

    /// Returns the transactions of a loan that waits for its borrower again: the answer was lost, or they were rebuilt.
    pub async fn prepared(&self, borrower: UserId, id: LoanId) -> Result<UnsignedLoan, LoanServiceError> {
        let loan = self.loan_of_borrower(borrower, id).await?;
        if loan.stage != LoanStage::Prepared {
            return Err(LoanServiceError::WrongStage { stage: loan.stage });
        }
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.build()?;
        self.unsigned_loan(&loan.deal, &contract, &beginning, &contract.borrower.keys(), loan.expires_at).await
    }
}
