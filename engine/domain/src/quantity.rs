//! Amounts of collateral.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Inscription;

/// An amount of collateral in raw units: inscriptions (no decimals), or a token's smallest unit.
///
/// Runes allow up to 38 decimals and BRC-20 up to 18, so the raw amount needs 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Quantity {
    /// The smallest units. Never zero in an offer.
    pub raw: u128,
    /// The decimals of the token; 0 for inscriptions.
    pub decimals: u8,
}

/// Displays whole tokens, exactly and without trailing zeros.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An amount with more decimals than allowed is displayed in raw units.
        let unit = self.raw_per_whole().unwrap_or(1);
        let (whole, part) = (self.raw / unit, self.raw % unit);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{part:0width$}", width = usize::from(self.decimals));
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl Quantity {
    /// The maximum number of decimals of any collateral (runes protocol).
    pub const DECIMALS_MAX: u8 = 38;

    /// Returns `count` inscriptions.
    #[must_use]
    pub const fn inscriptions(count: u32) -> Self {
        // A widening cast; `u128::from` is not const.
        #[expect(clippy::as_conversions, reason = "widening in a const fn")]
        Self { raw: count as u128, decimals: 0 }
    }

    /// The most inscriptions that one loan is secured by.
    pub const INSCRIPTIONS_MAX: usize = 20;

    /// Returns the quantity of these inscriptions; `None` unless they are 1 to [`Self::INSCRIPTIONS_MAX`], ascending and
    /// each once.
    #[must_use]
    pub fn of_inscriptions(inscriptions: &[Inscription]) -> Option<Self> {
        let is_set = inscriptions.is_sorted_by(|one, next| one < next);
        let count = u32::try_from(inscriptions.len()).ok()?;
        let is_bounded = (1..=Self::INSCRIPTIONS_MAX).contains(&inscriptions.len());
        (is_set && is_bounded).then(|| Self::inscriptions(count))
    }

    /// Returns `raw` smallest units of a token with `decimals` decimals.
    #[must_use]
    pub const fn tokens(raw: u128, decimals: u8) -> Self {
        Self { raw, decimals }
    }

    /// The number of smallest units in one whole token; `None` beyond [`Self::DECIMALS_MAX`].
    #[must_use]
    pub fn raw_per_whole(self) -> Option<u128> {
        10_u128.checked_pow(u32::from(self.decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_shown_in_whole_tokens() {
        for (raw, decimals, text) in [
            (0, 0, "0"),
            (7, 0, "7"),
            (7, 2, "0.07"),
            (70, 2, "0.7"),
            (1_500, 2, "15"),
            (1_505, 2, "15.05"),
            (1, 38, "0.00000000000000000000000000000000000001"),
            (u128::MAX, 38, "3.40282366920938463463374607431768211455"),
        ] {
            assert_eq!(Quantity::tokens(raw, decimals).to_string(), text);
        }
    }
}
