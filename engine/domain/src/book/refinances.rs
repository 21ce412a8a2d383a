//! The offers of a book that a running loan could move to.

use std::cmp::Ordering;

use crate::{Bundle, LoanTerms, Offer, OfferId, ProcessType, RefinanceOrder, Sats, SubCollection, UserId};

use super::OrderBook;

/// The most offers of one term and process type that are looked at for one loan, from the best one.
const OFFERS_MAX: usize = 256;
/// The share of the running loan's interest per day below which another loan is cheaper, in percent.
const CHEAPER_PERCENT: u64 = 90;

/// A running loan whose collateral could secure another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovableLoan {
    /// The borrower, whose own offers are none.
    pub borrower: UserId,
    /// The collateral in raw units.
    pub pledged_raw: u128,
    /// The principal.
    pub principal: Sats,
    /// The interest and the term.
    pub terms: LoanTerms,
}

/// An offer that a running loan could move to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefinanceMatch {
    /// The offer.
    pub offer: OfferId,
    /// Its process type.
    pub process: ProcessType,
    /// The principal for the collateral of the loan.
    pub principal: Sats,
    /// The interest and the term.
    pub terms: LoanTerms,
}

/// The order of two loans by interest per day.
fn by_interest_a_day(one: LoanTerms, other: LoanTerms) -> Ordering {
    let scaled = |terms: LoanTerms, days: u16| u64::from(terms.interest.basis_points()) * u64::from(days);
    scaled(one, other.days.0).cmp(&scaled(other, one.days.0))
}

impl MovableLoan {
    /// Whether a loan of at least the same principal has an interest per day that is at least 10 percent lower.
    fn is_cheaper(&self, principal: Sats, terms: LoanTerms) -> bool {
        let scaled = |terms: LoanTerms, days: u16| u64::from(terms.interest.basis_points()) * u64::from(days);
        let (next, now) = (scaled(terms, self.terms.days.0), scaled(self.terms, terms.days.0));
        principal >= self.principal && next.saturating_mul(100) <= now.saturating_mul(CHEAPER_PERCENT) && now > 0
    }
}

impl OrderBook {
    /// The best offer within a borrower's order, that anyone can take, for the collateral of a running loan: the lowest
    /// interest per day, then the largest principal, then the earliest.
    #[must_use]
    pub fn ordered_refinance(&self, loan: &MovableLoan, order: &RefinanceOrder) -> Option<RefinanceMatch> {
        self.best_refinance(loan, order.principal_min, |principal, terms| order.accepts(principal, terms))
    }

    /// The best offer, by the same order, at an interest per day that is at least 10 percent lower than the loan's.
    #[must_use]
    pub fn cheaper_refinance(&self, loan: &MovableLoan) -> Option<RefinanceMatch> {
        self.best_refinance(loan, loan.principal, |principal, terms| loan.is_cheaper(principal, terms))
    }

    fn best_refinance(
        &self,
        loan: &MovableLoan,
        principal_min: Sats,
        is_wanted: impl Fn(Sats, LoanTerms) -> bool,
    ) -> Option<RefinanceMatch> {
        if self.group.refinance_obstacle(loan.pledged_raw).is_some() {
            return None;
        }
        let places =
            self.group.sub_collections.iter().flat_map(|sub| {
                [ProcessType::Manual, ProcessType::Instant].into_iter().map(move |process| (sub, process))
            });
        let candidates = places.filter(|(sub, process)| sub.accepts(*process) && fits(sub, loan.pledged_raw));
        let matches = candidates.flat_map(|(sub, process)| {
            // From the largest principal for this collateral: once one is too small, all others are.
            let offers = self.ranked(sub.id, process).take(OFFERS_MAX).filter(|offer| offer.lender != loan.borrower);
            let parts = offers.filter_map(|offer| self.refinance_by(offer, loan.pledged_raw));
            parts.take_while(move |found| found.principal >= principal_min)
        });
        let wanted = matches.filter(|found| is_wanted(found.principal, found.terms));
        wanted.min_by(|one, other| {
            let by_interest = by_interest_a_day(one.terms, other.terms);
            by_interest.then(other.principal.cmp(&one.principal)).then(one.offer.cmp(&other.offer))
        })
    }

    /// The loan that an offer makes against the collateral; `None` if no such part of it can be taken.
    fn refinance_by(&self, offer: &Offer, pledged_raw: u128) -> Option<RefinanceMatch> {
        let (principal, _) = offer.part(Some(pledged_raw)).ok()?;
        let terms = self.loan_terms(offer)?;
        Some(RefinanceMatch { offer: offer.id, process: offer.process, principal, terms })
    }
}

/// Whether offers of a sub-collection can be against exactly this amount.
fn fits(sub: &SubCollection, pledged_raw: u128) -> bool {
    match sub.bundle {
        Bundle::Fixed(quantity) => quantity.raw == pledged_raw,
        Bundle::Open => true,
    }
}
