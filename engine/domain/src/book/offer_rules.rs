//! The validation of a draft before it becomes an offer: a series of checks, one fact each.

use crate::{
    Bundle, CollateralType, CollectionGroup, Limits, Ltv, OfferTerms, Peg, PegRejection, ProcessType, Quantity, Sats,
    SubCollection, UnitPrice, UnixMs, UserId,
};

use super::{OfferDraft, Rejection};

/// The context that a draft is validated in.
pub(super) struct ValidationContext<'book> {
    pub(super) lender: UserId,
    pub(super) group: &'book CollectionGroup,
    pub(super) limits: &'book Limits,
    pub(super) price: Option<UnitPrice>,
    /// The usable balance of the lender's vault.
    pub(super) usable: Option<Sats>,
    /// The current time.
    pub(super) now: UnixMs,
    /// An edit may create an offer that its vault does not cover: it stays paused until a deposit.
    pub(super) is_edit: bool,
    /// Whether an edit leaves the time until which the offer is good.
    pub(super) keeps_time: bool,
    /// The collateral of the borrow request that the offer fills.
    pub(super) requested: Option<Quantity>,
}

impl OfferDraft {
    /// Checks the draft of a manual offer before it is sent to its order book, which decides: a request of several offers
    /// is seldom executed in part then.
    ///
    /// # Errors
    /// The rejection by an order book of the group at this price.
    pub fn check_manual(
        &self,
        lender: UserId,
        group: &CollectionGroup,
        limits: &Limits,
        price: Option<UnitPrice>,
        now: UnixMs,
    ) -> Result<(), Rejection> {
        let (usable, is_edit, keeps_time, requested) = (None, false, false, None);
        let context = ValidationContext { lender, group, limits, price, usable, now, is_edit, keeps_time, requested };
        validate_draft(self, &context).map(drop)
    }
}

/// Validates a draft and returns its terms, which are never checked again.
pub(super) fn validate_draft(draft: &OfferDraft, context: &ValidationContext<'_>) -> Result<OfferTerms, Rejection> {
    if !context.group.is_lending_allowed {
        return Err(Rejection::LendingNotAllowed);
    }
    let sub_collection = context
        .group
        .sub_collection(draft.sub_collection)
        .ok_or(Rejection::UnknownSubCollection(draft.sub_collection))?;
    if !sub_collection.accepts(draft.process) {
        return Err(Rejection::ProcessNotTaken(draft.process));
    }
    let price = context.price.ok_or(Rejection::NoPrice)?;
    let min = context.limits.min_offer(&context.group.collateral, draft.process);
    context.limits.check_principal(draft.principal, min)?;
    let (quantity, smallest_take) = match (sub_collection.bundle, draft.quantity) {
        (Bundle::Fixed(bundle), None) => (context.requested.unwrap_or(bundle), draft.principal),
        (Bundle::Open, Some(offered)) if offered.raw > 0 && offered.decimals == context.group.collateral.decimals() => {
            (offered, min)
        }
        _ => return Err(Rejection::WrongQuantity),
    };
    if let Some(min) = draft.principal_min {
        check_peg(draft, context, sub_collection, Peg { min, ..pegged(draft, quantity)? })?;
    } else {
        let ltv = price.ltv_of(UnitPrice::quoted(draft.principal, quantity));
        check_fixed(draft, context, sub_collection, ltv)?;
    }
    if !context.keeps_time {
        Limits::check_good_until(draft.good_until, context.now)?;
    }
    if let Some(conditions) = &draft.conditions {
        conditions.check_draft(context.lender, context.group.collateral == CollateralType::Inscription)?;
    }
    Ok(OfferTerms {
        sub_collection: draft.sub_collection,
        process: draft.process,
        principal: draft.principal,
        quantity,
        smallest_take,
        max_ltv: draft.max_ltv,
        accepts_next_term: draft.accepts_next_term,
    })
}

/// Checks an offer with a fixed principal.
fn check_fixed(
    draft: &OfferDraft,
    context: &ValidationContext<'_>,
    sub: &SubCollection,
    ltv: Ltv,
) -> Result<(), Rejection> {
    if ltv >= Limits::OFFER_LTV_END {
        return Err(Rejection::AboveCeiling { ltv });
    }
    match draft.process {
        ProcessType::Manual if draft.max_ltv.is_some() => Err(Rejection::ManualMaxLtv),
        ProcessType::Manual => Ok(()),
        ProcessType::Instant => check_instant(draft, context, sub, ltv),
    }
}

/// The peg of a draft, of which the least principal is still to be set.
fn pegged(draft: &OfferDraft, quantity: Quantity) -> Result<Peg, Rejection> {
    let ltv = draft.max_ltv.filter(|ltv| ltv.basis_points() > 0).ok_or(Rejection::NoMaxLtv)?;
    Ok(Peg { ltv, min: draft.principal, max: draft.principal, quantity })
}

/// Checks an offer whose principal follows the floor, and the vault of an instant one.
fn check_peg(
    draft: &OfferDraft,
    context: &ValidationContext<'_>,
    sub: &SubCollection,
    peg: Peg,
) -> Result<(), Rejection> {
    if sub.bundle == Bundle::Open {
        return Err(PegRejection::OpenBundle.into());
    }
    if peg.ltv > Ltv::CEILING {
        return Err(Rejection::MaxLtvAboveCeiling { max_ltv: peg.ltv });
    }
    context.limits.check_principal(peg.min, context.limits.min_offer(&context.group.collateral, draft.process))?;
    if peg.min > peg.max {
        return Err(PegRejection::AboveMax { max: peg.max }.into());
    }
    let price = context.price.ok_or(Rejection::NoPrice)?;
    let level = peg.at(price);
    if level.is_below {
        let ltv = price.ltv_of(UnitPrice::quoted(peg.min, peg.quantity));
        return Err(Rejection::MaxLtvBelowCurrent { ltv });
    }
    match draft.process {
        ProcessType::Manual => Ok(()),
        ProcessType::Instant => check_vault(level.principal, context),
    }
}

/// Checks that the vault covers a principal; an edit may exceed it.
fn check_vault(principal: Sats, context: &ValidationContext<'_>) -> Result<(), Rejection> {
    let usable = context.usable.ok_or(Rejection::NoVault)?;
    let is_covered = principal <= usable || context.is_edit;
    if is_covered { Ok(()) } else { Err(Rejection::InsufficientVault { usable }) }
}

/// Checks the cap and the vault of an instant offer.
fn check_instant(
    draft: &OfferDraft,
    context: &ValidationContext<'_>,
    sub: &SubCollection,
    ltv: Ltv,
) -> Result<(), Rejection> {
    let max_ltv = draft.max_ltv.filter(|cap| cap.basis_points() > 0).ok_or(Rejection::NoMaxLtv)?;
    if max_ltv > Ltv::CEILING {
        return Err(Rejection::MaxLtvAboveCeiling { max_ltv });
    }
    // For an open bundle the price of a part may move while the borrower takes it, so the cap keeps a gap, up to the
    // ceiling.
    let min_cap = match sub.bundle {
        Bundle::Fixed(_) => ltv,
        Bundle::Open => ltv.max(Ltv::from_basis_points(
            ltv.basis_points().saturating_add(Limits::RUNE_LTV_GAP).min(Ltv::CEILING.basis_points()),
        )),
    };
    if max_ltv < min_cap {
        return Err(Rejection::MaxLtvBelowCurrent { ltv });
    }
    check_vault(draft.principal, context)
}
