//! The names and units of collateral.

use domain::{Bundle, CollateralType, Offer, Quantity, Sats, SubCollection, UnitPrice};

use crate::wire::{AsString, CollateralName, OfferRange};

pub(super) const fn name(collateral: &CollateralType) -> CollateralName {
    match collateral {
        CollateralType::Inscription => CollateralName::Inscription,
        CollateralType::Rune { .. } => CollateralName::Rune,
        CollateralType::Brc20 { .. } => CollateralName::Brc20,
    }
}

/// Decimals of a token; inscriptions have none.
pub(super) fn decimals(collateral: &CollateralType) -> Option<u8> {
    (*collateral != CollateralType::Inscription).then(|| collateral.decimals())
}

/// Id and name of a rune.
pub(super) fn rune(collateral: &CollateralType) -> (Option<String>, Option<String>) {
    match collateral {
        CollateralType::Rune { rune_id, rune_name, .. } => (Some(rune_id.clone()), Some(rune_name.clone())),
        CollateralType::Inscription | CollateralType::Brc20 { .. } => (None, None),
    }
}

/// The ticker of a BRC-20 token.
pub(super) fn ticker(collateral: &CollateralType) -> Option<String> {
    match collateral {
        CollateralType::Brc20 { ticker, .. } => Some(ticker.clone()),
        CollateralType::Inscription | CollateralType::Rune { .. } => None,
    }
}

/// The price of one inscription in whole sats.
pub(super) fn floor(collateral: &CollateralType, price: Option<UnitPrice>) -> Option<Sats> {
    let price = price.filter(|_| *collateral == CollateralType::Inscription)?;
    Some(price.value_floor(Quantity::inscriptions(1)))
}

/// Raw units in a bundle, where it is fixed.
pub(super) const fn bundle_size(sub: &SubCollection) -> Option<AsString<u128>> {
    match sub.bundle {
        Bundle::Fixed(quantity) => Some(AsString(quantity.raw)),
        Bundle::Open => None,
    }
}

/// The least raw amount whose share of an offer's principal is `part`, as pledged by a borrower who takes `part`.
pub(super) fn raw_for(offer: &Offer, part: Sats) -> AsString<u128> {
    let (raw, part) = (offer.quantity().raw, u128::from(part.get()));
    let principal = u128::from(offer.principal.get().max(1));
    // In two steps, so that nothing exceeds 128 bits: a part is at most the whole, and both fit in 51 bits.
    let whole = (raw / principal).saturating_mul(part);
    AsString(whole.saturating_add((raw % principal * part).div_ceil(principal)))
}

/// The amounts that can be pledged for an offer that is taken in parts; `None` for one that is taken as a whole.
pub(super) fn range(sub: &SubCollection, offer: &Offer) -> Option<OfferRange> {
    (sub.bundle == Bundle::Open)
        .then(|| OfferRange { from: raw_for(offer, offer.smallest_take), to: raw_for(offer, offer.takeable()) })
}
