//! The reservation of offer, collateral and coins for a loan that its borrower has signed.

use domain::{CancelledBy, LoanAccount, LoanDeal, LoanId, LoanStage, ReservationId, UserId};
use engine::Refusal;

use crate::lookups::ports::Ports;
use crate::records::contract::Contract;
use crate::records::outpoint;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::BORROWER_SIGNING_MS;

impl<P: Ports> LoanService<P> {
    /// Reserves offer, vault and collateral for the borrower of an instant loan, whose signatures were verified, unless
    /// they are reserved for this loan already.
    pub(super) async fn reserve(&self, loan: &LoanAccount, contract: &Contract) -> Result<(), LoanServiceError> {
        if loan.coins_to_reserve.is_none() {
            return Ok(());
        }
        self.cancel_competing(loan, contract).await?;
        if let Err(refusal) =
            self.market.hold_loan(loan.id, self.signing_deadline(BORROWER_SIGNING_MS, loan.sign_by())).await
        {
            // A concurrent duplicate of this request may have reserved them already.
            let now = self.market.loan(loan.id).await;
            let is_held = |now: &LoanAccount| now.stage == LoanStage::Prepared && now.coins_to_reserve.is_none();
            return if now.as_ref().is_some_and(is_held) { Ok(()) } else { Err(self.or_taken(loan.id, refusal)) };
        }
        Ok(())
    }

    /// Checks before a reservation that the terms still apply, and cancels other loans that reserve the same
    /// collateral: its owner has signed this one.
    pub(super) async fn cancel_competing(
        &self,
        loan: &LoanAccount,
        contract: &Contract,
    ) -> Result<(), LoanServiceError> {
        if loan.coins_to_reserve.is_none() {
            return Ok(());
        }
        self.check_terms(&loan.deal).await?;
        let own: Vec<_> = contract.pledged.coins().iter().map(|coin| outpoint::to_domain(coin.coin.outpoint)).collect();
        for other in self.market.evictable(loan.deal.borrower, &own) {
            self.market.cancel_loan(other, CancelledBy::Owner).await?;
            tracing::info!(loan = %loan.id, evicted = %other, "the collateral's owner signed another loan");
        }
        Ok(())
    }

    /// Checks that the terms of the offer have not changed: a prepared loan does not reserve it. An offer that is gone is
    /// refused by its reservation, which names the reason.
    pub(super) async fn check_terms(&self, deal: &LoanDeal) -> Result<(), LoanServiceError> {
        let Some(terms) = self.market.loan_terms(deal.offer).await? else { return Ok(()) };
        let is_same = (terms.days, terms.interest) == (deal.term, deal.rate);
        if is_same { Ok(()) } else { Err(Refusal::DealChanged.into()) }
    }

    /// Returns the refusal, or that another borrower took the offer first where that is the reason.
    pub(super) fn or_taken(&self, id: LoanId, refusal: Refusal) -> LoanServiceError {
        self.market.check_taken(id).map_or_else(|taken| Refusal::from(taken).into(), |()| refusal.into())
    }

    /// Returns a loan that this borrower accepts or has accepted: it waits for a signature, or was signed, whatever its
    /// stage since.
    pub(super) async fn accepted_loan(&self, borrower: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        let Some(loan) = loan else {
            self.market.check_taken(id).map_err(Refusal::from)?;
            return Err(LoanServiceError::NoReservation(ReservationId(id.0)));
        };
        let is_wanted = matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender) || loan.txid.is_some();
        if is_wanted { Ok(loan) } else { Err(LoanServiceError::WrongStage { stage: loan.stage }) }
    }
}
