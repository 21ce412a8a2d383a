//! A halt's public view.

use domain::{Halt, HaltScope, UnixMs};
use serde::Serialize;
use utoipa::ToSchema;

use super::AsString;

/// A part of the market that its operator has halted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HaltView {
    /// The part: `new_loans`, loans that begin. Repayments, claims, cancellations and withdrawals are never halted.
    #[schema(value_type = String)]
    pub scope: AsString<HaltScope>,
    /// The time at which the halt began.
    #[schema(value_type = u64)]
    pub since: UnixMs,
    /// The operator's reason, one line for users.
    pub reason: String,
}

impl HaltView {
    /// Returns the view of a halt.
    #[must_use]
    pub fn new(scope: HaltScope, halt: &Halt) -> Self {
        Self { scope: AsString(scope), since: halt.since, reason: halt.reason.as_str().to_owned() }
    }
}
