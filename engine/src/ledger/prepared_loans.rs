//! Prepared loans that reserve nothing yet: their borrowers, and which of them end when another borrower signs.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;

use domain::{
    AssetRejection, CancelledBy, LoanAccount, LoanDeal, LoanEvent, LoanId, LoanRejection, LoanStage, OfferId, Outpoint,
    PREPARED_MAX, PREPARED_PER_LENDER_MAX, PrepareLapses, Reservation, Sats, TransferOrderRejection, UnixMs, UserId,
};

use crate::Refusal;

use super::{LedgerEvent, LedgerState};

/// The maximum number of remembered loans that another borrower's signature ended.
const TAKEN_MAX: usize = 4_096;

/// Prepared loans that reserve nothing, indexed by what they would reserve.
#[derive(Debug, Default)]
pub(super) struct PreparedLoans {
    by_offer: HashMap<OfferId, BTreeSet<LoanId>>,
    by_coin: HashMap<Outpoint, BTreeSet<LoanId>>,
    by_borrower: HashMap<UserId, BTreeSet<LoanId>>,
    lapses: PrepareLapses,
    /// Loans that another borrower's signature ended, the latest last: the loan itself is dropped, and its borrower may
    /// still send signatures.
    taken: VecDeque<LoanId>,
    taken_ids: HashSet<LoanId>,
}

impl PreparedLoans {
    /// Processes an event of a loan, with its state before and after.
    pub(super) fn apply(
        &mut self,
        before: Option<&LoanAccount>,
        after: Option<&LoanAccount>,
        event: &LoanEvent,
        at: UnixMs,
    ) {
        if let Some((loan, coins)) = before.and_then(|loan| Some((loan, loan.coins_to_reserve.as_ref()?))) {
            remove(&mut self.by_offer, &loan.deal.offer, loan.id);
            coins.iter().for_each(|coin| remove(&mut self.by_coin, &coin, loan.id));
            remove(&mut self.by_borrower, &loan.deal.borrower, loan.id);
            match event {
                LoanEvent::Cancelled { by: CancelledBy::Time } => self.lapses.record_lapse(loan.deal.borrower, at),
                LoanEvent::Cancelled { by: CancelledBy::OfferTaken } => self.remember_taken(loan.id),
                LoanEvent::BorrowerSigned { .. } | LoanEvent::Held { .. } => self.lapses.clear(loan.deal.borrower),
                _ => {}
            }
        }
        if let Some((loan, coins)) = after.and_then(|loan| Some((loan, loan.coins_to_reserve.as_ref()?))) {
            self.by_offer.entry(loan.deal.offer).or_default().insert(loan.id);
            for coin in coins.iter() {
                self.by_coin.entry(coin).or_default().insert(loan.id);
            }
            self.by_borrower.entry(loan.deal.borrower).or_default().insert(loan.id);
        }
    }

    fn remember_taken(&mut self, id: LoanId) {
        if self.taken.len() >= TAKEN_MAX
            && let Some(oldest) = self.taken.pop_front()
        {
            self.taken_ids.remove(&oldest);
        }
        self.taken.push_back(id);
        self.taken_ids.insert(id);
    }

    /// The loans of an offer or of one of these coins.
    fn conflicting(&self, offer: OfferId, coins: &[Outpoint]) -> BTreeSet<LoanId> {
        let of_coins = coins.iter().filter_map(|coin| self.by_coin.get(coin));
        self.by_offer.get(&offer).into_iter().chain(of_coins).flatten().copied().collect()
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.by_offer.len() + self.by_coin.len() + self.by_borrower.len()
    }
}

fn remove<K: Hash + Eq>(index: &mut HashMap<K, BTreeSet<LoanId>>, key: &K, id: LoanId) {
    if let Some(ids) = index.get_mut(key) {
        ids.remove(&id);
        if ids.is_empty() {
            index.remove(key);
        }
    }
}

impl LedgerState {
    /// Prepares a loan for its borrower to sign. Nothing is reserved for it.
    ///
    /// # Errors
    /// [`LoanRejection::TooManyPrepared`] and [`LoanRejection::Postponed`]; [`Refusal::Asset`] and [`Refusal::Order`]
    /// when one of its coins is locked, unless the owner's signature would free it.
    pub(crate) fn prepare_loan(
        &self,
        id: LoanId,
        prepared: LoanEvent,
        now: UnixMs,
    ) -> Result<Vec<LedgerEvent>, Refusal> {
        let LoanEvent::SoftPrepared { deal, coins, .. } = &prepared else { return Err(Refusal::DealChanged) };
        self.check_prepared(deal, now)?;
        for coin in coins.iter() {
            if let Some(order) = self.orders().reserved_for(&coin) {
                return Err(TransferOrderRejection::CoinReserved { coin, order }.into());
            }
            let holder = self.pledged_for(&coin);
            if let Some(holder) = holder.filter(|holder| !self.is_evictable(LoanId(holder.0), deal.borrower)) {
                return Err(AssetRejection::Pledged(holder).into());
            }
        }
        self.loan_step(id, prepared, now)
    }

    /// Whether a signature of the collateral's owner, another borrower, ends this loan: only its own borrower has
    /// signed it.
    pub(crate) fn is_evictable(&self, id: LoanId, owner: UserId) -> bool {
        let waits = |loan: &LoanAccount| matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender);
        self.loan(id).is_some_and(|loan| waits(loan) && loan.deal.borrower != owner && loan.extended_until.is_none())
    }

    /// The reason why a dropped loan cannot be signed any more, if it is still remembered.
    pub(crate) fn taken(&self, id: LoanId) -> Option<LoanRejection> {
        self.loans().prepared_loans().taken_ids.contains(&id).then_some(LoanRejection::Taken(id))
    }

    fn check_prepared(&self, deal: &LoanDeal, now: UnixMs) -> Result<(), LoanRejection> {
        let soft = self.loans().prepared_loans();
        if let Some(until) = soft.lapses.postponed_until(deal.borrower, now) {
            return Err(LoanRejection::Postponed { until });
        }
        let address = self.account(deal.borrower).map(|account| &account.addresses.ordinal_address);
        let shares_address = |user: &UserId| {
            *user == deal.borrower
                || self.account(*user).is_some_and(|account| {
                    account.is_ordinals_proven && Some(&account.addresses.ordinal_address) == address
                })
        };
        let of_address = soft.by_borrower.iter().filter(|(user, _)| shares_address(user));
        let waiting: Vec<&LoanAccount> = of_address
            .flat_map(|(_, ids)| ids)
            .filter_map(|id| self.loan(*id))
            .filter(|loan| loan.expires_at > now)
            .collect();
        if waiting.len() >= PREPARED_MAX {
            return Err(LoanRejection::TooManyPrepared { max: PREPARED_MAX });
        }
        if waiting.iter().filter(|loan| loan.deal.lender == deal.lender).count() >= PREPARED_PER_LENDER_MAX {
            return Err(LoanRejection::TooManyPrepared { max: PREPARED_PER_LENDER_MAX });
        }
        Ok(())
    }

    /// The ends of the prepared loans of an offer that is removed from its book.
    pub(crate) fn prepared_of(&self, offer: OfferId) -> impl Iterator<Item = LedgerEvent> {
        let ended = LoanEvent::Cancelled { by: CancelledBy::OfferTaken };
        self.loans()
            .prepared_loans()
            .conflicting(offer, &[])
            .into_iter()
            .map(move |id| LedgerEvent::Loan(id, ended.clone()))
    }

    /// The prepared loans that end when these coins and this part of an offer are reserved for a borrower. `left` is
    /// the part of the offer that can still be taken afterwards.
    pub(crate) fn displaced(&self, held: &Reservation, coins: &[Outpoint], left: Sats) -> Vec<LedgerEvent> {
        let own = LoanId(held.id.0);
        let touching = self.loans().prepared_loans().conflicting(held.offer, coins);
        let others = touching.into_iter().filter(|id| *id != own).filter_map(|id| self.loan(id));
        let displaced = others.filter(|loan| {
            let shares_coin =
                loan.coins_to_reserve.iter().flat_map(domain::LoanCoins::iter).any(|coin| coins.contains(&coin));
            shares_coin || (loan.deal.offer == held.offer && loan.deal.principal > left)
        });
        let cancelled = |loan: &LoanAccount| {
            let is_own = loan.deal.borrower == held.borrower;
            let by = if is_own { CancelledBy::Borrower } else { CancelledBy::OfferTaken };
            LedgerEvent::Loan(loan.id, LoanEvent::Cancelled { by })
        };
        displaced.map(cancelled).collect()
    }
}
