//! The rules of a manual offer that can be checked before any offer is created.
//!
//! The order book decides; this check keeps most requests of several items from being executed in part.

use domain::{Bundle, CollectionGroup, Limits, ProcessType, Rejection, Sats, SubCollectionId, UnitPrice};

/// Refuses what the order book would refuse at this price.
///
/// # Errors
/// The same rejections as those of the order book.
pub fn check(
    group: &CollectionGroup,
    place: SubCollectionId,
    principal: Sats,
    price: Option<UnitPrice>,
    limits: &Limits,
) -> Result<(), Rejection> {
    let process = ProcessType::Manual;
    if !group.is_lending_allowed {
        return Err(Rejection::LendingNotAllowed);
    }
    let term = group.sub_collection(place).ok_or(Rejection::UnknownSubCollection(place))?;
    if !term.accepts(process) {
        return Err(Rejection::ProcessNotTaken(process));
    }
    let price = price.ok_or(Rejection::NoPrice)?;
    let (min, max) = (limits.min_offer(&group.collateral, process), limits.max_offer_sats);
    if principal < min {
        return Err(Rejection::BelowMinOffer { min });
    }
    if principal > max {
        return Err(Rejection::AboveMaxOffer { max });
    }
    if let Bundle::Fixed(quantity) = term.bundle {
        let ltv = price.ltv_of(UnitPrice::quoted(principal, quantity));
        if ltv >= Limits::OFFER_LTV_END {
            return Err(Rejection::AboveCeiling { ltv });
        }
    }
    Ok(())
}
