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

impl LoanTerms {
    /// The interest per day of these terms and of others, both in the same unit.
    #[must_use]
    pub fn interest_a_day_with(self, other: Self) -> (u64, u64) {
        let scaled = |terms: Self, days: TermDays| u64::from(terms.interest.basis_points()) * u64::from(days.0);
        (scaled(self, other.days), scaled(other, self.days))
    }

    /// The part of the interest per day that `next` saves, in basis points rounded toward zero: negative where it costs
    /// more, and zero where there is no interest to save.
    #[must_use]
    pub fn saved_by(self, next: Self) -> i64 {
        let (now, next) = self.interest_a_day_with(next);
        let saved = (i128::from(now) - i128::from(next)) * 10_000;
        saved.checked_div(i128::from(now)).and_then(|saved| i64::try_from(saved).ok()).unwrap_or(0)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(basis_points: u32, days: u16) -> LoanTerms {
        LoanTerms { interest: InterestRate::from_basis_points(basis_points), days: TermDays(days) }
    }

    #[test]
    fn interest_is_compared_per_day_whatever_the_terms() {
        assert_eq!(terms(150, 7).saved_by(terms(100, 7)), 3_333);
        assert_eq!(terms(140, 14).saved_by(terms(70, 7)), 0);
        assert_eq!(terms(100, 7).saved_by(terms(100, 14)), 5_000);
        assert_eq!(terms(100, 10).saved_by(terms(150, 10)), -5_000, "it costs more");
        assert_eq!(terms(0, 7).saved_by(terms(100, 7)), 0, "there is nothing to save");
        assert_eq!(terms(u32::MAX, u16::MAX).saved_by(terms(0, 1)), 10_000);
        assert_eq!(terms(1, u16::MAX).saved_by(terms(u32::MAX, 1)), -2_814_706_816_778_240_000, "far from its limits");
    }
}
