//! The annual percentage rate of one payment that is paid back with another.

use domain::{Sats, TermDays};
use num_traits::ToPrimitive as _;

use super::Percent;

/// The days of a year, as Annex I of Directive 2008/48/EC counts them.
const YEAR_DAYS: f64 = 365.0;

impl Percent {
    /// The maximum annual rate that is stated, 99,999 %: a higher one is only stated to exceed it.
    pub const ANNUAL_RATE_MAX: Self = Self::from_hundredths(9_999_900);

    /// The annual percentage rate at which `paid` now and `paid_back` after the term have the same present value; `None`
    /// if it exceeds [`Self::ANNUAL_RATE_MAX`].
    ///
    /// Annex I of Directive 2008/48/EC defines the rate X by the sum of all drawdowns and that of all payments, each
    /// divided by `(1 + X)^t`, where t is the time since the first drawdown in years of 365 days. With one of each:
    /// `paid = paid_back / (1 + X)^(days / 365)`, so that `X = (paid_back / paid)^(365 / days) - 1`. A zero term is
    /// counted as one day.
    #[must_use]
    pub fn annual_rate(paid: Sats, paid_back: Sats, term: TermDays) -> Option<Self> {
        // Below 2^53, so that no digit is lost.
        let (from, to) = (paid.get().to_f64()?, paid_back.get().to_f64()?);
        let years = f64::from(term.0.max(1)) / YEAR_DAYS;
        let rate = (((to - from) / from).ln_1p() / years).exp_m1();
        let hundredths = (rate * 10_000.0).round().to_i64()?;
        Some(Self::from_hundredths(hundredths)).filter(|rate| *rate <= Self::ANNUAL_RATE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(paid: u64, paid_back: u64, days: u16) -> Option<i64> {
        Percent::annual_rate(Sats::new(paid), Sats::new(paid_back), TermDays(days)).map(Percent::hundredths)
    }

    /// The present value of dated payments at an annual rate.
    fn present_value(payments: &[(f64, f64)], rate: f64) -> f64 {
        payments.iter().map(|(years, amount)| amount / (1.0 + rate).powf(*years)).sum()
    }

    /// The rate that makes the present value of a drawdown and its repayment zero, by bisection of the directive's
    /// equation.
    fn bisected(paid: u64, paid_back: u64, days: u16) -> f64 {
        let amount = |sats: u64| sats.to_f64().unwrap();
        let payments = [(0.0, amount(paid)), (f64::from(days) / 365.0, -amount(paid_back))];
        let (mut low, mut high) = (0.0, 1_001.0);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if present_value(&payments, middle) < 0.0 { low = middle } else { high = middle }
        }
        low
    }

    #[test]
    fn a_year_has_the_simple_rate() {
        assert_eq!(rate(1_000_000, 1_123_400, 365), Some(1_234));
        assert_eq!(rate(1_000_000, 1_000_000, 365), Some(0));
    }

    #[test]
    fn a_short_term_compounds_to_a_high_rate() {
        assert_eq!(rate(100_000, 103_000, 7), Some(36_706), "1.03^(365 / 7) = 4.670567");
        assert_eq!(rate(100_000, 103_000, 0), rate(100_000, 103_000, 1), "no term is none at all");
    }

    #[test]
    fn a_rate_above_the_maximum_is_not_stated() {
        assert_eq!(rate(100, 100_099, 365), Some(9_999_900));
        assert_eq!(rate(1_000_000, 1_000_990_100, 365), None, "a hundredth of a percent more");
        assert_eq!(rate(1_000, 2_000, 1), None);
        assert_eq!(rate(1, Sats::MAX.get(), 1), None);
        assert_eq!([rate(0, 1_000, 30), rate(0, 0, 30)], [None, None], "the fees take the whole principal");
    }

    proptest! {
        #[test]
        fn a_rate_solves_the_equation_of_the_directive(
            paid in 1_u64..=2_000_000_000,
            cost_bps in 0_u64..=20_000,
            days in 1_u16..=3_650,
        ) {
            let paid_back = paid + paid * cost_bps / 10_000;
            let exact = bisected(paid, paid_back, days) * 10_000.0;
            match rate(paid, paid_back, days) {
                Some(stated) => prop_assert!((stated.to_f64().unwrap() - exact).abs() <= 0.5001, "{stated} and {exact}"),
                None => prop_assert!(exact > 9_999_900.4, "{exact} could be stated"),
            }
        }

        #[test]
        fn a_rate_is_never_negative_and_rises_with_the_cost(
            paid in 1_u64..=2_000_000_000,
            costs in (0_u64..=1_000_000_000, 0_u64..=1_000_000_000),
            days in 1_u16..=3_650,
        ) {
            let (less, more) = (costs.0.min(costs.1), costs.0.max(costs.1));
            // A rate that is not stated is higher than any that is.
            let rate = |cost| rate(paid, paid + cost, days).unwrap_or(i64::MAX);
            prop_assert!(0 <= rate(less));
            prop_assert!(rate(less) <= rate(more));
        }

        #[test]
        fn a_year_has_the_simple_rate_of_any_cost(paid in 1_u64..=100_000_000, hundredths in 0_u64..=9_999_900) {
            let paid = paid * 10_000;
            prop_assert_eq!(rate(paid, paid + paid / 10_000 * hundredths, 365), i64::try_from(hundredths).ok());
        }
    }
}
