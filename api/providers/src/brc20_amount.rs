//! Amounts of BRC-20 as upstreams print them.

use crate::exact::Exact;

/// Decimals of raw units, for every ticker.
const DECIMALS: u8 = 18;

/// Raw units of a number of whole tokens; `None` for more than there can be, or less than one unit.
pub(crate) fn raw(whole: &Exact) -> Option<u128> {
    whole.scaled(DECIMALS)
}
