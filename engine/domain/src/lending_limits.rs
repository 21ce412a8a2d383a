//! A lender's limits: on the principal of manual loans, and on the time that offers stay open without their lender.
//!
//! The ledger compares them with the lender's exposure. A book gets the result, an [`Allowance`](crate::Allowance), as it gets the usable
//! balance of a vault, and pauses the offers that it does not cover.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Exposure, GroupId, Sats, UnixMs};

/// The limits that a lender has set; the default has none. Instant offers are limited by their vault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LendingLimits {
    /// The maximum principal of manual loans outstanding at a time, over all collections.
    pub budget: Option<Sats>,
    /// The maximum principal of manual loans accepted in a UTC day.
    pub daily: Option<Sats>,
    /// The maximum principal of manual loans outstanding at a time, per collection.
    pub collection_budgets: BTreeMap<GroupId, Sats>,
    /// The minutes without a request of the lender after which all offers are paused, instant ones too.
    pub absence_minutes: Option<u16>,
}

/// The reason why limits were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LendingLimitsRejection {
    /// An amount is zero, or more than there is.
    #[error("a limit must be from 1 sat to {} BTC", Sats::MAX)]
    AmountOutOfRange,
    /// Too many collections have a budget of their own.
    #[error("at most {max} collections can have a budget of their own")]
    TooManyCollections {
        /// The maximum.
        max: usize,
    },
    /// The time without a request is out of range.
    #[error("the time without a request must be from {min} to {max} minutes")]
    MinutesOutOfRange {
        /// The minimum.
        min: u16,
        /// The maximum.
        max: u16,
    },
}

impl LendingLimits {
    /// The maximum number of collections with a budget of their own.
    pub const COLLECTIONS_MAX: usize = 100;
    /// The minimum time without a request. The app's connection makes itself heard more often.
    pub const ABSENCE_MINUTES_MIN: u16 = 5;
    /// The maximum time without a request: a week.
    pub const ABSENCE_MINUTES_MAX: u16 = 10_080;

    /// Checks all bounds.
    ///
    /// # Errors
    /// The first [`LendingLimitsRejection`] that holds.
    pub fn check(&self) -> Result<(), LendingLimitsRejection> {
        let mut amounts = self.budget.iter().chain(&self.daily).chain(self.collection_budgets.values());
        if amounts.any(|amount| *amount == Sats::ZERO || *amount > Sats::MAX) {
            return Err(LendingLimitsRejection::AmountOutOfRange);
        }
        if self.collection_budgets.len() > Self::COLLECTIONS_MAX {
            return Err(LendingLimitsRejection::TooManyCollections { max: Self::COLLECTIONS_MAX });
        }
        let (min, max) = (Self::ABSENCE_MINUTES_MIN, Self::ABSENCE_MINUTES_MAX);
        if self.absence_minutes.is_some_and(|minutes| !(min..=max).contains(&minutes)) {
            return Err(LendingLimitsRejection::MinutesOutOfRange { min, max });
        }
        Ok(())
    }

    /// The time from which a lender who was last heard at `heard_at` is absent; `None` without a limit on absence.
    #[must_use]
    pub fn absent_from(&self, heard_at: UnixMs) -> Option<UnixMs> {
        const MINUTE_MS: u64 = 60_000;
        self.absence_minutes.map(|minutes| heard_at.plus_ms(u64::from(minutes) * MINUTE_MS))
    }

    /// The principal that manual offers of a collection may still lend: the least that a limit leaves.
    #[must_use]
    pub fn available(&self, exposure: &Exposure, group: GroupId, now: UnixMs) -> Option<Sats> {
        let left = |limit: Sats, taken: Sats| limit.saturating_sub(taken);
        let total = self.budget.map(|limit| left(limit, exposure.outstanding()));
        let daily = self.daily.map(|limit| left(limit, exposure.accepted_on_day_of(now)));
        let own = self.collection_budgets.get(&group).map(|limit| left(*limit, exposure.outstanding_in(group)));
        total.into_iter().chain(daily).chain(own).min()
    }
}
