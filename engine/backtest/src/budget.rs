//! The budget over time: which acceptances the rule gets, and what their loans return.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{GroupId, InterestRate, LoanEnd, LoanId, OfferId, Sats, SubCollectionId, UnixMs, ranks_before};

use crate::acceptance::{Candidate, Moment};
use crate::deal_terms::DealTerms;
use crate::figures::{Defaults, Figures, Running};
use crate::filled_loan::{FilledLoan, FilledLoanEnd};

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
    pub(crate) deals: &'a BTreeMap<LoanId, DealTerms>,
    /// The id before which the rule's first offers were placed, by collection.
    pub(crate) placed_before: &'a BTreeMap<GroupId, OfferId>,
    /// The end of the record.
    pub(crate) end: UnixMs,
}

/// The outcome of a rule.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The figures of each collection.
    pub(crate) by_group: BTreeMap<GroupId, Figures>,
    pub(crate) loans: Vec<FilledLoan>,
}

/// Lends the budget to the candidates in the order of time.
pub(crate) fn outcome(candidates: &[Candidate<'_>], budget: Sats, facts: &Facts<'_>) -> Outcome {
    let mut steps: Vec<(Moment, Step, usize)> = Vec::new();
    for (place, Candidate { acceptance, .. }) in candidates.iter().enumerate() {
        steps.push((acceptance.when, Step::Accept, place));
        steps.extend(acceptance.released.map(|when| (when, Step::Release, place)));
        steps.extend(acceptance.end.map(|end| (end.when, Step::End, place)));
    }
    steps.sort_unstable();
    let mut run =
        Run { facts, free: budget, places: BTreeMap::new(), held: HashMap::new(), outcome: Outcome::default() };
    for (_, step, place) in steps {
        match step {
            Step::Accept => run.accept(place, &candidates[place]),
            Step::Release => run.release(place, &candidates[place]),
            Step::End => run.end(place, &candidates[place]),
        }
    }
    for place in run.held.keys().copied().collect::<BTreeSet<_>>() {
        run.count_running(&candidates[place]);
    }
    run.outcome
}

struct Run<'a> {
    facts: &'a Facts<'a>,
    free: Sats,
    /// The id before which the rule's offer was placed, by ranking.
    places: BTreeMap<(GroupId, SubCollectionId), OfferId>,
    /// The acceptances that the rule got and that have not ended, with the place of the offer that got them.
    held: HashMap<usize, OfferId>,
    outcome: Outcome,
}

impl Run<'_> {
    fn accept(&mut self, number: usize, one: &Candidate<'_>) {
        let group = one.acceptance.when.group;
        let first = self.facts.placed_before.get(&group).copied().unwrap_or(one.acceptance.next_offer);
        let place = self.places.entry((group, one.acceptance.sub_collection)).or_insert(first);
        if !ranks_before(one.quote, *place, one.acceptance.taken_quote, one.acceptance.taken) {
            return;
        }
        let Some(free) = self.free.checked_sub(one.principal) else {
            self.outcome.by_group.entry(group).or_default().beyond_budget += 1;
            return;
        };
        // The rule places another offer, which is later than all others.
        let before = std::mem::replace(place, one.acceptance.next_offer);
        self.free = free;
        self.held.insert(number, before);
    }

    fn release(&mut self, number: usize, one: &Candidate<'_>) {
        if let Some(before) = self.held.remove(&number) {
            self.free = self.free.saturating_add(one.principal);
            // The earlier offer stands again.
            if let Some(place) = self.places.get_mut(&(one.acceptance.when.group, one.acceptance.sub_collection)) {
                *place = (*place).min(before);
            }
        }
    }

    fn end(&mut self, number: usize, one: &Candidate<'_>) {
        let (Some(end), true) = (one.acceptance.end, self.held.remove(&number).is_some()) else { return };
        let (interest, fees) = (self.interest(one), self.fees(one));
        // Only the interest of terms that were extended was paid before a default.
        let paid_before = interest.saturating_sub(self.interest_of_last(one));
        let mut of_one = Figures::default();
        let outcome = match end.end {
            LoanEnd::Repaid => {
                of_one.lend(one, fees);
                of_one.interest_sats = interest;
                self.free = self.free.saturating_add(one.principal);
                FilledLoanEnd::Repaid
            }
            LoanEnd::Claimed => {
                of_one.lend(one, fees);
                of_one.interest_sats = paid_before;
                of_one.defaults =
                    Defaults { count: 1, principal_sats: one.principal.get(), collateral_sats: end.collateral.get() };
                FilledLoanEnd::Claimed
            }
            LoanEnd::Failed => {
                self.free = self.free.saturating_add(one.principal);
                return;
            }
        };
        let lent_ms = end.when.at.0.saturating_sub(one.began_at().0);
        of_one.ended_sat_ms = u128::from(one.principal.get()) * u128::from(lent_ms);
        self.count(one, end.when.at, outcome, &of_one);
    }

    /// Counts an acceptance whose loan, or whose signing, the record does not end.
    fn count_running(&mut self, one: &Candidate<'_>) {
        if one.acceptance.loans.is_empty() {
            return;
        }
        let mut of_one = Figures::default();
        of_one.lend(one, self.fees(one));
        of_one.interest_sats = self.interest(one).saturating_sub(self.interest_of_last(one));
        of_one.running_result_sats = of_one.result_sats();
        of_one.running = Running { count: 1, principal_sats: one.principal.get() };
        self.count(one, self.facts.end, FilledLoanEnd::Running, &of_one);
    }

    fn count(&mut self, one: &Candidate<'_>, until: UnixMs, end: FilledLoanEnd, figures: &Figures) {
        self.outcome.by_group.entry(one.acceptance.when.group).or_default().add(figures);
        self.outcome.loans.push(FilledLoan {
            began_at: one.began_at(),
            until,
            end,
            principal_sats: one.principal.get(),
            result_sats: figures.result_sats(),
        });
    }

    /// The interest of all terms, each at the rate of its agreement.
    fn interest(&self, one: &Candidate<'_>) -> u64 {
        one.acceptance.loans.iter().map(|record| interest_at(self.rate(one, record.loan), one.principal)).sum()
    }

    fn interest_of_last(&self, one: &Candidate<'_>) -> u64 {
        one.acceptance.loans.last().map_or(0, |record| interest_at(self.rate(one, record.loan), one.principal))
    }

    fn rate(&self, one: &Candidate<'_>, loan: LoanId) -> InterestRate {
        self.facts.deals.get(&loan).map_or(one.acceptance.interest, |deal| deal.rate)
    }

    /// The platform's fees: as recorded, in proportion to the principal, rounded up.
    fn fees(&self, one: &Candidate<'_>) -> u64 {
        let fee = |deal: &DealTerms| {
            let share = u128::from(deal.platform_fee.get()) * u128::from(one.principal.get());
            u64::try_from(share.div_ceil(u128::from(deal.principal.get().max(1)))).unwrap_or(u64::MAX)
        };
        one.acceptance.loans.iter().filter_map(|record| self.facts.deals.get(&record.loan)).map(fee).sum()
    }
}

fn interest_at(rate: InterestRate, principal: Sats) -> u64 {
    rate.of(principal).map_or(0, Sats::get)
}
