//! Conversion of BRC-20 amounts as upstreams print them.

use crate::parsing::decimal::Decimal;

/// The decimals of raw units, for every ticker.
const DECIMALS: u8 = 18;

/// Converts whole tokens to raw units; `None` for more than the maximum, or a fraction of a unit.
pub(crate) fn raw(whole: &Decimal) -> Option<u128> {
    whole.scaled(DECIMALS)
}
