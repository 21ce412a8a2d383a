//! Loan terms and points in time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::InterestRate;

/// The milliseconds of a day.
pub const DAY_MS: u64 = 86_400_000;

/// A loan term in days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TermDays(pub u16);

impl TermDays {
    /// The term where a listing names none.
    pub const DEFAULT: Self = Self(30);
    /// The longest term that an operator can offer or allow, ten years.
    pub const MAX: Self = Self(3_650);

    /// Its milliseconds.
    #[must_use]
    pub fn ms(self) -> u64 {
        u64::from(self.0) * DAY_MS
    }
}

impl fmt::Display for TermDays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The interest and the term of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanTerms {
    /// The interest for the whole term.
    pub interest: InterestRate,
    /// The days until the loan is due.
    pub days: TermDays,
}

/// A point in time in milliseconds since 1970. Always passed in: the domain has no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMs(pub u64);

impl UnixMs {
    /// This time plus `ms` milliseconds, saturating.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// This time minus `ms` milliseconds, saturating.
    #[must_use]
    pub const fn minus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_sub(ms))
    }

    /// The number of its UTC day since 1970.
    #[must_use]
    pub const fn day(self) -> u64 {
        self.0 / DAY_MS
    }

    /// Whole seconds since 1970, rounded down.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0 / 1_000
    }
}
