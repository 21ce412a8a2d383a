//! The terms of new offers.

use domain::{Bundle, Ltv, ProcessType, Quantity, Sats, SubCollection};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

use super::DecisionContext;
use crate::amount::{PRINCIPAL_MAX, STEP, ltv, principal_above, principal_at, tokens_for, usual_step};
use crate::float_conversion::{to_f64, to_u64};
use crate::offer_action::Quote;
use crate::profile::{LTV_MIN, Profile};

/// One lender in this many makes manual offers that follow the floor.
const FOLLOWERS: usize = 4;

/// Returns an offer for a place where the lender has none yet, or `None` if nothing fits.
pub(super) fn quote(profile: &Profile, context: &DecisionContext<'_>, rng: &mut impl Rng) -> Option<Quote> {
    if !context.book.is_open || !context.group.group.is_lending_allowed {
        return None;
    }
    let (sub, process) = *places(profile, context, rng).choose(rng)?;
    let cap = profile.cap_for(context.group, sub);
    let aim = aim(profile, cap, rng);
    let (principal, quantity) = match sub.bundle {
        Bundle::Fixed(quantity) => (principal_at(context.price.value_floor(quantity), aim), quantity),
        Bundle::Open => {
            let principal = principal(profile, context.vault?, rng)?;
            (principal, tokens_for(principal, aim, context.price, context.group.group.collateral.decimals())?)
        }
    };
    // Where offers are missing, a smaller principal than preferred is better than none.
    let principal =
        if context.lacks(process) { principal.min(principal_limit(profile, context, process)) } else { principal };
    let principal = adjusted_to_ranking(profile, context, (sub, process), (principal, quantity), cap, rng);
    let mut quote = checked(profile, context, sub, process, (principal, quantity), rng)?;
    // Large lenders quote the same offer several times, since one borrower rarely pledges for all of it at once.
    if process == ProcessType::Manual
        && profile.offers_max >= 8
        && context.offer_capacity >= 3
        && rng.random_ratio(1, 8)
    {
        quote.count = rng.random_range(2..=3);
    }
    // Some lenders let the principal follow the floor, down to two thirds of what it is now.
    if process == ProcessType::Manual && profile.index % FOLLOWERS == 1 {
        let least = Sats::new(quote.principal.get() * 2 / 3 / STEP * STEP);
        quote.least = Some(least.max(context.limits.min_principal(&context.group.group.collateral, process)));
    }
    Some(quote)
}

/// The highest principal that the lender lends at once, in round amounts.
fn principal_limit(profile: &Profile, context: &DecisionContext<'_>, process: ProcessType) -> Sats {
    let principal = PRINCIPAL_MAX.min(profile.parameters.principal_range.1);
    let vault = context.vault.filter(|_| process == ProcessType::Instant).unwrap_or(principal);
    Sats::new(principal.min(vault).get() / STEP * STEP)
}

/// Builds a quote if the lender would make it and the server would accept it.
pub(super) fn checked(
    profile: &Profile,
    context: &DecisionContext<'_>,
    sub: &SubCollection,
    process: ProcessType,
    (principal, quantity): (Sats, Quantity),
    rng: &mut impl Rng,
) -> Option<Quote> {
    let group = &context.group.group;
    let current = ltv(context.price, principal, quantity);
    let fits = principal >= context.limits.min_principal(&group.collateral, process)
        && principal <= PRINCIPAL_MAX.min(profile.parameters.principal_range.1)
        && (LTV_MIN..=profile.cap_for(context.group, sub)).contains(&current)
        && (process == ProcessType::Manual || context.vault.is_some_and(|vault| principal <= vault));
    let max_ltv = (process == ProcessType::Instant).then(|| max_ltv(current, rng));
    fits.then_some(Quote {
        group: group.id,
        sub: sub.id,
        process,
        principal,
        least: None,
        quantity,
        max_ltv,
        accepts_next_term: process == ProcessType::Instant && !profile.index.is_multiple_of(3),
        count: 1,
    })
}

/// The places where the lender could quote: terms and processes that suit, at most once for each.
fn places<'a>(
    profile: &Profile,
    context: &DecisionContext<'a>,
    rng: &mut impl Rng,
) -> Vec<(&'a SubCollection, ProcessType)> {
    let (no_manual, no_instant) = (context.lacks(ProcessType::Manual), context.lacks(ProcessType::Instant));
    let prefers_instant = rng.random_bool(profile.parameters.instant);
    // A missing process type comes first; if neither or both are missing, the lender's preference decides.
    let wants_instant = context.vault.is_some() && if no_manual == no_instant { prefers_instant } else { no_instant };
    let places_of = |process: ProcessType| -> Vec<(&'a SubCollection, ProcessType)> {
        let terms = profile.parameters.term_range();
        let taken = |sub: &SubCollection| context.own.iter().any(|own| own.sub == sub.id && own.process == process);
        let suits = |sub: &&SubCollection| terms.contains(&sub.term.0) && sub.accepts(process) && !taken(sub);
        context.group.group.sub_collections.iter().filter(suits).map(|sub| (sub, process)).collect()
    };
    let instant = if wants_instant { places_of(ProcessType::Instant) } else { Vec::new() };
    // BRC-20 tokens take only manual offers, also from lenders who prefer instant ones.
    if instant.is_empty() { places_of(ProcessType::Manual) } else { instant }
}

/// The LTV that the lender would like to quote: somewhat below the cap, seldom far below.
pub(super) fn aim(profile: &Profile, cap: Ltv, rng: &mut impl Rng) -> Ltv {
    let modesty = profile.parameters.quote_margin;
    let below = rng.random_range(0..=modesty).min(rng.random_range(0..=modesty));
    Ltv::from_basis_points(cap.basis_points().saturating_sub(below).max(LTV_MIN.basis_points() + 100))
}

/// Adjusts the principal to the ranking: just above the best offer if the cap allows it, and not needlessly far above
/// it.
fn adjusted_to_ranking(
    profile: &Profile,
    context: &DecisionContext<'_>,
    (sub, process): (&SubCollection, ProcessType),
    (principal, quantity): (Sats, Quantity),
    cap: Ltv,
    rng: &mut impl Rng,
) -> Sats {
    let ranking = context.book.ranking(sub.id, process);
    let Some(best) = ranking.first() else { return principal };
    let best_bid = principal_above(best.quote(), quantity);
    let leads_within_cap = ltv(context.price, best_bid, quantity) <= cap;
    if principal > best_bid || (leads_within_cap && rng.random_bool(profile.parameters.outbids)) {
        // Lenders pay no more than the best bid takes, except a small margin of some to stay there.
        let margin = usual_step(best_bid) * rng.random_range(0..=2);
        let generous = Sats::new(best_bid.get() + margin);
        return if ltv(context.price, generous, quantity) <= cap { generous } else { best_bid };
    }
    principal
}

/// A round principal for an offer without a fixed bundle.
fn principal(profile: &Profile, vault: Sats, rng: &mut impl Rng) -> Option<Sats> {
    let (smallest, largest) = profile.parameters.principal_range;
    let largest = largest.min(vault);
    if largest <= smallest {
        return None;
    }
    let drawn = rng.random_range(to_f64(smallest.get()).ln()..to_f64(largest.get()).ln()).exp();
    let drawn = to_u64(drawn)?;
    let step = usual_step(Sats::new(drawn)) * 10;
    Some(Sats::new((drawn / step * step).max(smallest.get())))
}

/// The LTV at which an instant offer pauses: ten to eighteen points above the quote, never at or above the ceiling's
/// limit.
fn max_ltv(current: Ltv, rng: &mut impl Rng) -> Ltv {
    let offset = 100 * rng.random_range(10..=18);
    let rounded = current.basis_points().div_ceil(100) * 100;
    Ltv::from_basis_points(rounded + offset).min(Ltv::CEILING)
}
