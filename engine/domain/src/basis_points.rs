//! Ratios in hundredths of a percent: loan-to-value and interest.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Sats;

/// A loan-to-value ratio in basis points: 98 % is 9,800, the form in which signed messages carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ltv(u32);

/// Interest for a whole term in basis points of the principal: 3.25 % is 325.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InterestRate(u32);

impl Ltv {
    /// The maximum LTV of an offer at creation: 98 %.
    pub const CEILING: Self = Self(9_800);

    /// Returns a ratio of `basis_points` hundredths of a percent.
    #[must_use]
    pub const fn from_basis_points(basis_points: u32) -> Self {
        Self(basis_points)
    }

    /// The ratio in hundredths of a percent.
    #[must_use]
    pub const fn basis_points(self) -> u32 {
        self.0
    }
}

impl InterestRate {
    /// Returns a rate of `basis_points` hundredths of a percent for the whole term.
    #[must_use]
    pub const fn from_basis_points(basis_points: u32) -> Self {
        Self(basis_points)
    }

    /// The rate in hundredths of a percent.
    #[must_use]
    pub const fn basis_points(self) -> u32 {
        self.0
    }
}

impl InterestRate {
    /// The interest on a principal, rounded up in the lender's favour; `None` on overflow.
    #[must_use]
    pub fn of(self, principal: Sats) -> Option<Sats> {
        let interest = (u128::from(principal.get()) * u128::from(self.0)).div_ceil(10_000);
        u64::try_from(interest).ok().map(Sats::new)
    }
}

/// Writes hundredths as a percentage without trailing zeros: 325 is `3.25`, 9,800 is `98`.
fn write_percent(f: &mut fmt::Formatter<'_>, hundredths: u32) -> fmt::Result {
    match (hundredths / 100, hundredths % 100) {
        (whole, 0) => write!(f, "{whole}"),
        (whole, rest) if rest % 10 == 0 => write!(f, "{whole}.{}", rest / 10),
        (whole, rest) => write!(f, "{whole}.{rest:02}"),
    }
}

impl fmt::Display for Ltv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_percent(f, self.0)
    }
}

impl fmt::Display for InterestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_percent(f, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_drop_trailing_zeros() {
        for (hundredths, shown) in [(9_800, "98"), (325, "3.25"), (310, "3.1"), (5, "0.05"), (0, "0")] {
            assert_eq!(Ltv::from_basis_points(hundredths).to_string(), shown);
            assert_eq!(InterestRate::from_basis_points(hundredths).to_string(), shown);
        }
    }
}
