//! The decisions about existing offers.

use domain::{Bundle, Ltv, Sats, SubCollection};
use rand::{Rng, RngExt as _};

use super::DecisionContext;
use super::quoting::{aim, checked};
use crate::amount::{ltv, principal_above, principal_at, usual_step};
use crate::offer_action::OfferAction;
use crate::own_offer::OwnOffer;
use crate::profile::Profile;
use crate::public_book::PublicOffer;

/// The excess over the cap, in basis points, above which a lender acts on an offer.
const CAP_TOLERANCE: u32 = 250;
/// The distance below the cap, in basis points, beyond which a lender considers raising an offer.
const UNDERQUOTE_MAX: u32 = 1_900;
/// Lenders who follow the price do so when it has moved by one part in this many.
const PRICE_MOVE_FRACTION: u64 = 110;
/// The age in milliseconds after which an offer may be cancelled without another reason.
const OFFER_AGE_MAX_MS: u64 = 100_000;

/// The lender's action on one of their offers, if any.
pub(super) fn manage_offer(
    profile: &Profile,
    context: &DecisionContext<'_>,
    offer: &OwnOffer,
    rng: &mut impl Rng,
) -> Option<OfferAction> {
    let sub = context.group.group.sub_collection(offer.sub)?;
    if offer.is_reserved {
        return None;
    }
    if !context.book.is_open || !context.group.group.is_lending_allowed {
        return Some(OfferAction::Cancel(offer.id));
    }
    if let Some(change) = offer.new_terms {
        return rng.random_bool(0.5).then_some(OfferAction::AcceptTerm(offer.id, change));
    }
    let cap = profile.cap_for(context.group, sub);
    let current = ltv(context.price, offer.principal, offer.quantity);
    if offer.is_paused_by_hand {
        return (current <= cap && rng.random_bool(0.35)).then_some(OfferAction::Resume(offer.id));
    }
    if offer.is_pegged {
        return pause_or_cancel(context, offer, rng);
    }
    if current.basis_points() > cap.basis_points() + CAP_TOLERANCE {
        return rng.random_bool(0.75).then(|| reduce_exposure(profile, context, sub, offer, cap, rng));
    }
    // A partly used offer is not changed.
    if offer.used > Sats::ZERO {
        return None;
    }
    let competitor = best_competitor(context, offer);
    let action = match competitor {
        Some(competitor) if ranks_above(&competitor, offer) => outbid(profile, context, sub, offer, &competitor, rng),
        _ => lower_best_bid(profile, context, sub, offer, competitor.as_ref(), rng),
    };
    action
        .or_else(|| follow_price(profile, context, sub, offer, rng))
        .or_else(|| raise_quote(profile, context, sub, offer, current, cap, rng))
        .or_else(|| pause_or_cancel(context, offer, rng))
}

/// The price fell: quotes less, or cancels.
fn reduce_exposure(
    profile: &Profile,
    context: &DecisionContext<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    cap: Ltv,
    rng: &mut impl Rng,
) -> OfferAction {
    if offer.used > Sats::ZERO || rng.random_bool(0.2) {
        return OfferAction::Cancel(offer.id);
    }
    let aim = aim(profile, cap, rng);
    let lower = principal_at(context.price.value_floor(offer.quantity), aim);
    edit(profile, context, sub, offer, lower, rng).unwrap_or(OfferAction::Cancel(offer.id))
}

/// A rival quotes more: quotes just above the rival, if the cap allows it.
fn outbid(
    profile: &Profile,
    context: &DecisionContext<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    competitor: &PublicOffer,
    rng: &mut impl Rng,
) -> Option<OfferAction> {
    if !rng.random_bool(profile.parameters.outbids) {
        return None;
    }
    let best_bid = principal_above(competitor.quote(), offer.quantity);
    let higher = Sats::new(best_bid.get() + usual_step(best_bid) * rng.random_range(0..=1));
    edit(profile, context, sub, offer, higher, rng).or_else(|| edit(profile, context, sub, offer, best_bid, rng))
}

/// The second-best offer is far below: quotes just above it.
fn lower_best_bid(
    profile: &Profile,
    context: &DecisionContext<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    second: Option<&PublicOffer>,
    rng: &mut impl Rng,
) -> Option<OfferAction> {
    let enough = principal_above(second?.quote(), offer.quantity);
    let gap = offer.principal.saturating_sub(enough).get();
    if gap < 3 * usual_step(offer.principal) || !rng.random_bool(profile.parameters.trims) {
        return None;
    }
    edit(profile, context, sub, offer, Sats::new(enough.get() + usual_step(enough)), rng)
}

/// The price moved since the offer was quoted: moves the offer with it.
fn follow_price(
    profile: &Profile,
    context: &DecisionContext<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    rng: &mut impl Rng,
) -> Option<OfferAction> {
    let then = offer.quoted_at?;
    let moved = then.scaled().abs_diff(context.price.scaled());
    if moved < then.scaled() / PRICE_MOVE_FRACTION || !rng.random_bool(profile.parameters.follows) {
        return None;
    }
    let same = principal_at(context.price.value_floor(offer.quantity), ltv(then, offer.principal, offer.quantity));
    edit(profile, context, sub, offer, same, rng)
}

/// The price rose, or the offer was always low: quotes more.
fn raise_quote(
    profile: &Profile,
    context: &DecisionContext<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    current: Ltv,
    cap: Ltv,
    rng: &mut impl Rng,
) -> Option<OfferAction> {
    if current.basis_points() + UNDERQUOTE_MAX > cap.basis_points() || !rng.random_bool(0.3) {
        return None;
    }
    let aim = aim(profile, cap, rng);
    let higher = principal_at(context.price.value_floor(offer.quantity), aim);
    if higher <= offer.principal { None } else { edit(profile, context, sub, offer, higher, rng) }
}

/// No reason to act: occasionally pauses an offer, or cancels an old one.
fn pause_or_cancel(context: &DecisionContext<'_>, offer: &OwnOffer, rng: &mut impl Rng) -> Option<OfferAction> {
    if context.now > offer.created_at.plus_ms(OFFER_AGE_MAX_MS) && rng.random_bool(0.1) {
        return Some(OfferAction::Cancel(offer.id));
    }
    rng.random_bool(0.012).then_some(OfferAction::Pause(offer.id))
}

/// Replaces an offer by one with another principal in the same place, if it differs and fits.
fn edit(
    profile: &Profile,
    context: &DecisionContext<'_>,
    sub: &SubCollection,
    offer: &OwnOffer,
    principal: Sats,
    rng: &mut impl Rng,
) -> Option<OfferAction> {
    debug_assert!(
        sub.bundle == Bundle::Open || sub.bundle == Bundle::Fixed(offer.quantity),
        "the size of a bundle changed"
    );
    if principal == offer.principal {
        return None;
    }
    let quote = checked(profile, context, sub, offer.process, (principal, offer.quantity), rng)?;
    Some(OfferAction::Edit { offer: offer.id, quote })
}

/// The best offer in the same place that is not the lender's.
fn best_competitor(context: &DecisionContext<'_>, offer: &OwnOffer) -> Option<PublicOffer> {
    let ranking = context.book.ranking(offer.sub, offer.process);
    ranking.into_iter().find(|standing| context.own.iter().all(|own| own.id != standing.offer))
}

fn ranks_above(competitor: &PublicOffer, offer: &OwnOffer) -> bool {
    let (theirs, ours) = (competitor.quote(), offer.quote());
    theirs > ours || (theirs == ours && competitor.offer < offer.id)
}
