//! The terms of new offers.

use domain::{Bundle, Ltv, ProcessType, Quantity, Sats, SubCollection};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

use super::Sight;
use crate::act::Quote;
use crate::amount::{PRINCIPAL_MAX, STEP, ltv, principal_above, principal_at, tokens_for, usual_step};
use crate::profile::{LTV_MIN, Profile};
use crate::real::{real, whole};

/// Returns an offer for a place where the lender has none yet, or `None` if nothing fits.
pub(super) fn quote(profile: &Profile, sight: &Sight<'_>, rng: &mut impl Rng) -> Option<Quote> {
    if !sight.book.is_open || !sight.group.group.is_lending_allowed {
        return None;
    }
    let (sub, process) = *places(profile, sight, rng).choose(rng)?;
    let cap = profile.cap_for(sight.group, sub);
    let aim = aim(profile, cap, rng);
    let (principal, quantity) = match sub.bundle {
        Bundle::Fixed(quantity) => (principal_at(sight.price.value_floor(quantity), aim), quantity),
        Bundle::Open => {
            let principal = ticket(profile, sight.vault?, rng)?;
            (principal, tokens_for(principal, aim, sight.price, sight.group.group.collateral.decimals())?)
        }
    };
    // Where offers are missing, a smaller principal than preferred is better than none.
    let principal = if sight.lacks(process) { principal.min(most(profile, sight, process)) } else { principal };
    let principal = placed(profile, sight, (sub, process), (principal, quantity), cap, rng);
    let mut quote = checked(profile, sight, sub, process, (principal, quantity), rng)?;
    // Large lenders quote the same offer several times, since one borrower rarely pledges for all of it at once.
    if process == ProcessType::Manual && profile.offers_max >= 8 && sight.room >= 3 && rng.random_ratio(1, 8) {
        quote.count = rng.random_range(2..=3);
    }
    Some(quote)
}

/// The highest principal that the lender lends at once, in round amounts.
fn most(profile: &Profile, sight: &Sight<'_>, process: ProcessType) -> Sats {
    let ticket = PRINCIPAL_MAX.min(profile.character.ticket.1);
    let vault = sight.vault.filter(|_| process == ProcessType::Instant).unwrap_or(ticket);
    Sats::new(ticket.min(vault).get() / STEP * STEP)
}

/// Builds a quote if the lender would make it and the server would accept it.
pub(super) fn checked(
    profile: &Profile,
    sight: &Sight<'_>,
    sub: &SubCollection,
    process: ProcessType,
    (principal, quantity): (Sats, Quantity),
    rng: &mut impl Rng,
) -> Option<Quote> {
    let group = &sight.group.group;
    let current = ltv(sight.price, principal, quantity);
    let fits = principal >= sight.limits.least(&group.collateral, process)
        && principal <= PRINCIPAL_MAX.min(profile.character.ticket.1)
        && (LTV_MIN..=profile.cap_for(sight.group, sub)).contains(&current)
        && (process == ProcessType::Manual || sight.vault.is_some_and(|vault| principal <= vault));
    let max_ltv = (process == ProcessType::Instant).then(|| max_ltv(current, rng));
    fits.then_some(Quote {
        group: group.id,
        sub: sub.id,
        process,
        principal,
        quantity,
        max_ltv,
        accepts_next_term: process == ProcessType::Instant && !profile.index.is_multiple_of(3),
        count: 1,
    })
}

/// The places where the lender could quote: terms and processes that suit, at most once for each.
fn places<'a>(profile: &Profile, sight: &Sight<'a>, rng: &mut impl Rng) -> Vec<(&'a SubCollection, ProcessType)> {
    let (no_manual, no_instant) = (sight.lacks(ProcessType::Manual), sight.lacks(ProcessType::Instant));
    let prefers_instant = rng.random_bool(profile.character.instant);
    // A missing process type comes first; if neither or both are missing, the lender's preference decides.
    let wants_instant = sight.vault.is_some() && if no_manual == no_instant { prefers_instant } else { no_instant };
    let places_of = |process: ProcessType| -> Vec<(&'a SubCollection, ProcessType)> {
        let terms = profile.character.term_range();
        let taken = |sub: &SubCollection| sight.own.iter().any(|own| own.sub == sub.id && own.process == process);
        let suits = |sub: &&SubCollection| terms.contains(&sub.term.0) && sub.takes(process) && !taken(sub);
        sight.group.group.sub_collections.iter().filter(suits).map(|sub| (sub, process)).collect()
    };
    let instant = if wants_instant { places_of(ProcessType::Instant) } else { Vec::new() };
    // BRC-20 tokens take only manual offers, also from lenders who prefer instant ones.
    if instant.is_empty() { places_of(ProcessType::Manual) } else { instant }
}

/// The LTV that the lender would like to quote: somewhat below the cap, seldom far below.
pub(super) fn aim(profile: &Profile, cap: Ltv, rng: &mut impl Rng) -> Ltv {
    let modesty = profile.character.modesty;
    let below = rng.random_range(0..=modesty).min(rng.random_range(0..=modesty));
    Ltv::from_basis_points(cap.basis_points().saturating_sub(below).max(LTV_MIN.basis_points() + 100))
}

/// Adjusts the principal to the ranking: just above the best offer if the cap allows it, and not needlessly far above
/// it.
fn placed(
    profile: &Profile,
    sight: &Sight<'_>,
    (sub, process): (&SubCollection, ProcessType),
    (principal, quantity): (Sats, Quantity),
    cap: Ltv,
    rng: &mut impl Rng,
) -> Sats {
    let ranking = sight.book.ranking(sub.id, process);
    let Some(best) = ranking.first() else { return principal };
    let to_lead = principal_above(best.quote(), quantity);
    let leads_within_cap = ltv(sight.price, to_lead, quantity) <= cap;
    if principal > to_lead || (leads_within_cap && rng.random_bool(profile.character.outbids)) {
        // Lenders pay no more than the best bid takes, except a small margin of some to stay there.
        let margin = usual_step(to_lead) * rng.random_range(0..=2);
        let generous = Sats::new(to_lead.get() + margin);
        return if ltv(sight.price, generous, quantity) <= cap { generous } else { to_lead };
    }
    principal
}

/// A round principal for an offer without a fixed bundle.
fn ticket(profile: &Profile, vault: Sats, rng: &mut impl Rng) -> Option<Sats> {
    let (least, most) = profile.character.ticket;
    let most = most.min(vault);
    if most <= least {
        return None;
    }
    let drawn = rng.random_range(real(least.get()).ln()..real(most.get()).ln()).exp();
    let drawn = whole(drawn)?;
    let step = usual_step(Sats::new(drawn)) * 10;
    Some(Sats::new((drawn / step * step).max(least.get())))
}

/// The LTV at which an instant offer pauses: ten to eighteen points above the quote, never at or above the ceiling's
/// limit.
fn max_ltv(current: Ltv, rng: &mut impl Rng) -> Ltv {
    let offset = 100 * rng.random_range(10..=18);
    let rounded = current.basis_points().div_ceil(100) * 100;
    Ltv::from_basis_points(rounded + offset).min(Ltv::CEILING)
}
