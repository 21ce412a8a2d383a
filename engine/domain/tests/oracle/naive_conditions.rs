//! The conditions of the naive book's offers, by their definition.

use std::collections::BTreeSet;

use domain::{CollateralType, CollectionGroup, ConditionRejection, OfferConditions, Rejection, Taker, UnixMs, UserId};

use super::NaiveOffer;

pub(super) fn check_draft(asked: &OfferConditions, lender: UserId, group: &CollectionGroup) -> Result<(), Rejection> {
    if asked.borrower.as_ref().is_some_and(|named| named.user == lender) {
        return Err(ConditionRejection::ForOwnLender.into());
    }
    if asked.borrower.is_some() && asked.link_key.is_some() {
        return Err(ConditionRejection::BorrowerWithLink.into());
    }
    if asked.inscriptions.len() > 500 {
        return Err(ConditionRejection::TooManyInscriptions { max: 500 }.into());
    }
    if asked.numbers.len() > 20 {
        return Err(ConditionRejection::TooManyNumberRanges { max: 20 }.into());
    }
    for range in &asked.numbers {
        if range.last < range.first {
            return Err(ConditionRejection::EmptyNumberRange(*range).into());
        }
    }
    let is_any = asked.inscriptions.is_empty() && asked.numbers.is_empty();
    if !matches!(group.collateral, CollateralType::Inscription) && !is_any {
        return Err(ConditionRejection::TokensAreNotChosen.into());
    }
    if asked.repaid_min > 1_000 {
        return Err(ConditionRejection::AboveMax { asked: asked.repaid_min, max: 1_000 }.into());
    }
    if asked.default_free_days > 3_650 {
        return Err(ConditionRejection::AboveMax { asked: asked.default_free_days, max: 3_650 }.into());
    }
    Ok(())
}

pub(super) fn check_taker(
    asked: &OfferConditions,
    offer: &NaiveOffer,
    taker: &Taker,
    now: UnixMs,
) -> Result<(), Rejection> {
    match &asked.borrower {
        Some(named) if named.user != taker.user => return Err(Rejection::OfferForOtherBorrower(offer.id)),
        _ => {}
    }
    if u64::from(taker.repaid) < u64::from(asked.repaid_min) {
        return Err(Rejection::TooFewRepaidLoans { repaid: taker.repaid, min: asked.repaid_min });
    }
    if let Some(claimed_at) = taker.last_claimed_at {
        let free_after = claimed_at.0 + u64::from(asked.default_free_days) * 24 * 60 * 60 * 1_000;
        if asked.default_free_days != 0 && now.0 < free_after {
            return Err(Rejection::DefaultTooRecent { until: UnixMs(free_after) });
        }
    }
    let by_number = !asked.numbers.is_empty();
    let pledged: BTreeSet<_> =
        taker.inscriptions.iter().filter(|pledged| by_number || asked.inscriptions.contains(pledged)).collect();
    // As many as the offer is against, each of them chosen and pledged once.
    let is_whole = u128::try_from(pledged.len()) == Ok(offer.quantity.raw) && pledged.len() == taker.inscriptions.len();
    let is_ascending = pledged.into_iter().eq(&taker.inscriptions);
    let is_met = (asked.inscriptions.is_empty() && !by_number) || (is_whole && is_ascending);
    if !is_met {
        return Err(Rejection::InscriptionNotChosen(offer.id));
    }
    Ok(())
}
