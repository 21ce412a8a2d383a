//! How much collateral stands behind an offer.

use serde::{Deserialize, Serialize};

/// An amount of collateral in raw units: inscriptions (no decimals), or a token's smallest unit.
///
/// Runes allow up to 38 decimals and BRC-20 up to 18, so the raw amount needs 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Quantity {
    /// Smallest units. Never zero in an offer.
    pub raw: u128,
    /// Decimals of the token; 0 for inscriptions.
    pub decimals: u8,
}

impl Quantity {
    /// The most decimals that any collateral has (runes protocol).
    pub const DECIMALS_MAX: u8 = 38;

    /// `count` inscriptions.
    #[must_use]
    pub const fn inscriptions(count: u32) -> Self {
        // Widening; `u128::from` is not const.
        #[expect(clippy::as_conversions, reason = "widening in a const fn")]
        Self { raw: count as u128, decimals: 0 }
    }

    /// `raw` smallest units of a token with `decimals` decimals.
    #[must_use]
    pub const fn tokens(raw: u128, decimals: u8) -> Self {
        Self { raw, decimals }
    }

    /// Smallest units in one whole token, or `None` beyond [`Self::DECIMALS_MAX`].
    #[must_use]
    pub fn raw_per_whole(self) -> Option<u128> {
        10_u128.checked_pow(u32::from(self.decimals))
    }
}
