//! Percentages.

use domain::{InterestRate, Ltv, TermDays, UnitPrice};
use num_traits::ToPrimitive as _;
use serde::{Serialize, Serializer};

/// A percentage in hundredths, signed; on the wire a number with at most two decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(i64);

impl Percent {
    /// The maximum, a trillion percent: beyond it a yield carries no information.
    const HUNDREDTHS_MAX: i64 = 100_000_000_000_000;

    /// Returns a percentage of `hundredths` hundredths of a percent.
    #[must_use]
    pub const fn from_hundredths(hundredths: i64) -> Self {
        Self(hundredths)
    }

    /// The percentage in hundredths of a percent.
    #[must_use]
    pub const fn hundredths(self) -> i64 {
        self.0
    }

    /// The change from `from` to `to`, rounded towards zero; `None` if `from` is zero.
    #[must_use]
    pub fn change(from: UnitPrice, to: UnitPrice) -> Option<Self> {
        let (from, to) = (i128::from(from.scaled()), i128::from(to.scaled()));
        let change = ((to - from) * 10_000).checked_div(from)?;
        Some(Self(i64::try_from(change).unwrap_or(Self::HUNDREDTHS_MAX).min(Self::HUNDREDTHS_MAX)))
    }

    /// The compound yearly yield of repeated loans: `((1 + i)^(365 / days) - 1)`, by which lenders compare terms.
    #[must_use]
    pub fn apy(interest: InterestRate, term: TermDays) -> Self {
        let rate = f64::from(interest.basis_points()) / 10_000.0;
        let turns_a_year = 365.0 / f64::from(term.0.max(1));
        let hundredths = ((1.0 + rate).powf(turns_a_year) - 1.0) * 10_000.0;
        // Too large a number for an integer, such as infinity, yields the maximum.
        let whole = hundredths.round_ties_even().to_i64().unwrap_or(Self::HUNDREDTHS_MAX);
        Self(whole.min(Self::HUNDREDTHS_MAX))
    }
}

impl From<Ltv> for Percent {
    fn from(ltv: Ltv) -> Self {
        Self(i64::from(ltv.basis_points()))
    }
}

impl From<InterestRate> for Percent {
    fn from(rate: InterestRate) -> Self {
        Self(i64::from(rate.basis_points()))
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i32::try_from(self.0) {
            Ok(hundredths) if hundredths % 100 != 0 => serializer.serialize_f64(f64::from(hundredths) / 100.0),
            // Whole percentages, and those beyond twenty million, are integers.
            _ => serializer.serialize_i64(self.0 / 100),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json(percent: Percent) -> String {
        serde_json::to_string(&percent).unwrap()
    }

    #[test]
    fn a_percentage_is_written_with_at_most_two_decimals() {
        assert_eq!(json(Percent::from_hundredths(9_800)), "98");
        assert_eq!(json(Percent::from_hundredths(6_120)), "61.2");
        assert_eq!(json(Percent::from_hundredths(-325)), "-3.25");
        assert_eq!(json(Percent::from_hundredths(i64::MAX)), (i64::MAX / 100).to_string());
    }

    #[test]
    fn a_yield_compounds_over_the_year() {
        let apy = |interest, days| Percent::apy(InterestRate::from_basis_points(interest), TermDays(days)).hundredths();
        assert_eq!(apy(1_000, 365), 1_000);
        assert_eq!(apy(0, 7), 0);
        assert_eq!(apy(100, 30), 1_287); // 1.01^12.1667 = 1.12871
        assert_eq!(apy(10_000, 0), Percent::HUNDREDTHS_MAX);
    }

    /// A natural number of any size times a factor, the lowest digit first.
    fn product(number: &[u32], factor: u64) -> Vec<u32> {
        let (mut digits, mut carry) = (Vec::new(), 0_u128);
        for digit in number {
            let sum = u128::from(*digit) * u128::from(factor) + carry;
            digits.push(u32::try_from(sum & 0xffff_ffff).unwrap());
            carry = sum >> 32;
        }
        while carry > 0 {
            digits.push(u32::try_from(carry & 0xffff_ffff).unwrap());
            carry >>= 32;
        }
        digits
    }

    /// `one^a * other^b`, the highest digit first and preceded by their count, so that two of them can be compared.
    fn powers(one: u64, a: u32, other: u64, b: u32) -> (usize, Vec<u32>) {
        let number = (0..a).fold(vec![1], |number, _| product(&number, one));
        let mut number = (0..b).fold(number, |number, _| product(&number, other));
        number.reverse();
        (number.len(), number)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Compared with integers of any size: `apy^days` equals `(1 + i)^365` to a hundredth of a percent.
        #[test]
        fn a_yield_is_right_to_a_hundredth_of_a_percent(interest in 0_u32..=2_000, days in 3_u16..=730) {
            let apy = Percent::apy(InterestRate::from_basis_points(interest), TermDays(days)).hundredths();
            prop_assume!(apy < 1_000_000_000);
            let (apy, turns) = (u64::try_from(apy).unwrap(), u32::from(days));
            let exact = powers(10_000 + u64::from(interest), 365, 10_000, turns);
            prop_assert!(powers(10_000 + apy - apy.min(1), turns, 10_000, 365) <= exact);
            prop_assert!(exact <= powers(10_001 + apy, turns, 10_000, 365));
        }
    }

    /// One golden file for the server and the web app, which has the same function.
    #[test]
    fn the_web_app_rounds_yields_to_the_same_hundredths() {
        let golden: Vec<serde_json::Value> = serde_json::from_str(include_str!("apy.golden.json")).unwrap();
        assert!(golden.len() > 10);
        for row in golden {
            let number = |name: &str| row[name].as_u64().unwrap();
            let interest = InterestRate::from_basis_points(number("interestBasisPoints").try_into().unwrap());
            let term = TermDays(number("termDays").try_into().unwrap());
            assert_eq!(
                u64::try_from(Percent::apy(interest, term).hundredths()).unwrap(),
                number("apyHundredths"),
                "{row}"
            );
        }
    }

    #[test]
    fn a_change_is_signed_and_undefined_from_nothing() {
        let price = UnitPrice::from_scaled;
        assert_eq!(Percent::change(price(200), price(150)), Some(Percent(-2_500)));
        assert_eq!(Percent::change(price(200), price(250)), Some(Percent(2_500)));
        assert_eq!(Percent::change(price(0), price(250)), None);
    }
}
