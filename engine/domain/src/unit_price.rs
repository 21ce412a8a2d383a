//! Prices of collateral.

use std::fmt;

use ethnum::U256;
use serde::{Deserialize, Serialize};

use crate::{Ltv, Quantity, Sats};

/// Sats per whole unit of collateral, times 10^8.
///
/// A whole unit is one inscription or one whole token; runes and BRC-20 tokens often cost far less than one sat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnitPrice(u64);

impl UnitPrice {
    /// One sat per whole unit.
    pub const ONE_SAT: u64 = 100_000_000;
    /// The highest accepted floor price, 50,000,000,000 sats.
    pub const MAX: Self = Self(50_000_000_000 * Self::ONE_SAT);

    /// Returns a price of `scaled` hundred-millionths of a sat per whole unit.
    #[must_use]
    pub const fn from_scaled(scaled: u64) -> Self {
        Self(scaled)
    }

    /// Returns a price of whole sats per unit, or `None` beyond [`Self::MAX`].
    #[must_use]
    pub fn from_sats(sats: Sats) -> Option<Self> {
        sats.get().checked_mul(Self::ONE_SAT).map(Self).filter(|price| *price <= Self::MAX)
    }

    /// The price in hundred-millionths of a sat per whole unit.
    #[must_use]
    pub const fn scaled(self) -> u64 {
        self.0
    }

    /// The value of `quantity` at this price, rounded down: collateral is never valued above the market.
    #[must_use]
    pub fn value_floor(self, quantity: Quantity) -> Sats {
        let scaled = U256::from(self.0) * U256::from(quantity.raw);
        let per_sat = U256::from(quantity.raw_per_whole().unwrap_or(u128::MAX)) * U256::from(Self::ONE_SAT);
        Sats::new(saturated(scaled / per_sat))
    }

    /// A lender's quote: `principal` per whole unit of the collateral, rounded up so that the LTV is never understated.
    ///
    /// Saturates on overflow; an empty quantity yields the maximum price.
    #[must_use]
    pub fn quoted(principal: Sats, quantity: Quantity) -> Self {
        if let Quantity { raw: 1, decimals: 0 } = quantity
            && let Some(scaled) = principal.get().checked_mul(Self::ONE_SAT)
        {
            // One inscription, the most common collateral, needs no division.
            return Self(scaled);
        }
        let Some(per_whole) = quantity.raw_per_whole().filter(|_| quantity.raw > 0) else { return Self(u64::MAX) };
        let scaled = u128::from(principal.get()) * u128::from(Self::ONE_SAT);
        if let Some(total) = scaled.checked_mul(per_whole) {
            return Self(u64::try_from(div_ceil(total, quantity.raw)).unwrap_or(u64::MAX));
        }
        let total = U256::from(principal.get()) * U256::from(Self::ONE_SAT) * U256::from(per_whole);
        let raw = U256::from(quantity.raw);
        Self(saturated((total + raw - U256::ONE) / raw))
    }

    /// The LTV of a quote at this market price, rounded up; saturates when the price is zero.
    #[must_use]
    pub fn ltv_of(self, quote: Self) -> Ltv {
        if self.0 == 0 {
            return Ltv::from_basis_points(u32::MAX);
        }
        let ratio = div_ceil(u128::from(quote.0) * 10_000, u128::from(self.0));
        Ltv::from_basis_points(u32::try_from(ratio).unwrap_or(u32::MAX))
    }

    /// The lowest market price at which this quote is within `cap`: below it the offer pauses.
    ///
    /// `market.ltv_of(quote) <= cap` holds exactly when `market >= quote.pauses_below(cap)`.
    #[must_use]
    pub fn pauses_below(self, cap: Ltv) -> Self {
        let cap = u64::from(cap.basis_points());
        if cap == 0 {
            return Self(u64::MAX);
        }
        let threshold = div_ceil(u128::from(self.0) * 10_000, u128::from(cap));
        Self(u64::try_from(threshold).unwrap_or(u64::MAX))
    }
}

/// Division rounded up; in 64 bits where both numbers fit, which is nearly always and many times faster.
fn div_ceil(dividend: u128, divisor: u128) -> u128 {
    match (u64::try_from(dividend), u64::try_from(divisor)) {
        (Ok(dividend), Ok(divisor)) => u128::from(dividend.div_ceil(divisor)),
        _ => dividend.div_ceil(divisor),
    }
}

fn saturated(value: U256) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// Displays sats per whole unit with all eight decimals.
impl fmt::Display for UnitPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:08}", self.0 / Self::ONE_SAT, self.0 % Self::ONE_SAT)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_rune_worth_less_than_a_sat_has_a_value() {
        let price = UnitPrice::from_scaled(8_300_000); // 0.083 sats a token
        assert_eq!(price.value_floor(Quantity::tokens(10_000_000_000, 2)), Sats::new(8_300_000));
    }

    #[test]
    fn the_largest_amounts_do_not_overflow() {
        let everything = Quantity::tokens(u128::MAX, Quantity::DECIMALS_MAX);
        assert_eq!(UnitPrice::MAX.value_floor(everything), Sats::new(170_141_183_460));
        assert_eq!(UnitPrice::quoted(Sats::MAX, Quantity::tokens(1, 38)), UnitPrice(u64::MAX));
        assert_eq!(UnitPrice::quoted(Sats::MAX, Quantity::tokens(0, 0)), UnitPrice(u64::MAX));
    }

    proptest! {
        #[test]
        fn an_offer_pauses_exactly_when_its_ltv_exceeds_the_cap(quote in 1_u64.., price in 1_u64.., cap in 1_u32..=9_800) {
            let (quote, price, cap) = (UnitPrice(quote), UnitPrice(price), Ltv::from_basis_points(cap));
            let threshold = quote.pauses_below(cap);
            prop_assume!(threshold.0 < u64::MAX);
            prop_assert_eq!(price.ltv_of(quote) <= cap, price >= threshold);
            prop_assert!(threshold.ltv_of(quote) <= cap);
            prop_assert!(UnitPrice(threshold.0 - 1).ltv_of(quote) > cap);
        }

        #[test]
        fn narrow_and_wide_arithmetic_agree(principal in 0_u64..=2_000_000_000, raw in 1_u128..u128::from(u64::MAX), decimals in 0_u8..=10) {
            let quantity = Quantity::tokens(raw, decimals);
            let wide = {
                let total = U256::from(principal) * U256::from(UnitPrice::ONE_SAT) * U256::from(quantity.raw_per_whole().unwrap());
                saturated((total + U256::from(raw) - U256::ONE) / U256::from(raw))
            };
            prop_assert_eq!(UnitPrice::quoted(Sats::new(principal), quantity).scaled(), wide);
        }
    }
}
