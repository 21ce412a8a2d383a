//! Locks of pledged outpoints: each outpoint is pledged at most once, for the first reservation that asks.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ReservationId;

/// A transaction output that holds collateral: txid in internal byte order, and its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Outpoint {
    /// The transaction.
    pub txid: [u8; 32],
    /// The output's index.
    pub vout: u32,
}

/// An event of the locks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AssetEvent {
    /// An outpoint was pledged.
    Locked {
        /// The outpoint.
        outpoint: Outpoint,
        /// The reservation.
        reservation: ReservationId,
    },
    /// The outpoint is free again: the reservation ended, or the output was spent into the escrow.
    Unlocked {
        /// The outpoint.
        outpoint: Outpoint,
    },
}

/// The reason why an outpoint could not be locked or unlocked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssetRejection {
    /// It is pledged for another reservation already.
    #[error("the collateral is pledged already, for {0}")]
    Pledged(ReservationId),
    /// It is not pledged for this reservation.
    #[error("the collateral is not pledged for {0}")]
    NotPledged(ReservationId),
}

/// All pledged outpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssetLocks {
    locked: HashMap<Outpoint, ReservationId>,
}

impl AssetLocks {
    /// The reservation that an outpoint is pledged for.
    #[must_use]
    pub fn holder(&self, outpoint: &Outpoint) -> Option<ReservationId> {
        self.locked.get(outpoint).copied()
    }

    /// The number of pledged outpoints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.locked.len()
    }

    /// Whether nothing is pledged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.locked.is_empty()
    }

    /// Pledges an outpoint.
    ///
    /// # Errors
    /// [`AssetRejection::Pledged`], also if it is pledged for the same reservation.
    pub fn lock(&self, outpoint: Outpoint, reservation: ReservationId) -> Result<AssetEvent, AssetRejection> {
        match self.holder(&outpoint) {
            Some(holder) => Err(AssetRejection::Pledged(holder)),
            None => Ok(AssetEvent::Locked { outpoint, reservation }),
        }
    }

    /// Frees an outpoint that is pledged for `reservation`.
    ///
    /// # Errors
    /// [`AssetRejection::NotPledged`].
    pub fn unlock(&self, outpoint: Outpoint, reservation: ReservationId) -> Result<AssetEvent, AssetRejection> {
        match self.holder(&outpoint) {
            Some(holder) if holder == reservation => Ok(AssetEvent::Unlocked { outpoint }),
            _ => Err(AssetRejection::NotPledged(reservation)),
        }
    }

    /// Applies an event.
    pub fn apply(&mut self, event: &AssetEvent) {
        match *event {
            AssetEvent::Locked { outpoint, reservation } => {
                let before = self.locked.insert(outpoint, reservation);
                debug_assert_eq!(before, None, "an outpoint is pledged at most once");
            }
            AssetEvent::Unlocked { outpoint } => {
                self.locked.remove(&outpoint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reservation_has_the_outpoint_until_it_unlocks_it() {
        let (outpoint, first, second) = (Outpoint { txid: [7; 32], vout: 1 }, ReservationId(1), ReservationId(2));
        let mut locks = AssetLocks::default();
        let event = locks.lock(outpoint, first).unwrap();
        locks.apply(&event);
        assert_eq!(locks.lock(outpoint, second), Err(AssetRejection::Pledged(first)));
        assert_eq!(locks.lock(outpoint, first), Err(AssetRejection::Pledged(first)));
        assert_eq!(locks.unlock(outpoint, second), Err(AssetRejection::NotPledged(second)));
        let event = locks.unlock(outpoint, first).unwrap();
        locks.apply(&event);
        assert!(locks.is_empty() && locks.lock(outpoint, second).is_ok());
    }
}
