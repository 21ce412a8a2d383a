//! The reasons why an offer is paused.

use std::ops::{BitOr, BitOrAssign};

use serde::{Deserialize, Serialize};

/// A set of reasons; an offer is live only while it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PauseReasons(u8);

impl PauseReasons {
    /// Not paused.
    pub const NONE: Self = Self(0);
    /// The current LTV is above the lender's cap.
    pub const LTV: Self = Self(1);
    /// The vault's usable balance is below the principal that can be taken.
    pub const BALANCE: Self = Self(2);
    /// Terms changed and the lender has not accepted them.
    pub const TERMS: Self = Self(4);
    /// Paused by its lender.
    pub const LENDER: Self = Self(8);
    /// The lender's payment address lacks the coins to fund a manual offer.
    pub const FUNDING: Self = Self(16);
    /// The time until which its lender made it good is over.
    pub const EXPIRED: Self = Self(32);
    /// The lender's limits do not cover the principal that can be taken of a manual offer.
    pub const LIMITS: Self = Self(64);
    /// The lender has been absent for longer than the lender's limits allow.
    pub const ABSENCE: Self = Self(128);

    /// Whether there is no reason.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every reason of `other` is included.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns these reasons with `reason` present or absent.
    #[must_use]
    pub const fn with(self, reason: Self, present: bool) -> Self {
        if present { Self(self.0 | reason.0) } else { Self(self.0 & !reason.0) }
    }
}

impl BitOr for PauseReasons {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for PauseReasons {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
