//! The preparation of a manual loan: its outputs are looked up, and its transactions are stored and returned for
//! signing.

use bitcoin::{Amount, FeeRate, OutPoint};
use domain::{LoanAccount, LoanEvent, LoanId, LoanStage, ProcessType, UnixMs, UserId};
use escrow::contract::coin::Coin;
use escrow::contract::coin_selection::SelectionTarget;
use escrow::contract::funding_target::FeePayer;
use escrow::contract::template::Spend;

use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::origination::loan_request::{LoanRequest, ValidatedLoanRequest};
use crate::records::contract::{Contract, Pledged, Source};
use crate::records::outpoint;
use crate::records::party::Party;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::unsigned_transactions::UnsignedLoan;

/// The time for which a prepared loan without a reservation can be signed, in milliseconds.
pub const SOFT_RESERVATION_MS: u64 = 5 * 60 * 1_000;
/// The time for which offer, collateral and coins are reserved for a borrower, until the vault signer has signed or the
/// borrower has signed rebuilt transactions; in milliseconds.
pub const BORROWER_SIGNING_MS: u64 = 15 * 60 * 1_000;
/// The time that a lender has to counter-sign, in milliseconds.
pub const LENDER_SIGNING_MS: u64 = 12 * 60 * 60 * 1_000;

impl<P: Ports> LoanService<P> {
    /// Prepares a manual loan. Idempotent for the same borrower and request while it can be signed.
    pub async fn prepare(&self, request: &LoanRequest) -> Result<UnsignedLoan, LoanServiceError> {
        if let Some(unsigned) = self.existing_prepared(request).await? {
            return Ok(unsigned);
        }
        let draft =
            self.validate_loan_request(request, ProcessType::Manual, BORROWER_SIGNING_MS + LENDER_SIGNING_MS).await?;
        let spends: Vec<_> = draft.pledged.coins().iter().map(|coin| Spend::Coin(&coin.coin)).collect();
        let is_exact = matches!(draft.pledged, Pledged::Note { .. });
        let coins =
            self.lender_coins(&draft.lender, draft.lender_pays()?, is_exact, request.fee_rate, &spends, None).await?;
        let contract = self.contract(&draft, LoanId(rand::random()), Source::Coins(coins), request.fee_rate)?;
        let contract = self.with_borrower_coins(contract).await?;
        self.store_prepared(draft, &contract).await
    }

    /// Builds a contract of the terms of a draft.
    pub(crate) fn contract(
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
    pub(crate) async fn store_prepared(
        &self,
        draft: ValidatedLoanRequest,
        contract: &Contract,
    ) -> Result<UnsignedLoan, LoanServiceError> {
        let beginning = contract.build()?;
        let expires_at = self.signing_deadline(SOFT_RESERVATION_MS, draft.deal.sign_by());
        let unsigned = self.unsigned_loan(contract, &beginning, &draft.borrower.keys(), expires_at).await?;
        let (deal, record, coins) = (Box::new(draft.deal), contract.to_record(), contract.coins_to_reserve());
        let prepared = LoanEvent::SoftPrepared { deal, contract: record, expires_at, coins };
        self.market.prepare_loan(contract.loan, prepared).await?;
        Ok(unsigned)
    }

    /// Returns what was prepared for the same request and still waits for the borrower.
    pub(crate) async fn existing_prepared(
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
                && request.inscription.is_none_or(|id| id.to_string() == deal.pledged_id)
                && request.amount_raw.is_none_or(|raw| raw == deal.pledged_raw)
        };
        let Some(loan) = self.market.open_loan_of(request.borrower, is_same).await else { return Ok(None) };
        let contract = Contract::from_record(&loan.contract)?;
        if contract.fee_rate != request.fee_rate {
            // Another fee rate makes another transaction: the first one is given up.
            self.market.cancel_loan_at_stage(&loan, domain::CancelledBy::Borrower).await?;
            return Ok(None);
        }
        let beginning = contract.build()?;
        let unsigned = self.unsigned_loan(&contract, &beginning, &contract.borrower.keys(), loan.expires_at).await;
        if let Err(LoanServiceError::Lookup(LookupError::Spent(gone))) = &unsigned {
            // It can never be signed.
            tracing::debug!(loan = %loan.id, %gone, "a prepared loan was given up");
            self.market.cancel_loan_at_stage(&loan, domain::CancelledBy::Market).await?;
            return Ok(None);
        }
        unsigned.map(Some)
    }

    /// Returns the transactions of a loan that waits for its borrower again: the answer was lost, or they were rebuilt.
    pub async fn prepared(&self, borrower: UserId, id: LoanId) -> Result<UnsignedLoan, LoanServiceError> {
        let loan = self.loan_of_borrower(borrower, id).await?;
        if loan.stage != LoanStage::Prepared {
            return Err(LoanServiceError::WrongStage { stage: loan.stage });
        }
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.build()?;
        self.unsigned_loan(&contract, &beginning, &contract.borrower.keys(), loan.expires_at).await
    }

    /// Returns a loan of this borrower.
    pub(crate) async fn loan_of_borrower(&self, borrower: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        loan.ok_or(LoanServiceError::UnknownLoan(id))
    }

    /// Returns a loan of this lender.
    pub(crate) async fn loan_of_lender(&self, lender: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.lender == lender);
        loan.ok_or(LoanServiceError::UnknownLoan(id))
    }

    /// Returns the sum at the lender's payment address that can fund a loan now: confirmed, unreserved coins without
    /// assets.
    ///
    /// # Errors
    /// [`DeskError::Lookup`] when the holdings are unknown.
    pub async fn spendable(&self, lender: &Party) -> Result<Amount, LoanServiceError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let free = holdings.plain().map(|held| &held.coin).filter(|coin| self.is_free(coin.outpoint, None));
        Ok(free.map(|coin| coin.output.value).sum())
    }

    /// Returns confirmed coins without assets of the lender's payment address that are reserved for no other loan,
    /// preferring those without a soft reservation.
    pub(crate) async fn lender_coins(
        &self,
        lender: &Party,
        amount: Amount,
        is_exact: bool,
        fee_rate: FeeRate,
        inputs: &[Spend<'_>],
        loan: Option<LoanId>,
    ) -> Result<Vec<Coin>, LoanServiceError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let is_free = |coin: &Coin| self.is_free(coin.outpoint, loan);
        let now = self.market.now();
        if is_exact {
            let fits = |coin: &&Coin| coin.output.value == amount && is_free(coin);
            let exact: Vec<&Coin> = holdings.plain().map(|held| &held.coin).filter(fits).collect();
            return self.soft_reservations.choose(now, now.plus_ms(SOFT_RESERVATION_MS), |reserved| {
                let fresh = exact.iter().find(|coin| !reserved.contains(&outpoint::to_domain(coin.outpoint)));
                let coin = fresh.or(exact.first()).map(|coin| vec![(*coin).clone()]);
                coin.ok_or(LoanServiceError::NoExactLenderCoin { wanted: amount })
            });
        }
        let mut candidates = holdings.candidates();
        candidates.retain(|candidate| match &candidate.spend {
            Spend::Coin(coin) => is_free(coin),
            Spend::Script { .. } => false,
        });
        let change = lender.payment_script();
        let wanted =
            SelectionTarget { amount, fee_payer: FeePayer::Others, fee_rate, inputs, outputs: &[], change: &change };
        self.soft_reservations.choose(now, now.plus_ms(SOFT_RESERVATION_MS), |reserved| {
            let mut fresh = candidates.clone();
            fresh.retain(|candidate| !reserved.contains(&outpoint::to_domain(candidate.spend.outpoint())));
            let choice = wanted
                .select(&fresh)
                .or_else(|_| wanted.select(&candidates))
                .map_err(LoanServiceError::LenderFundsInsufficient)?;
            let coins = choice.spends.into_iter().filter_map(|spend| match spend {
                Spend::Coin(coin) => Some(coin.clone()),
                Spend::Script { .. } => None,
            });
            Ok(coins.collect())
        })
    }

    /// Whether an output is unreserved, or reserved only for this loan.
    pub(crate) fn is_free(&self, output: OutPoint, loan: Option<LoanId>) -> bool {
        let output = outpoint::to_domain(output);
        let holder = self.market.reservation_of_output(&output).map(|holder| LoanId(holder.0));
        (holder.is_some() && holder == loan) || self.market.locked_outputs([output]).is_empty()
    }

    /// Returns the deadline of the party that acts next, limited so that neither term nor grace period is cut.
    pub(crate) fn signing_deadline(&self, allowance_ms: u64, sign_by: UnixMs) -> UnixMs {
        self.market.now().plus_ms(allowance_ms).min(sign_by)
    }
}
