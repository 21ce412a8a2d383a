//! The conditions of the naive book's offers, by their definition.

use domain::{CollateralType, CollectionGroup, OfferConditions, OfferId, Rejection, Taker, UnixMs, UserId};

pub(super) fn check_draft(asked: &OfferConditions, lender: UserId, group: &CollectionGroup) -> Result<(), Rejection> {
    if asked.borrower.as_ref().is_some_and(|named| named.user == lender) {
        return Err(Rejection::ConditionsForOwnLender);
    }
    if asked.borrower.is_some() && asked.link_key.is_some() {
        return Err(Rejection::BorrowerWithLink);
    }
    if asked.inscriptions.len() > 100 {
        return Err(Rejection::TooManyInscriptions { max: 100 });
    }
    if !matches!(group.collateral, CollateralType::Inscription) && !asked.inscriptions.is_empty() {
        return Err(Rejection::TokensAreNotChosen);
    }
    if asked.repaid_min > 1_000 {
        return Err(Rejection::ConditionAboveMax { asked: asked.repaid_min, max: 1_000 });
    }
    if asked.default_free_days > 3_650 {
        return Err(Rejection::ConditionAboveMax { asked: asked.default_free_days, max: 3_650 });
    }
    Ok(())
}

pub(super) fn check_taker(
    asked: &OfferConditions,
    offer: OfferId,
    taker: &Taker,
    now: UnixMs,
) -> Result<(), Rejection> {
    match &asked.borrower {
        Some(named) if named.user != taker.user => return Err(Rejection::OfferForOtherBorrower(offer)),
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
    let pledged_is_chosen = asked.inscriptions.iter().any(|chosen| Some(*chosen) == taker.inscription);
    if !asked.inscriptions.is_empty() && !pledged_is_chosen {
        return Err(Rejection::InscriptionNotChosen(offer));
    }
    Ok(())
}
