//! The preparation of a manual loan: its outputs are looked up, and its transactions are stored and returned for
//! signing.

use bitcoin::{Amount, FeeRate, OutPoint};
use domain::{LoanAccount, LoanEvent, LoanId, LoanStage, ProcessType, UnixMs, UserId};
use escrow::contract::bill::FeePayer;
use escrow::contract::coin::Coin;
use escrow::contract::coin_choice::Wanted;
use escrow::contract::template::Spend;

use crate::borrowing::{Borrowing, Draft};
use crate::contract::{Contract, Pledged, Source};
use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::handout::Handout;
use crate::lookup::LookupError;
use crate::outpoint;
use crate::party::Party;
use crate::ports::Ports;

/// The time for which a prepared loan without a reservation can be signed, in milliseconds.
pub const SOFT_MS: u64 = 5 * 60 * 1_000;
/// The time for which offer, collateral and coins are reserved for a borrower, until the vault signer has signed or the
/// borrower has signed rebuilt transactions; in milliseconds.
pub const BORROWER_MS: u64 = 15 * 60 * 1_000;
/// The time that a lender has to counter-sign, in milliseconds.
pub const LENDER_MS: u64 = 12 * 60 * 60 * 1_000;

impl<P: Ports> Desk<P> {
    /// Prepares a manual loan. Idempotent for the same borrower and request while it can be signed.
    pub async fn prepare(&self, request: &Borrowing) -> Result<Handout, DeskError> {
        if let Some(unsigned) = self.prepared_before(request).await? {
            return Ok(unsigned);
        }
        let draft = self.draft(request, ProcessType::Manual, BORROWER_MS + LENDER_MS).await?;
        let spends: Vec<_> = draft.pledged.coins().iter().map(|coin| Spend::Coin(&coin.coin)).collect();
        let is_exact = matches!(draft.pledged, Pledged::Note { .. });
        let coins = self.money(&draft.lender, draft.lender_pays()?, is_exact, request.fee_rate, &spends, None).await?;
        let contract = self.contract(&draft, LoanId(rand::random()), Source::Coins(coins), request.fee_rate)?;
        let contract = self.with_own_coins(contract).await?;
        self.keep_prepared(draft, &contract).await
    }

    /// Builds a contract of the terms of a draft.
    pub(crate) fn contract(
        &self,
        draft: &Draft,
        loan: LoanId,
        source: Source,
        fee_rate: FeeRate,
    ) -> Result<Contract, DeskError> {
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
    pub(crate) async fn keep_prepared(&self, draft: Draft, contract: &Contract) -> Result<Handout, DeskError> {
        let beginning = contract.begin()?;
        let expires_at = self.until(SOFT_MS, draft.deal.sign_by());
        let unsigned = self.hand_out(contract, &beginning, &draft.borrower.keys(), expires_at).await?;
        let (deal, record, coins) = (Box::new(draft.deal), contract.to_record(), contract.to_hold());
        let prepared = LoanEvent::SoftPrepared { deal, contract: record, expires_at, coins };
        self.market.prepare_loan(contract.loan, prepared).await?;
        Ok(unsigned)
    }

    /// Returns what was prepared for the same request and still waits for the borrower.
    pub(crate) async fn prepared_before(&self, request: &Borrowing) -> Result<Option<Handout>, DeskError> {
        let now = self.market.now();
        let is_same = |loan: &LoanAccount| {
            let deal = &loan.deal;
            loan.stage == LoanStage::Prepared
                && loan.expires_at > now
                && (deal.borrower, deal.offer) == (request.borrower, request.offer)
                && deal.follows == request.follows
                && request.inscription.is_none_or(|id| id.to_string() == deal.pledged_id)
                && request.amount_raw.is_none_or(|raw| raw == deal.pledged_raw)
        };
        let Some(loan) = self.market.open_loan_of(request.borrower, is_same).await else { return Ok(None) };
        let contract = Contract::from_record(&loan.contract)?;
        if contract.fee_rate != request.fee_rate {
            // Another fee rate makes another transaction: the first one is given up.
            self.market.give_up_loan(&loan, domain::CancelledBy::Borrower).await?;
            return Ok(None);
        }
        let beginning = contract.begin()?;
        let unsigned = self.hand_out(&contract, &beginning, &contract.borrower.keys(), loan.expires_at).await;
        if let Err(DeskError::Lookup(LookupError::Spent(gone))) = &unsigned {
            // It can never be signed.
            tracing::debug!(loan = %loan.id, %gone, "a prepared loan was given up");
            self.market.give_up_loan(&loan, domain::CancelledBy::Market).await?;
            return Ok(None);
        }
        unsigned.map(Some)
    }

    /// Returns the transactions of a loan that waits for its borrower again: the answer was lost, or they were rebuilt.
    pub async fn prepared(&self, borrower: UserId, id: LoanId) -> Result<Handout, DeskError> {
        let loan = self.loan_of_borrower(borrower, id).await?;
        if loan.stage != LoanStage::Prepared {
            return Err(DeskError::WrongStage { stage: loan.stage });
        }
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.begin()?;
        self.hand_out(&contract, &beginning, &contract.borrower.keys(), loan.expires_at).await
    }

    /// Returns a loan of this borrower.
    pub(crate) async fn loan_of_borrower(&self, borrower: UserId, id: LoanId) -> Result<LoanAccount, DeskError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        loan.ok_or(DeskError::UnknownLoan(id))
    }

    /// Returns a loan of this lender.
    pub(crate) async fn loan_of_lender(&self, lender: UserId, id: LoanId) -> Result<LoanAccount, DeskError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.lender == lender);
        loan.ok_or(DeskError::UnknownLoan(id))
    }

    /// Returns the sum at the lender's payment address that can fund a loan now: confirmed, unreserved coins without
    /// assets.
    ///
    /// # Errors
    /// [`DeskError::Lookup`] when the holdings are unknown.
    pub async fn spendable(&self, lender: &Party) -> Result<Amount, DeskError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let free = holdings.plain().map(|held| &held.coin).filter(|coin| self.is_free(coin.outpoint, None));
        Ok(free.map(|coin| coin.output.value).sum())
    }

    /// Returns confirmed coins without assets of the lender's payment address that are reserved for no other loan,
    /// preferring those without a soft reservation.
    pub(crate) async fn money(
        &self,
        lender: &Party,
        amount: Amount,
        is_exact: bool,
        fee_rate: FeeRate,
        inputs: &[Spend<'_>],
        loan: Option<LoanId>,
    ) -> Result<Vec<Coin>, DeskError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let is_free = |coin: &Coin| self.is_free(coin.outpoint, loan);
        let now = self.market.now();
        if is_exact {
            let fits = |coin: &&Coin| coin.output.value == amount && is_free(coin);
            let exact: Vec<&Coin> = holdings.plain().map(|held| &held.coin).filter(fits).collect();
            return self.handed.choose(now, now.plus_ms(SOFT_MS), |reserved| {
                let fresh = exact.iter().find(|coin| !reserved.contains(&outpoint::to_domain(coin.outpoint)));
                let coin = fresh.or(exact.first()).map(|coin| vec![(*coin).clone()]);
                coin.ok_or(DeskError::LenderNotExact { wanted: amount })
            });
        }
        let mut candidates = holdings.candidates();
        candidates.retain(|candidate| match &candidate.spend {
            Spend::Coin(coin) => is_free(coin),
            Spend::Script { .. } => false,
        });
        let change = lender.purse();
        let wanted = Wanted { amount, fee_payer: FeePayer::Others, fee_rate, inputs, outputs: &[], change: &change };
        self.handed.choose(now, now.plus_ms(SOFT_MS), |reserved| {
            let mut fresh = candidates.clone();
            fresh.retain(|candidate| !reserved.contains(&outpoint::to_domain(candidate.spend.outpoint())));
            let choice =
                wanted.choose(&fresh).or_else(|_| wanted.choose(&candidates)).map_err(DeskError::LenderShort)?;
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
        let holder = self.market.holder_of(&output).map(|holder| LoanId(holder.0));
        (holder.is_some() && holder == loan) || self.market.promised([output]).is_empty()
    }

    /// Returns the deadline of the party that acts next, limited so that neither term nor grace period is cut.
    pub(crate) fn until(&self, allowance_ms: u64, sign_by: UnixMs) -> UnixMs {
        self.market.now().plus_ms(allowance_ms).min(sign_by)
    }
}
