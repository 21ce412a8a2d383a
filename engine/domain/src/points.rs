//! Points for lending and borrowing: 10,000 for every 0.1 BTC.

use std::{fmt, iter::Sum};

use serde::{Deserialize, Serialize};

use crate::Sats;

/// The sats of principal for one point in a collection without extra points: 0.1 BTC for 10,000 points.
const SATS_PER_POINT: u64 = 1_000;

/// The points of one user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Points(u64);

/// The points that one loan earns its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoanPoints {
    /// The lender's points, all granted when the loan starts.
    pub lender: Points,
    /// The borrower's points at the start of the loan: half of the lender's, rounded down.
    pub borrower_at_start: Points,
    /// The borrower's points at repayment: the remainder. A loan that is not repaid earns none.
    pub borrower_at_repayment: Points,
}

impl Points {
    /// No points.
    pub const ZERO: Self = Self(0);

    /// Returns `points` points.
    #[must_use]
    pub const fn new(points: u64) -> Self {
        Self(points)
    }

    /// The number of points.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum, unless it exceeds `u64`.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The sum, saturating at `u64::MAX`; for totals that are only displayed.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Self::saturating_add)
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl LoanPoints {
    /// The points for a loan of `principal` in a collection with `multiplier_percent` percent of extra points, rounded
    /// down once.
    #[must_use]
    pub fn of(principal: Sats, multiplier_percent: u16) -> Self {
        let scale = SATS_PER_POINT * 100;
        let factor = 100 + u64::from(multiplier_percent);
        // The factor is below the scale, so neither part nor their sum can exceed the principal.
        let (whole, rest) = (principal.get() / scale, principal.get() % scale);
        let points = whole * factor + rest * factor / scale;
        let half = points / 2;
        Self { lender: Points(points), borrower_at_start: Points(half), borrower_at_repayment: Points(points - half) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tenth_of_a_bitcoin_earns_ten_thousand_and_the_multiplier_adds_percent() {
        let points = |multiplier| LoanPoints::of(Sats::new(10_000_000), multiplier);
        let plain = points(0);
        assert_eq!(plain.lender, Points::new(10_000));
        assert_eq!((plain.borrower_at_start, plain.borrower_at_repayment), (Points::new(5_000), Points::new(5_000)));
        assert_eq!(points(25).lender, Points::new(12_500));
        assert_eq!(LoanPoints::of(Sats::new(999), 0).lender, Points::ZERO);
        let odd = LoanPoints::of(Sats::new(3_999), 0);
        assert_eq!((odd.borrower_at_start, odd.borrower_at_repayment), (Points::new(1), Points::new(2)));
    }

    #[test]
    fn a_sum_that_overflows_is_detected() {
        assert_eq!(Points::new(u64::MAX).checked_add(Points::new(1)), None);
        assert_eq!(Points::new(1).checked_add(Points::new(2)), Some(Points::new(3)));
        assert_eq!([Points::new(u64::MAX), Points::new(1)].into_iter().sum::<Points>(), Points::new(u64::MAX));
    }

    proptest! {
        #[test]
        fn points_are_the_exact_share_rounded_down_and_both_sides_earn_the_same(
            principal in any::<u64>(), multiplier in any::<u16>()
        ) {
            let points = LoanPoints::of(Sats::new(principal), multiplier);
            let exact = u128::from(principal) * (100 + u128::from(multiplier)) / 100_000;
            prop_assert_eq!(u128::from(points.lender.get()), exact);
            prop_assert_eq!(points.borrower_at_start.checked_add(points.borrower_at_repayment), Some(points.lender));
            prop_assert!(points.borrower_at_start <= points.borrower_at_repayment);
        }

        #[test]
        fn splitting_a_loan_earns_no_more(one in 0..=u64::MAX / 2, other in 0..=u64::MAX / 2, multiplier in any::<u16>()) {
            let lender = |sats| LoanPoints::of(Sats::new(sats), multiplier).lender.get();
            prop_assert!(lender(one) + lender(other) <= lender(one + other));
        }
    }
}
