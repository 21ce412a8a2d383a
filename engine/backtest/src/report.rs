//! The report of a backtest.

use domain::{GroupId, Slug, UnixMs};
use serde::Serialize;

use crate::figures::Figures;
use crate::filled_loan::FilledLoan;

/// The result in one collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionReport {
    /// Its id.
    #[serde(skip)]
    pub group: GroupId,
    /// Its slug.
    pub collection: Slug,
    /// The sums.
    #[serde(flatten)]
    pub figures: Figures,
    /// The result per year of the loans that have ended, on their principal for the time for which it was lent, in
    /// hundredths of a percent.
    pub yield_on_lent: Option<i64>,
}

/// The result of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The first time at which the rule could quote.
    pub from: UnixMs,
    /// The end of the record.
    pub until: UnixMs,
    /// The budget, in sats.
    pub budget_sats: u64,
    /// The collections in which the rule got loans, or would have with a larger budget.
    pub collections: Vec<CollectionReport>,
    /// The sums over all.
    pub total: Figures,
    /// The interest less fees, and the gain or loss of defaults at the floor of their time, in sats.
    pub result_sats: i128,
    /// The result per year on the whole budget, lent or not, in hundredths of a percent.
    pub yield_on_budget: Option<i64>,
    /// The result per year of the loans that have ended, on their principal for the time for which it was lent, in
    /// hundredths of a percent.
    pub yield_on_lent: Option<i64>,
    /// Each loan, in the order in which they ended; those that run come last.
    pub loans: Vec<FilledLoan>,
}
