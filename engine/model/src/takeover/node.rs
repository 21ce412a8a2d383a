//! A node: it follows, claims the lease, and writes until it is deposed.

use super::commit::Append;
use super::database::Fence;
use super::faults::Fault;

/// The part of a node in the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// It reads.
    #[default]
    Following,
    /// It has claimed the lease, and reads to the end.
    Claimed {
        /// The epoch.
        epoch: u8,
        /// The number of commits that it must have read.
        position: u8,
    },
    /// It decides.
    Writing {
        /// The epoch.
        epoch: u8,
    },
}

/// A node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    /// Its role.
    pub role: Role,
    /// The number of commits that it has read or appended.
    pub read: u8,
    /// The append of which it awaits the outcome.
    pub waiting: Option<Append>,
}

impl Node {
    /// The epoch of its lease.
    #[must_use]
    pub const fn epoch(&self) -> Option<u8> {
        match self.role {
            Role::Following => None,
            Role::Claimed { epoch, .. } | Role::Writing { epoch } => Some(epoch),
        }
    }

    /// Whether it reads the commits of others.
    #[must_use]
    pub const fn reads(&self) -> bool {
        !self.is_writing()
    }

    /// Whether it decides.
    #[must_use]
    pub const fn is_writing(&self) -> bool {
        matches!(self.role, Role::Writing { .. })
    }

    /// Ends the process, which starts again and follows.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// Begins to write, if the row has this node's epoch and ends where it has read to.
    pub(super) fn begin(&mut self, epoch: u8, position: u8, fence: Fence, fault: Option<Fault>) -> Result<(), ()> {
        let has_read = |found: u8| position <= self.read && found == self.read;
        match (fence, fault) {
            (Fence::Held(found), _) if has_read(found) => {}
            (Fence::Held(_), Some(Fault::BeginsWithoutReading)) => {}
            (_, Some(Fault::ClaimsLeaveTheRow)) => self.read = position,
            _ => return Err(()),
        }
        self.role = Role::Writing { epoch };
        Ok(())
    }
}
