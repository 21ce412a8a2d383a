//! A lender's limits: on the principal of manual loans, and on the time that offers stay open without their lender.
//!
//! The ledger compares them with the lender's exposure. A book gets the result, an [`Allowance`], as it gets the usable
//! balance of a vault, and pauses the offers that it does not cover.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Exposure, GroupId, ProcessType, Rejection, Sats, UnixMs, UserId};

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

/// The part of a lender's limits that one book needs.
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

/// The limits of all lenders who have set some, and who of them is absent.
#[derive(Clone, Debug, Default)]
pub struct LenderLimits {
    limits: HashMap<UserId, LendingLimits>,
    absent: HashSet<UserId>,
}

impl LenderLimits {
    /// The limits of a lender; `None` if there are none.
    #[must_use]
    pub fn of(&self, lender: UserId) -> Option<&LendingLimits> {
        self.limits.get(&lender)
    }

    /// Whether a lender is absent.
    #[must_use]
    pub fn is_absent(&self, lender: UserId) -> bool {
        self.absent.contains(&lender)
    }

    /// The lenders with a limit on absence, and the minutes.
    pub fn followed(&self) -> impl Iterator<Item = (UserId, u16)> {
        self.limits.iter().filter_map(|(lender, limits)| Some((*lender, limits.absence_minutes?)))
    }

    /// The allowance of a lender in the book of a group.
    #[must_use]
    pub fn allowance(&self, lender: UserId, exposure: &Exposure, group: GroupId, now: UnixMs) -> Allowance {
        let available = self.of(lender).and_then(|limits| limits.available(exposure, group, now));
        Allowance { available, is_absent: self.is_absent(lender) }
    }

    pub(crate) fn set(&mut self, lender: UserId, limits: LendingLimits) {
        if limits == LendingLimits::default() {
            self.limits.remove(&lender);
        } else {
            self.limits.insert(lender, limits);
        }
    }

    pub(crate) fn set_absence(&mut self, lender: UserId, is_absent: bool) {
        if is_absent {
            self.absent.insert(lender);
        } else {
            self.absent.remove(&lender);
        }
    }
}
