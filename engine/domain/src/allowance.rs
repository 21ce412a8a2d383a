//! The part of a lender's limits that a book needs.

use serde::{Deserialize, Serialize};

use crate::{ProcessType, Rejection, Sats};

/// The principal that a lender's limits leave in one book, and whether the lender is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// The principal that manual offers of the book may still lend; `None` without a limit.
    pub available: Option<Sats>,
    /// Whether the lender has been absent for longer than allowed.
    pub is_absent: bool,
}

impl Allowance {
    /// Checks that a loan is within it; an instant one needs its lender to be present only.
    ///
    /// # Errors
    /// [`Rejection::OverLendingLimits`].
    pub fn check(&self, process: ProcessType, principal: Sats) -> Result<(), Rejection> {
        let available = match process {
            _ if self.is_absent => Sats::ZERO,
            ProcessType::Manual => self.limit(),
            ProcessType::Instant => Sats::MAX,
        };
        if principal <= available { Ok(()) } else { Err(Rejection::OverLendingLimits { available }) }
    }

    /// The principal that manual offers may lend, [`Sats::MAX`] without a limit: no offer is larger.
    #[must_use]
    pub fn limit(&self) -> Sats {
        self.available.unwrap_or(Sats::MAX)
    }
}
