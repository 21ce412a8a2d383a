//! The sums of a backtest.

use domain::{DAY_MS, UnixMs};
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
    /// The principal times the days for which it was lent.
    #[serde(skip)]
    pub(crate) sat_ms: u128,
}

impl Figures {
    /// Counts a loan until its end, or until that of the record.
    pub(crate) fn lend(&mut self, one: &Candidate<'_>, until: UnixMs, fees_sats: u64) {
        self.loans += 1;
        self.lent_sats += one.principal.get();
        self.fees_sats += fees_sats;
        self.sat_ms += u128::from(one.principal.get()) * u128::from(until.0.saturating_sub(one.began_at().0));
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
        self.sat_ms += other.sat_ms;
    }

    /// The interest less fees, and the gain or loss of defaults at the floor of their time, in sats.
    #[must_use]
    pub fn result_sats(&self) -> i128 {
        let defaults = i128::from(self.defaults.collateral_sats) - i128::from(self.defaults.principal_sats);
        i128::from(self.interest_sats) - i128::from(self.fees_sats) + defaults
    }

    /// The result per year on a capital of `sat_ms` sats times milliseconds, in hundredths of a percent; `None` without any.
    #[must_use]
    pub(crate) fn yield_on(&self, sat_ms: u128) -> Option<i64> {
        let capital = i128::try_from(sat_ms).ok().filter(|capital| *capital > 0)?;
        let year_ms = i128::from(DAY_MS) * 365;
        let scaled = self.result_sats().checked_mul(year_ms)?.checked_mul(10_000)?;
        i64::try_from(scaled / capital).ok()
    }
}
