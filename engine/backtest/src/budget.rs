//! The budget over time: which acceptances the rule gets, and what their loans return.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{GroupId, InterestRate, LoanDeal, LoanEnd, LoanId, OfferId, Sats, SubCollectionId, UnixMs, ranks_before};

use crate::acceptance::{Acceptance, Moment};
use crate::figures::Figures;

/// A step of an acceptance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Accept,
    Release,
    End,
}

/// The facts beside the acceptances.
pub(crate) struct Facts<'a> {
    /// The agreements of loans.
    pub(crate) deals: &'a HashMap<LoanId, LoanDeal>,
    /// The id before which the rule's first offers were placed, by collection.
    pub(crate) placed_before: &'a BTreeMap<GroupId, OfferId>,
    /// The end of the record.
    pub(crate) end: UnixMs,
}

/// The figures of each collection.
pub(crate) fn figures(acceptances: &[Acceptance], budget: Sats, facts: &Facts<'_>) -> BTreeMap<GroupId, Figures> {
    let mut steps: Vec<(Moment, Step, usize)> = Vec::new();
    for (place, one) in acceptances.iter().enumerate() {
        steps.push((one.when, Step::Accept, place));
        steps.extend(one.released.map(|when| (when, Step::Release, place)));
        steps.extend(one.end.map(|end| (end.when, Step::End, place)));
    }
    steps.sort_unstable();
    let mut run = Run { facts, free: budget, places: BTreeMap::new(), held: HashMap::new(), figures: BTreeMap::new() };
    for (_, step, place) in steps {
        match step {
            Step::Accept => run.accept(place, &acceptances[place]),
            Step::Release => run.release(place, &acceptances[place]),
            Step::End => run.end(place, &acceptances[place]),
        }
    }
    for place in run.held.keys().copied().collect::<BTreeSet<_>>() {
        run.count_running(&acceptances[place]);
    }
    run.figures
}

struct Run<'a> {
    facts: &'a Facts<'a>,
    free: Sats,
    /// The id before which the rule's offer was placed, by ranking.
    places: BTreeMap<(GroupId, SubCollectionId), OfferId>,
    /// The acceptances that the rule got and that have not ended, with the place of the offer that got them.
    held: HashMap<usize, OfferId>,
    figures: BTreeMap<GroupId, Figures>,
}

impl Run<'_> {
    fn accept(&mut self, number: usize, one: &Acceptance) {
        let group = one.when.group;
        let first = self.facts.placed_before.get(&group).copied().unwrap_or(one.next_offer);
        let place = self.places.entry((group, one.sub_collection)).or_insert(first);
        if !ranks_before(one.quote, *place, one.taken_quote, one.taken) {
            return;
        }
        let Some(free) = self.free.checked_sub(one.principal) else {
            self.figures.entry(group).or_default().beyond_budget += 1;
            return;
        };
        // The rule places another offer, which is later than all others.
        let before = std::mem::replace(place, one.next_offer);
        self.free = free;
        self.held.insert(number, before);
    }

    fn release(&mut self, number: usize, one: &Acceptance) {
        if let Some(before) = self.held.remove(&number) {
            self.free = self.free.saturating_add(one.principal);
            // The earlier offer stands again.
            if let Some(place) = self.places.get_mut(&(one.when.group, one.sub_collection)) {
                *place = (*place).min(before);
            }
        }
    }

    fn end(&mut self, number: usize, one: &Acceptance) {
        let (Some(end), true) = (one.end, self.held.remove(&number).is_some()) else { return };
        let (interest, fees) = (self.interest(one), self.fees(one));
        // Only the interest of terms that were extended was paid before a default.
        let paid_before = interest.saturating_sub(self.interest_of_last(one));
        let figures = self.figures.entry(one.when.group).or_default();
        match end.end {
            LoanEnd::Repaid => {
                figures.lend(one, end.when.at, fees);
                figures.interest_sats += interest;
                self.free = self.free.saturating_add(one.principal);
            }
            LoanEnd::Claimed => {
                figures.lend(one, end.when.at, fees);
                figures.interest_sats += paid_before;
                figures.defaults.count += 1;
                figures.defaults.principal_sats += one.principal.get();
                figures.defaults.collateral_sats += end.collateral.get();
            }
            LoanEnd::Failed => self.free = self.free.saturating_add(one.principal),
        }
    }

    /// Counts an acceptance whose loan, or whose signing, the record does not end.
    fn count_running(&mut self, one: &Acceptance) {
        let fees = self.fees(one);
        let paid = self.interest(one).saturating_sub(self.interest_of_last(one));
        let figures = self.figures.entry(one.when.group).or_default();
        if !one.loans.is_empty() {
            figures.lend(one, self.facts.end, fees);
            figures.interest_sats += paid;
            figures.running.count += 1;
            figures.running.principal_sats += one.principal.get();
        }
    }

    /// The interest of all terms, each at the rate of its agreement.
    fn interest(&self, one: &Acceptance) -> u64 {
        one.loans.iter().map(|record| interest_at(self.rate(one, record.loan), one.principal)).sum()
    }

    fn interest_of_last(&self, one: &Acceptance) -> u64 {
        one.loans.last().map_or(0, |record| interest_at(self.rate(one, record.loan), one.principal))
    }

    fn rate(&self, one: &Acceptance, loan: LoanId) -> InterestRate {
        self.facts.deals.get(&loan).map_or(one.interest, |deal| deal.rate)
    }

    /// The platform's fees: as recorded, in proportion to the principal, rounded up.
    fn fees(&self, one: &Acceptance) -> u64 {
        let fee = |deal: &LoanDeal| {
            let share = u128::from(deal.platform_fee.get()) * u128::from(one.principal.get());
            u64::try_from(share.div_ceil(u128::from(deal.principal.get().max(1)))).unwrap_or(u64::MAX)
        };
        one.loans.iter().filter_map(|record| self.facts.deals.get(&record.loan)).map(fee).sum()
    }
}

fn interest_at(rate: InterestRate, principal: Sats) -> u64 {
    rate.of(principal).map_or(0, Sats::get)
}
