//! A loan that the rule would have made.

use domain::UnixMs;
use serde::Serialize;

/// The state of a loan at the end of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FilledLoanEnd {
    /// The borrower repaid it.
    Repaid,
    /// The lender took the collateral.
    Claimed,
    /// It runs.
    Running,
}

/// A loan that the rule would have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilledLoan {
    /// The time at which it began.
    pub began_at: UnixMs,
    /// The time at which it ended, or the end of the record.
    pub until: UnixMs,
    /// The state then.
    pub end: FilledLoanEnd,
    /// The principal, in sats.
    pub principal_sats: u64,
    /// The interest less fees, and the gain or loss of a default at the floor of its time, in sats.
    pub result_sats: i128,
}
