//! The rules of a manual offer that can be checked before anything is created.
//!
//! The order book decides; this only spares a request of many items from being half done.

use domain::{Bundle, CollectionGroup, Limits, ProcessType, Rejection, Sats, SubCollectionId, UnitPrice};

/// Refuses what the order book would refuse at this price (SPEC section 5).
///
/// # Errors
/// The same rejections as the order book's.
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
    if !term.takes(process) {
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
