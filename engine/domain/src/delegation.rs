//! Delegations of lenders to programs: what the server knows of them. The vault signer checks their limits by itself.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{UnixMs, UserId};

/// The random id of a delegation, drawn by the program; in texts 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DelegationId(pub u128);

impl fmt::Display for DelegationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A delegation as its lender signed it. The limits are in the message alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedDelegation {
    /// The complete text.
    pub message: String,
    /// The signature of the lender's wallet.
    pub signature: String,
    /// The time from which nothing is lent by it.
    pub valid_until: UnixMs,
}

/// A delegation of a lender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegation {
    /// Its id.
    pub id: DelegationId,
    /// The lender.
    pub user: UserId,
    /// The message and its signature.
    pub signed: Arc<SignedDelegation>,
    /// The time of its creation.
    pub created_at: UnixMs,
    /// The time of its revocation; `None` if it was not revoked.
    pub revoked_at: Option<UnixMs>,
    /// The time at which the vault signer confirmed the revocation; until then only this server has stopped.
    pub confirmed_at: Option<UnixMs>,
    /// The highest number that a program used under it; 0 before any.
    pub latest_number: u64,
}

/// The reason why a delegation was not created, or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DelegationRejection {
    /// The lender has no such delegation.
    #[error("no delegation {0}")]
    Unknown(DelegationId),
    /// The lender has a delegation of this id.
    #[error("there is a delegation {0} already")]
    Duplicate(DelegationId),
    /// The lender has the maximum number of delegations.
    #[error("at most {max} delegations per lender")]
    TooMany {
        /// The maximum.
        max: usize,
    },
    /// It was revoked.
    #[error("the delegation was revoked")]
    Revoked {
        /// The time of the revocation.
        at: UnixMs,
    },
    /// Its time is over.
    #[error("the delegation has expired")]
    Expired {
        /// The time until which it was valid.
        at: UnixMs,
    },
    /// A text of this number or a higher one was used before.
    #[error("the number is {found}, and must be above {latest}")]
    NumberUsed {
        /// The highest number so far.
        latest: u64,
        /// The number of the text.
        found: u64,
    },
}

impl Delegation {
    /// The maximum number of delegations of one lender that are neither revoked nor expired.
    pub const PER_USER_MAX: usize = 16;
    /// The number of ended delegations of one lender that stay known; of those that the signer need not hear about
    /// any more, the earliest are forgotten first.
    pub const ENDED_MAX: usize = 32;

    /// Refuses a delegation that is revoked or expired.
    ///
    /// # Errors
    /// [`DelegationRejection::Revoked`], [`DelegationRejection::Expired`].
    pub fn check_open(&self, now: UnixMs) -> Result<(), DelegationRejection> {
        if let Some(at) = self.revoked_at {
            return Err(DelegationRejection::Revoked { at });
        }
        let at = self.signed.valid_until;
        if at <= now { Err(DelegationRejection::Expired { at }) } else { Ok(()) }
    }

    /// Whether the vault signer has yet to confirm its revocation.
    #[must_use]
    pub const fn is_unconfirmed(&self) -> bool {
        self.revoked_at.is_some() && self.confirmed_at.is_none()
    }
}

/// The delegations of all lenders: those that can be used, and the latest that have ended.
#[derive(Clone, Debug, Default)]
pub struct Delegations {
    by_id: BTreeMap<(UserId, DelegationId), Delegation>,
}

impl Delegations {
    /// A delegation of a lender, also one that has ended.
    ///
    /// # Errors
    /// [`DelegationRejection::Unknown`].
    pub fn get(&self, user: UserId, id: DelegationId) -> Result<&Delegation, DelegationRejection> {
        self.by_id.get(&(user, id)).ok_or(DelegationRejection::Unknown(id))
    }

    /// The delegations of a lender, also those that have ended, by id.
    pub fn of(&self, user: UserId) -> impl Iterator<Item = &Delegation> {
        self.by_id.range((user, DelegationId(0))..=(user, DelegationId(u128::MAX))).map(|(_, delegation)| delegation)
    }

    /// The revocations that the vault signer has yet to confirm.
    pub fn unconfirmed(&self) -> impl Iterator<Item = (UserId, DelegationId)> {
        self.by_id.iter().filter(|(_, delegation)| delegation.is_unconfirmed()).map(|(key, _)| *key)
    }

    /// Adds a delegation, and forgets the earliest of those that have ended for the signer, too.
    pub(crate) fn insert(&mut self, delegation: Delegation, at: UnixMs) {
        let user = delegation.user;
        self.by_id.insert((user, delegation.id), delegation);
        let is_over = |it: &&Delegation| it.check_open(at).is_err() && !it.is_unconfirmed();
        let mut ended: Vec<(UnixMs, DelegationId)> =
            self.of(user).filter(is_over).map(|it| (it.created_at, it.id)).collect();
        ended.sort_unstable();
        for (_, id) in ended.iter().take(ended.len().saturating_sub(Delegation::ENDED_MAX)) {
            self.by_id.remove(&(user, *id));
        }
    }

    pub(crate) fn change(&mut self, user: UserId, id: DelegationId, change: impl FnOnce(&mut Delegation)) {
        if let Some(delegation) = self.by_id.get_mut(&(user, id)) {
            change(delegation);
        }
    }

    pub(crate) fn remove_all(&mut self, user: UserId) {
        self.by_id.retain(|(owner, _), _| *owner != user);
    }
}
