//! Amounts of bitcoin.

use std::{fmt, iter::Sum};

use serde::{Deserialize, Serialize};

/// An amount in satoshis; 1 BTC = 100,000,000 sats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sats(u64);

impl Sats {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// The maximum supply of bitcoin; no valid amount exceeds it.
    pub const MAX: Self = Self(2_100_000_000_000_000);
    /// One bitcoin.
    pub const ONE_BTC: Self = Self(100_000_000);

    /// Returns an amount of `sats` satoshis.
    #[must_use]
    pub const fn new(sats: u64) -> Self {
        Self(sats)
    }

    /// The number of satoshis.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum, unless it exceeds [`Sats::MAX`].
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self).filter(|sum| *sum <= Self::MAX)
    }

    /// The difference, unless it is negative.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The difference, or zero where it would be negative.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The sum, saturating at `u64::MAX`; for totals that are only displayed.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Sats {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::saturating_add)
    }
}

/// Displays BTC with eight decimals, as used in error messages.
impl fmt::Display for Sats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = Self::ONE_BTC.0;
        write!(f, "{}.{:08}", self.0 / one, self.0 % one)
    }
}
