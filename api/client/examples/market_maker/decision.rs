//! The quoting rule: a pure function from what is known of the market to the offers that should stand.
//!
//! The share of the floor that is lent falls with the floor's volatility and with the part of the budget that is in use.
//! Each term lends no more than what may fall due around the day on which its loans would.

use serde::Deserialize;

const DAY_MS: u64 = 86_400_000;
/// The days before and after a due date that count with it.
const DUE_WINDOW_DAYS: u64 = 3;
/// Principals are multiples of this, so that a small move of the floor changes none.
const STEP_SATS: u64 = 1_000;

/// The figures of the rule. Shares are in hundredths of a percent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// The sats that are lent or offered at any time, at the most.
    pub(crate) budget_sats: u64,
    /// The sats that may fall due within the days around any due date.
    pub(crate) due_window_sats: u64,
    /// The share of the floor that is lent when the floor is calm and the budget unused.
    pub(crate) ltv: u32,
    /// The least share; below it nothing is offered.
    pub(crate) ltv_min: u32,
    /// The part of the daily volatility by which the share falls: 20,000 takes twice the volatility off.
    pub(crate) volatility_weight: u32,
    /// The share that is taken off when the whole budget is in use.
    pub(crate) inventory_weight: u32,
    /// The smallest principal worth an offer.
    pub(crate) principal_min_sats: u64,
    /// The age of the data from which nothing is offered, in milliseconds.
    pub(crate) stale_after_ms: u64,
}

/// A term of the collection.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) slug: String,
    pub(crate) days: u32,
}

/// A running or coming loan of the lender, in any collection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenLoan {
    pub(crate) principal_sats: u64,
    /// `None` before the loan has begun: it counts in every window.
    pub(crate) due_at: Option<u64>,
}

/// The state of the market and of the lender, all at one time.
#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    pub(crate) now_ms: u64,
    /// The age of what the feed says; `None` while the copy of the book does not follow the server.
    pub(crate) age_ms: Option<u64>,
    pub(crate) floor_sats: Option<u64>,
    /// The volatility of the floor a day, in hundredths of a percent; `None` while too little is known.
    pub(crate) volatility: Option<u64>,
    pub(crate) terms: Vec<Term>,
    pub(crate) loans: Vec<OpenLoan>,
    /// The open offers of the lender that the rule does not manage.
    pub(crate) other_offers_sats: u64,
}

/// An offer that should stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) slug: String,
    pub(crate) principal_sats: u64,
}

/// The offers that should stand, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) quotes: Vec<Quote>,
    pub(crate) reason: String,
}

impl Decision {
    /// No offer.
    pub(crate) fn none(reason: impl Into<String>) -> Self {
        Self { quotes: Vec::new(), reason: reason.into() }
    }
}

/// Decides which offers should stand.
pub(crate) fn decide(rule: &Rule, known: &Knowledge) -> Decision {
    let Some(age_ms) = known.age_ms else { return Decision::none("the copy of the book does not follow the server") };
    if age_ms >= rule.stale_after_ms {
        return Decision::none(format!("the data is {age_ms} ms old"));
    }
    let Some(floor) = known.floor_sats else { return Decision::none("the floor is not known") };
    let Some(volatility) = known.volatility else { return Decision::none("the volatility is not known") };
    let lent = known.loans.iter().fold(known.other_offers_sats, |sum, loan| sum.saturating_add(loan.principal_sats));
    let free = rule.budget_sats.saturating_sub(lent);
    let ltv = share_lent(rule, volatility, lent);
    let shown = format!("floor {floor}, volatility {volatility}, lent {lent}, free {free}, share {ltv}");
    if ltv < u64::from(rule.ltv_min) {
        return Decision::none(format!("the share is too small: {shown}"));
    }
    let wanted = rounded(part(floor, ltv));
    let (mut unused, mut quotes) = (free, Vec::new());
    for term in &known.terms {
        let principal = rounded(wanted.min(unused).min(due_left(rule, known, term)));
        if principal >= rule.principal_min_sats.max(1) {
            unused -= principal;
            quotes.push(Quote { slug: term.slug.clone(), principal_sats: principal });
        }
    }
    Decision { quotes, reason: shown }
}

/// The share of the floor to lend, in hundredths of a percent.
fn share_lent(rule: &Rule, volatility: u64, lent: u64) -> u64 {
    let for_volatility = part(volatility, u64::from(rule.volatility_weight));
    let used = u128::from(lent) * u128::from(rule.inventory_weight) / u128::from(rule.budget_sats.max(1));
    let for_inventory = u64::try_from(used).unwrap_or(u64::MAX);
    u64::from(rule.ltv.min(10_000)).saturating_sub(for_volatility).saturating_sub(for_inventory)
}

/// The principal that may still fall due around the due date of a new loan.
fn due_left(rule: &Rule, known: &Knowledge, term: &Term) -> u64 {
    let due = known.now_ms.saturating_add(u64::from(term.days) * DAY_MS);
    let near = |loan: &&OpenLoan| loan.due_at.is_none_or(|at| at.abs_diff(due) <= DUE_WINDOW_DAYS * DAY_MS);
    let falling_due = known.loans.iter().filter(near).fold(0_u64, |sum, loan| sum.saturating_add(loan.principal_sats));
    rule.due_window_sats.saturating_sub(falling_due)
}

/// A share of a number, in hundredths of a percent, rounded down.
fn part(whole: u64, share: u64) -> u64 {
    u64::try_from(u128::from(whole) * u128::from(share) / 10_000).unwrap_or(u64::MAX)
}

fn rounded(sats: u64) -> u64 {
    sats / STEP_SATS * STEP_SATS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule() -> Rule {
        Rule {
            budget_sats: 2_000_000,
            due_window_sats: 900_000,
            ltv: 6_000,
            ltv_min: 2_000,
            volatility_weight: 20_000,
            inventory_weight: 2_000,
            principal_min_sats: 100_000,
            stale_after_ms: 30_000,
        }
    }

    fn known() -> Knowledge {
        let term = |days| Term { slug: format!("frogs-{days}d"), days };
        Knowledge {
            now_ms: 1_700_000_000_000,
            age_ms: Some(0),
            floor_sats: Some(1_000_000),
            volatility: Some(500),
            terms: vec![term(7), term(30)],
            loans: Vec::new(),
            other_offers_sats: 0,
        }
    }

    fn principals(rule: &Rule, known: &Knowledge) -> Vec<u64> {
        decide(rule, known).quotes.iter().map(|quote| quote.principal_sats).collect()
    }

    #[test]
    fn the_share_falls_with_volatility_and_inventory() {
        // 60 % less twice 5 %.
        assert_eq!(principals(&rule(), &known()), [500_000, 500_000]);
        let wild = Knowledge { volatility: Some(1_500), ..known() };
        assert_eq!(principals(&rule(), &wild), [300_000, 300_000]);
        // Half of the budget takes 10 % more off.
        let loan = OpenLoan { principal_sats: 1_000_000, due_at: Some(known().now_ms + 90 * DAY_MS) };
        assert_eq!(principals(&rule(), &Knowledge { loans: vec![loan], ..known() }), [400_000, 400_000]);
        assert!(principals(&rule(), &Knowledge { volatility: Some(2_001), ..known() }).is_empty());
    }

    #[test]
    fn no_due_date_takes_more_than_its_part() {
        let loan = OpenLoan { principal_sats: 700_000, due_at: Some(known().now_ms + 8 * DAY_MS) };
        assert_eq!(principals(&rule(), &Knowledge { loans: vec![loan], ..known() }), [200_000, 430_000]);
        let unknown = OpenLoan { due_at: None, ..loan };
        assert_eq!(principals(&rule(), &Knowledge { loans: vec![unknown], ..known() }), [200_000, 200_000]);
    }

    #[test]
    fn nothing_is_offered_on_missing_data() {
        for known in [
            Knowledge { age_ms: None, ..known() },
            Knowledge { age_ms: Some(30_000), ..known() },
            Knowledge { floor_sats: None, ..known() },
            Knowledge { volatility: None, ..known() },
        ] {
            assert!(decide(&rule(), &known).quotes.is_empty(), "{known:?}");
        }
    }

    prop_compose! {
        fn any_knowledge()(
            age_ms in prop::option::of(0_u64..60_000),
            floor_sats in prop::option::of(prop_oneof![0_u64..5_000_000, any::<u64>()]),
            volatility in prop::option::of(prop_oneof![0_u64..4_000, any::<u64>()]),
            days in prop::collection::vec(1_u32..400, 0..6),
            loans in prop::collection::vec((prop_oneof![0_u64..1_000_000, any::<u64>()], prop::option::of(any::<u64>())), 0..6),
            other_offers_sats in prop_oneof![Just(0), any::<u64>()],
            now_ms in any::<u64>(),
        ) -> Knowledge {
            let terms = days.into_iter().map(|days| Term { slug: days.to_string(), days }).collect();
            let loans = loans.into_iter().map(|(principal_sats, due_at)| OpenLoan { principal_sats, due_at }).collect();
            Knowledge { now_ms, age_ms, floor_sats, volatility, terms, loans, other_offers_sats }
        }
    }

    proptest! {
        #[test]
        fn it_is_never_above_the_budget_and_never_on_stale_data(
            known in any_knowledge(), budget_sats in 0_u64..5_000_000, ltv in 0_u32..20_000, inventory_weight in 0_u32..20_000,
        ) {
            let rule = Rule { budget_sats, ltv, inventory_weight, ..rule() };
            let decision = decide(&rule, &known);
            let offered: u128 = decision.quotes.iter().map(|quote| u128::from(quote.principal_sats)).sum();
            let lent: u128 = known.loans.iter().map(|loan| u128::from(loan.principal_sats)).sum();
            if !decision.quotes.is_empty() {
                prop_assert!(offered + lent + u128::from(known.other_offers_sats) <= u128::from(budget_sats));
                prop_assert!(known.age_ms.is_some_and(|age| age < rule.stale_after_ms));
            }
            for quote in &decision.quotes {
                prop_assert!(quote.principal_sats >= rule.principal_min_sats);
                prop_assert!(quote.principal_sats <= known.floor_sats.unwrap(), "more than the floor");
                prop_assert!(quote.principal_sats <= rule.due_window_sats);
            }
        }
    }
}
