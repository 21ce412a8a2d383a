//! Prices as marketplaces print them.

use engine::wire::Volumes;

use crate::capability::{Quote, UpstreamError};
use crate::parsing::decimal::Decimal;

/// The decimals of a sat in a price.
const DECIMALS: u8 = 8;
/// The maximum price that is accepted: 50,000,000,000 sats.
const SCALED_MAX: u128 = 50_000_000_000 * 100_000_000;

/// Converts a price in sats to a quote; `None` for 0, which marketplaces return when nothing is listed.
pub(crate) fn quote(sats: &Decimal, volumes: Option<Volumes>) -> Result<Option<Quote>, UpstreamError> {
    if sats.scaled(0) == Some(0) {
        return Ok(None);
    }
    let scaled = sats.scaled_floor(DECIMALS).filter(|scaled| (1..=SCALED_MAX).contains(scaled));
    match scaled.and_then(|scaled| u64::try_from(scaled).ok()) {
        Some(price_scaled) => Ok(Some(Quote { price_scaled, volumes })),
        None => Err(UpstreamError::invalid_response("a price beyond bounds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_accepted_within_bounds() {
        let scaled = |text| quote(&Decimal::parse(text).unwrap(), None).map(|quote| quote.map(|it| it.price_scaled));
        assert_eq!(scaled("0"), Ok(None));
        assert_eq!(scaled("0.000"), Ok(None));
        assert_eq!(scaled("68999.9909090909"), Ok(Some(6_899_999_090_909)));
        assert_eq!(scaled("50000000000"), Ok(Some(5_000_000_000_000_000_000)));
        for wrong in ["0.000000001", "50000000000.1", "1e30"] {
            assert!(scaled(wrong).is_err(), "{wrong}");
        }
    }
}
