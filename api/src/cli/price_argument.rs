//! A price on the command line.

use domain::UnitPrice;
use escrow::decimal;

use crate::number::grouped;

/// The decimals of a price in sats.
pub(super) const DECIMALS: u8 = 8;

/// Parses a price in sats per whole unit.
pub(super) fn parse(text: &str) -> Result<UnitPrice, String> {
    let scaled = decimal::parse_scaled(text, DECIMALS).and_then(|scaled| u64::try_from(scaled).ok());
    let price = scaled.map(UnitPrice::from_scaled).filter(|price| price.scaled() > 0 && *price <= UnitPrice::MAX);
    price.ok_or_else(|| {
        let max = UnitPrice::MAX.scaled() / UnitPrice::ONE_SAT;
        format!("expected sats above 0 and up to {}, with at most {DECIMALS} decimals", grouped(max))
    })
}
