//! Pegs: offers whose principal follows the floor.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Ltv, Quantity, RequestId, Sats, UnitPrice};

/// The bounds within which the principal of an offer follows the floor, as its lender set them.
///
/// The principal moves in steps from `min` to `max`: it is the largest one whose LTV is within `ltv`. Below the price at
/// which `min` is within it the offer is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peg {
    /// The share of the collateral's value that is lent.
    pub ltv: Ltv,
    /// The least principal.
    pub min: Sats,
    /// The largest principal.
    pub max: Sats,
    /// The collateral.
    pub quantity: Quantity,
}

/// A refusal of bounds within which a principal was to follow the floor; the book is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PegRejection {
    /// A request asks for a certain principal.
    #[error("an offer that follows the floor cannot fill a request")]
    Fill(RequestId),
    /// A principal cannot follow the floor where borrowers may take a part.
    #[error("a part can be taken here: the principal cannot follow the floor")]
    OpenBundle,
    /// The least principal is above the largest one.
    #[error("the least principal is above the largest one")]
    AboveMax {
        /// The largest principal.
        max: Sats,
    },
}

/// The principal of a pegged offer at a price, and the prices at which it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PegLevel {
    /// The principal.
    pub principal: Sats,
    /// Whether the price is too low for the least principal, so that the offer is paused.
    pub is_below: bool,
    /// The price below which the principal is less, or the offer is paused; `None` while it is.
    pub falls_below: Option<UnitPrice>,
    /// The price from which the principal is more, or the offer open again; `None` at the largest one.
    pub rises_at: Option<UnitPrice>,
}

impl Peg {
    /// The smallest step, in sats.
    const STEP_UNIT: u64 = 1_000;
    /// The largest number of steps from the least to the largest principal.
    const STEPS_MAX: u64 = 100;

    /// The step by which the principal moves: a hundredth of the range, in whole thousands of sats.
    #[must_use]
    pub const fn step(&self) -> Sats {
        let range = self.max.get().saturating_sub(self.min.get());
        let units = range.div_ceil(Self::STEPS_MAX * Self::STEP_UNIT);
        Sats::new(if units == 0 { Self::STEP_UNIT } else { units * Self::STEP_UNIT })
    }

    /// The lowest price at which a principal is lent.
    #[must_use]
    pub fn lent_from(&self, principal: Sats) -> UnitPrice {
        UnitPrice::quoted(principal, self.quantity).pauses_below(self.ltv)
    }

    /// The principal at a price.
    #[must_use]
    pub fn at(&self, price: UnitPrice) -> PegLevel {
        let value = u128::from(price.value_floor(self.quantity).get()) * u128::from(self.ltv.basis_points()) / 10_000;
        let share = u64::try_from(value).unwrap_or(u64::MAX);
        // Rounding moves the exact level by a step at most.
        let mut principal = self.level_within(Sats::new(share));
        let mut lent_from = self.lent_from(principal);
        while price < lent_from && principal > self.min {
            principal = self.below(principal);
            lent_from = self.lent_from(principal);
        }
        loop {
            let above = self.above(principal);
            let rises_at = above.map(|above| self.lent_from(above));
            if let Some((above, from)) = above.zip(rises_at).filter(|(_, from)| *from <= price) {
                (principal, lent_from) = (above, from);
                continue;
            }
            let is_below = price < lent_from;
            return PegLevel {
                principal,
                is_below,
                falls_below: (!is_below).then_some(lent_from),
                rises_at: if is_below { Some(lent_from) } else { rises_at },
            };
        }
    }

    /// The largest level that is at most `share`, at least the least one.
    fn level_within(&self, share: Sats) -> Sats {
        if share >= self.max {
            return self.max;
        }
        let steps = share.get().saturating_sub(self.min.get()) / self.step().get();
        Sats::new(self.min.get().saturating_add(steps * self.step().get()))
    }

    /// The next level; `None` above the largest one.
    fn above(&self, level: Sats) -> Option<Sats> {
        (level < self.max).then(|| level.saturating_add(self.step()).min(self.max))
    }

    /// The level before; the least one is before itself.
    fn below(&self, level: Sats) -> Sats {
        self.level_within(level.saturating_sub(Sats::new(1)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn peg(ltv: u32, min: u64, max: u64, quantity: Quantity) -> Peg {
        Peg { ltv: Ltv::from_basis_points(ltv), min: Sats::new(min), max: Sats::new(max), quantity }
    }

    #[test]
    fn the_principal_is_a_share_of_the_floor_within_its_bounds() {
        let peg = peg(6_000, 300_000, 500_000, Quantity::inscriptions(1));
        assert_eq!(peg.step(), Sats::new(2_000));
        let at = |sats: u64| {
            let level = peg.at(UnitPrice::from_sats(Sats::new(sats)).unwrap());
            (level.principal.get(), level.is_below)
        };
        assert_eq!(at(1_000_000), (500_000, false));
        assert_eq!(at(700_000), (420_000, false));
        assert_eq!(at(699_999), (418_000, false), "a sat less lends a step less");
        assert_eq!(at(500_000), (300_000, false));
        assert_eq!(at(499_999), (300_000, true));
        assert_eq!(at(1), (300_000, true));
    }

    #[test]
    fn a_range_of_one_level_only_pauses() {
        let peg = peg(5_000, 40_000, 40_000, Quantity::inscriptions(1));
        let level = peg.at(UnitPrice::from_sats(Sats::new(80_000)).unwrap());
        assert_eq!((level.principal.get(), level.is_below, level.rises_at), (40_000, false, None));
    }

    proptest! {
        /// The definition: of all levels from the least to the largest, the largest one within the LTV.
        #[test]
        fn it_is_the_largest_level_within_the_ltv(
            ltv in 1_u32..=9_800, min in 20_000_u64..5_000_000, range in 0_u64..20_000_000, price in 1_u64..,
            raw in 1_u128..10_000_000_000, decimals in 0_u8..9, is_one in any::<bool>(),
        ) {
            let quantity = if is_one { Quantity::inscriptions(1) } else { Quantity::tokens(raw, decimals) };
            let (peg, price) = (peg(ltv, min, min + range, quantity), UnitPrice::from_scaled(price));
            let mut levels: Vec<u64> =
                (0..=100).map(|step| (min + step * peg.step().get()).min(min + range)).collect();
            levels.dedup();
            prop_assert_eq!(levels.last().copied(), Some(min + range));
            let is_within = |level: &u64| price.ltv_of(UnitPrice::quoted(Sats::new(*level), quantity)) <= peg.ltv;
            let expected = levels.iter().rev().find(|level| is_within(level));
            let found = peg.at(price);
            prop_assert_eq!(found.principal.get(), expected.copied().unwrap_or(min));
            prop_assert_eq!(found.is_below, expected.is_none());
            // Nothing changes until one of the two prices is reached, and then it does.
            let known = (found.principal, found.is_below);
            let moved = |at: UnitPrice| { let level = peg.at(at); (level.principal, level.is_below) };
            if let Some(falls) = found.falls_below {
                prop_assert!(falls <= price);
                prop_assert_eq!(moved(falls), known);
                prop_assert!(falls.scaled() == 0 || moved(UnitPrice::from_scaled(falls.scaled() - 1)) != known);
            }
            if let Some(rises) = found.rises_at {
                prop_assert!(rises > price);
                prop_assert_eq!(moved(UnitPrice::from_scaled(rises.scaled() - 1)), known);
                prop_assert!(rises.scaled() == u64::MAX || moved(rises) != known);
            }
        }
    }
}
