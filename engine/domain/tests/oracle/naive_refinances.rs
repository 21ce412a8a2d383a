//! The search of the naive book for offers that a running loan could move to: every live offer, by the definition.

use domain::{
    Bundle, CollateralType, LoanTerms, OfferId, ProcessType, RefinanceOrder, RefinanceQuestion, Sats, SubCollectionId,
};

use super::NaiveBook;

/// An offer with what it would lend.
pub(crate) struct NaiveRefinance {
    pub(crate) offer: OfferId,
    pub(crate) principal: Sats,
    pub(crate) terms: LoanTerms,
}

impl NaiveRefinance {
    /// Interest per day, in units that two offers can be compared in.
    fn interest_a_day(&self) -> f64 {
        f64::from(self.terms.interest.basis_points()) / f64::from(self.terms.days.0)
    }

    pub(crate) fn is_within(&self, order: &RefinanceOrder) -> bool {
        let is_long_enough = self.terms.days >= order.term_min;
        let is_short_enough = self.terms.days <= order.term_max;
        let is_cheap_enough = self.terms.interest <= order.interest_max;
        self.principal >= order.principal_min && is_long_enough && is_short_enough && is_cheap_enough
    }

    pub(crate) fn is_cheaper(&self, loan: &RefinanceQuestion) -> bool {
        // In whole numbers: i1 / d1 <= 0.9 * i0 / d0.
        let next = u64::from(self.terms.interest.basis_points()) * u64::from(loan.terms.days.0) * 10;
        let now = u64::from(loan.terms.interest.basis_points()) * u64::from(self.terms.days.0) * 9;
        self.principal >= loan.principal && loan.terms.interest.basis_points() > 0 && next <= now
    }
}

impl NaiveBook {
    /// The best live offer for exactly this collateral among those that `is_wanted` takes.
    pub(crate) fn refinance(
        &self,
        loan: &RefinanceQuestion,
        is_wanted: impl Fn(&NaiveRefinance) -> bool,
    ) -> Option<NaiveRefinance> {
        // A transfer inscription of BRC-20 is consumed by its first move.
        if matches!(self.group.collateral, CollateralType::Brc20 { .. }) {
            return None;
        }
        let all = self.offers.iter().filter(|offer| offer.lender != loan.borrower && self.is_live(offer));
        let found = all.filter_map(|offer| {
            let sub = self.group.sub_collection(offer.sub).unwrap();
            let takes_any = sub.bundle == Bundle::Open;
            if !sub.accepts(offer.process) || !(takes_any || offer.quantity.raw == loan.pledged_raw) {
                return None;
            }
            let principal = u64::try_from(u128::from(offer.principal) * loan.pledged_raw / offer.quantity.raw).ok()?;
            let can_take = (offer.smallest..=self.takeable(offer)).contains(&principal);
            let terms = self.loan_terms(offer.id, offer.sub).unwrap();
            can_take.then(|| NaiveRefinance { offer: offer.id, principal: Sats::new(principal), terms })
        });
        found.filter(is_wanted).min_by(|one, other| {
            let by_interest = one.interest_a_day().total_cmp(&other.interest_a_day());
            by_interest.then(other.principal.cmp(&one.principal)).then(one.offer.cmp(&other.offer))
        })
    }

    /// The collateral amounts that some offer is against, and one that none may be.
    pub(crate) fn pledged_amounts(&self) -> Vec<u128> {
        let mut amounts: Vec<u128> = self.offers.iter().take(6).map(|offer| offer.quantity.raw).collect();
        amounts.extend(self.offers.iter().take(3).map(|offer| offer.quantity.raw / 2));
        amounts.push(3);
        amounts
    }

    /// Whether so many offers compete in one place that the book looks at the first only.
    pub(crate) fn is_crowded(&self) -> bool {
        let subs = (0_u16..).map(SubCollectionId).take(self.group.sub_collections.len());
        let mut places = subs.flat_map(|sub| [ProcessType::Manual, ProcessType::Instant].map(|process| (sub, process)));
        places.any(|(sub, process)| self.ranked(sub, process).len() > 256)
    }
}
