//! The decisions about existing offers.

use domain::{Bundle, Ltv, Sats, SubCollection};
use rand::{Rng, RngExt as _};

use super::Sight;
use super::quoting::{aim, checked};
use crate::act::Act;
use crate::amount::{ltv, principal_above, principal_at, usual_step};
use crate::own_offer::OwnOffer;
use crate::profile::Profile;
use crate::standing::Standing;

/// The excess over the cap, in basis points, above which a lender acts on an offer.
const TOLERANCE: u32 = 250;
/// The distance below the cap, in basis points, beyond which a lender considers raising an offer.
const NEGLECT: u32 = 1_900;
/// Lenders who follow the price do so when it has moved by one part in this many.
const FOLLOWED: u64 = 110;
/// The age in milliseconds after which an offer may be cancelled without another reason.
const PATIENCE_MS: u64 = 100_000;

/// The lender's action on one of their offers, if any.
pub(super) fn tend(profile: &Profile, sight: &Sight<'_>, offer: &OwnOffer, rng: &mut impl Rng) -> Option<Act> {
    let sub = sight.group.group.sub_collection(offer.sub)?;
    if offer.is_reserved {
        return None;
    }
    if !sight.book.is_open || !sight.group.group.is_lending_allowed {
        return Some(Act::Cancel(offer.id));
    }
    if let Some(change) = offer.new_terms {
        return rng.random_bool(0.5).then_some(Act::AcceptTerm(offer.id, change));
    }
    let cap = profile.cap_for(sight.group, sub);
    let current = ltv(sight.price, offer.principal, offer.quantity);
    if offer.is_paused_by_hand {
        return (current <= cap && rng.random_bool(0.35)).then_some(Act::Resume(offer.id));
    }
    if current.basis_points() > cap.basis_points() + TOLERANCE {
        return rng.random_bool(0.75).then(|| retreat(profile, sight, sub, offer, cap, rng));
    }
    // A partly used offer is not changed.
    if offer.used > Sats::ZERO {
        return None;
    }
    let rival = best_rival(sight, offer);
    let act = match rival {
        Some(rival) if ranks_above(&rival, offer) => outbid(profile, sight, sub, offer, &rival, rng),
        _ => trim(profile, sight, sub, offer, rival.as_ref(), rng),
    };
    act.or_else(|| follow(profile, sight, sub, offer, rng))
        .or_else(|| raise(profile, sight, sub, offer, current, cap, rng))
        .or_else(|| rest(sight, offer, rng))
}

/// The price fell: quotes less, or cancels.
fn retreat(
    profile: &Profile,
    sight: &Sight<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    cap: Ltv,
    rng: &mut impl Rng,
) -> Act {
    if offer.used > Sats::ZERO || rng.random_bool(0.2) {
        return Act::Cancel(offer.id);
    }
    let aim = aim(profile, cap, rng);
    let lower = principal_at(sight.price.value_floor(offer.quantity), aim);
    edit(profile, sight, sub, offer, lower, rng).unwrap_or(Act::Cancel(offer.id))
}

/// A rival quotes more: quotes just above the rival, if the cap allows it.
fn outbid(
    profile: &Profile,
    sight: &Sight<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    rival: &Standing,
    rng: &mut impl Rng,
) -> Option<Act> {
    if !rng.random_bool(profile.character.outbids) {
        return None;
    }
    let to_lead = principal_above(rival.quote(), offer.quantity);
    let higher = Sats::new(to_lead.get() + usual_step(to_lead) * rng.random_range(0..=1));
    edit(profile, sight, sub, offer, higher, rng).or_else(|| edit(profile, sight, sub, offer, to_lead, rng))
}

/// The second-best offer is far below: quotes just above it.
fn trim(
    profile: &Profile,
    sight: &Sight<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    second: Option<&Standing>,
    rng: &mut impl Rng,
) -> Option<Act> {
    let enough = principal_above(second?.quote(), offer.quantity);
    let gap = offer.principal.saturating_sub(enough).get();
    if gap < 3 * usual_step(offer.principal) || !rng.random_bool(profile.character.trims) {
        return None;
    }
    edit(profile, sight, sub, offer, Sats::new(enough.get() + usual_step(enough)), rng)
}

/// The price moved since the offer was quoted: moves the offer with it.
fn follow(
    profile: &Profile,
    sight: &Sight<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    rng: &mut impl Rng,
) -> Option<Act> {
    let then = offer.quoted_at?;
    let moved = then.scaled().abs_diff(sight.price.scaled());
    if moved < then.scaled() / FOLLOWED || !rng.random_bool(profile.character.follows) {
        return None;
    }
    let same = principal_at(sight.price.value_floor(offer.quantity), ltv(then, offer.principal, offer.quantity));
    edit(profile, sight, sub, offer, same, rng)
}

/// The price rose, or the offer was always low: quotes more.
fn raise(
    profile: &Profile,
    sight: &Sight<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    current: Ltv,
    cap: Ltv,
    rng: &mut impl Rng,
) -> Option<Act> {
    if current.basis_points() + NEGLECT > cap.basis_points() || !rng.random_bool(0.3) {
        return None;
    }
    let aim = aim(profile, cap, rng);
    let higher = principal_at(sight.price.value_floor(offer.quantity), aim);
    if higher <= offer.principal { None } else { edit(profile, sight, sub, offer, higher, rng) }
}

/// No reason to act: occasionally pauses an offer, or cancels an old one.
fn rest(sight: &Sight<'_>, offer: &OwnOffer, rng: &mut impl Rng) -> Option<Act> {
    if sight.now > offer.created_at.plus_ms(PATIENCE_MS) && rng.random_bool(0.1) {
        return Some(Act::Cancel(offer.id));
    }
    rng.random_bool(0.012).then_some(Act::Pause(offer.id))
}

/// Replaces an offer by one with another principal in the same place, if it differs and fits.
fn edit(
    profile: &Profile,
    sight: &Sight<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    principal: Sats,
    rng: &mut impl Rng,
) -> Option<Act> {
    debug_assert!(
        sub.bundle == Bundle::Open || sub.bundle == Bundle::Fixed(offer.quantity),
        "the size of a bundle changed"
    );
    if principal == offer.principal {
        return None;
    }
    let quote = checked(profile, sight, sub, offer.process, (principal, offer.quantity), rng)?;
    Some(Act::Edit { offer: offer.id, quote })
}

/// The best offer in the same place that is not the lender's.
fn best_rival(sight: &Sight<'_>, offer: &OwnOffer) -> Option<Standing> {
    let ranking = sight.book.ranking(offer.sub, offer.process);
    ranking.into_iter().find(|standing| sight.own.iter().all(|own| own.id != standing.offer))
}

fn ranks_above(rival: &Standing, offer: &OwnOffer) -> bool {
    let (theirs, ours) = (rival.quote(), offer.quote());
    theirs > ours || (theirs == ours && rival.offer < offer.id)
}
