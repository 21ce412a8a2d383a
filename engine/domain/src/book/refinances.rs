//! The offers of a book that a running loan could move to.

use std::cmp::Ordering;

use crate::{LoanTerms, Offer, OfferId, ProcessType, RefinanceOrder, Sats, UserId};

use super::OrderBook;

/// The most offers of one term and process type that are looked at for one loan, from the best one.
const OFFERS_MAX: usize = 256;
/// The share of the running loan's interest per day below which another loan is cheaper, in percent.
const CHEAPER_PERCENT: u64 = 90;

/// The question of a running loan for an offer that it could move to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefinanceQuestion {
    /// The borrower, whose own offers are none.
    pub borrower: UserId,
    /// The collateral in raw units.
    pub pledged_raw: u128,
    /// The principal.
    pub principal: Sats,
    /// The interest and the term.
    pub terms: LoanTerms,
    /// The borrower's standing order, once its time has come.
    pub order: Option<RefinanceOrder>,
    /// Whether a cheaper offer is looked for too.
    pub is_near_due: bool,
}

impl RefinanceQuestion {
    /// Whether a loan of at least the same principal has an interest per day that is at least 10 percent lower.
    fn is_cheaper(&self, principal: Sats, terms: LoanTerms) -> bool {
        let (next, now) = terms.interest_a_day_with(self.terms);
        principal >= self.principal && next.saturating_mul(100) <= now.saturating_mul(CHEAPER_PERCENT) && now > 0
    }
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
    /// Whether it is within the borrower's order; otherwise it is cheaper.
    pub is_ordered: bool,
}

/// The order of two offers: the lowest interest per day, then the largest principal, then the earliest.
fn by_preference(one: &RefinanceMatch, other: &RefinanceMatch) -> Ordering {
    let (of_one, of_other) = one.terms.interest_a_day_with(other.terms);
    of_one.cmp(&of_other).then(other.principal.cmp(&one.principal)).then(one.offer.cmp(&other.offer))
}

impl OrderBook {
    /// The best offer that anyone can take for the collateral of a running loan: within the borrower's order, or else one
    /// of no less principal at an interest per day that is at least 10 percent lower.
    #[must_use]
    pub fn refinance(&self, question: &RefinanceQuestion) -> Option<RefinanceMatch> {
        if self.group.refinance_obstacle(question.pledged_raw).is_some() {
            return None;
        }
        let ordered = question.order.and_then(|order| {
            self.best_refinance(question, order.principal_min, |principal, terms| order.accepts(principal, terms))
        });
        let cheaper = || {
            self.best_refinance(question, question.principal, |principal, terms| question.is_cheaper(principal, terms))
        };
        let ordered = ordered.map(|found| RefinanceMatch { is_ordered: true, ..found });
        ordered.or_else(|| question.is_near_due.then(cheaper).flatten())
    }

    fn best_refinance(
        &self,
        question: &RefinanceQuestion,
        principal_min: Sats,
        is_wanted: impl Fn(Sats, LoanTerms) -> bool,
    ) -> Option<RefinanceMatch> {
        let RefinanceQuestion { borrower, pledged_raw, .. } = *question;
        let fitting = self.group.sub_collections.iter().filter(|sub| sub.bundle.fits(pledged_raw));
        let places = fitting.flat_map(|sub| {
            let processes = [ProcessType::Manual, ProcessType::Instant].into_iter();
            processes.filter(|process| sub.accepts(*process)).map(|process| (sub.id, process))
        });
        let matches = places.flat_map(|(sub, process)| {
            // From the largest principal for this collateral: once one is too small, all others are.
            let offers = self.ranked(sub, process).take(OFFERS_MAX).filter(move |offer| offer.lender != borrower);
            let parts = offers.filter_map(move |offer| self.refinance_by(offer, pledged_raw));
            parts.take_while(move |found| found.principal >= principal_min)
        });
        matches.filter(|found| is_wanted(found.principal, found.terms)).min_by(by_preference)
    }

    /// The loan that an offer makes against the collateral; `None` if no such part of it can be taken.
    fn refinance_by(&self, offer: &Offer, pledged_raw: u128) -> Option<RefinanceMatch> {
        let (principal, _) = offer.part(Some(pledged_raw)).ok()?;
        let terms = self.loan_terms(offer)?;
        Some(RefinanceMatch { offer: offer.id, process: offer.process, principal, terms, is_ordered: false })
    }
}
