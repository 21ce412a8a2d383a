//! The sums of a backtest.

use domain::DAY_MS;
use serde::Serialize;

use crate::acceptance::Candidate;

/// The loans whose lenders took the collateral.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Defaults {
    /// Their number.
    pub count: u64,
    /// Their principal, in sats.
    pub principal_sats: u64,
    /// The value of their collateral at the floor at the time of each claim, in sats.
    pub collateral_sats: u64,
}

/// The loans that the record does not end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    /// Their number.
    pub count: u64,
    /// Their principal, in sats.
    pub principal_sats: u64,
}

/// The sums over the loans of one collection, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// The number of loans.
    pub loans: u64,
    /// The principal lent, in sats; a part of the budget that was lent twice counts twice.
    pub lent_sats: u64,
    /// The interest that borrowers paid, in sats.
    pub interest_sats: u64,
    /// The platform's fees, in sats.
    pub fees_sats: u64,
    /// The loans that were not repaid.
    pub defaults: Defaults,
    /// The loans that still run; their interest is not counted.
    pub running: Running,
    /// The number of acceptances that the rest of the budget did not cover.
    pub beyond_budget: u64,
    /// The principal of the loans that have ended, times the milliseconds for which it was lent.
    #[serde(skip)]
    pub(crate) ended_sat_ms: u128,
    /// The part of the result that belongs to the loans that still run.
    #[serde(skip)]
    pub(crate) running_result_sats: i128,
}

impl Figures {
    /// Counts a loan.
    pub(crate) fn lend(&mut self, one: &Candidate<'_>, fees_sats: u64) {
        self.loans += 1;
        self.lent_sats += one.principal.get();
        self.fees_sats += fees_sats;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.loans += other.loans;
        self.lent_sats += other.lent_sats;
        self.interest_sats += other.interest_sats;
        self.fees_sats += other.fees_sats;
        self.defaults.count += other.defaults.count;
        self.defaults.principal_sats += other.defaults.principal_sats;
        self.defaults.collateral_sats += other.defaults.collateral_sats;
        self.running.count += other.running.count;
        self.running.principal_sats += other.running.principal_sats;
        self.beyond_budget += other.beyond_budget;
        self.ended_sat_ms += other.ended_sat_ms;
        self.running_result_sats += other.running_result_sats;
    }

    /// The interest less fees, and the gain or loss of defaults at the floor of their time, in sats.
    #[must_use]
    pub fn result_sats(&self) -> i128 {
        let defaults = i128::from(self.defaults.collateral_sats) - i128::from(self.defaults.principal_sats);
        i128::from(self.interest_sats) - i128::from(self.fees_sats) + defaults
    }

    /// The result per year on a budget of `sat_ms` sats times milliseconds, in hundredths of a percent; `None` without any.
    #[must_use]
    pub(crate) fn yield_on_budget(&self, sat_ms: u128) -> Option<i64> {
        a_year(self.result_sats(), sat_ms)
    }

    /// The result per year of the loans that have ended, on their principal for the time for which it was lent, in
    /// hundredths of a percent; `None` without any. Of a loan that runs the fee is known and the interest is not.
    #[must_use]
    pub(crate) fn yield_on_lent(&self) -> Option<i64> {
        a_year(self.result_sats() - self.running_result_sats, self.ended_sat_ms)
    }
}

/// A result per year on a capital in sats times milliseconds, in hundredths of a percent.
fn a_year(result_sats: i128, sat_ms: u128) -> Option<i64> {
    let capital = i128::try_from(sat_ms).ok().filter(|capital| *capital > 0)?;
    let year_ms = i128::from(DAY_MS) * 365;
    let scaled = result_sats.checked_mul(year_ms)?.checked_mul(10_000)?;
    i64::try_from(scaled / capital).ok()
}
