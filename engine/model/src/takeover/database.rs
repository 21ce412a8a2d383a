//! The database: the row of the lease, the row of the writer, and the journal.
//!
//! Each function is one statement. The lock of the writer's row orders them: while a commit waits for the standby, nothing
//! else passes that row.

use super::commit::{Append, Commit};
use super::faults::Fault;

/// The rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Database {
    /// The epoch of the latest claim.
    pub lease_epoch: u8,
    /// The node that holds the lease.
    pub holder: Option<usize>,
    /// Whether the lease has not expired.
    pub is_valid: bool,
    /// The epoch of the writer's row.
    pub writer_epoch: u8,
    /// The commits, in their order.
    pub commits: Vec<Commit>,
    /// Each claim.
    pub claims: Vec<Claim>,
    /// The append that waits for the synchronous standby, and whether the connection of its writer still exists.
    pub waiting: Option<(Append, bool)>,
}

/// A claim of the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The new epoch.
    pub epoch: u8,
    /// The number of commits of all earlier epochs.
    pub position: u8,
}

/// The writer's row, seen by an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// The row has the epoch, and this many commits.
    Held(u8),
    /// Another writer has taken over.
    Lost,
}

impl Database {
    /// The number of commits.
    #[must_use]
    pub fn position(&self) -> u8 {
        u8::try_from(self.commits.len()).unwrap_or(u8::MAX)
    }

    /// Whether a commit waits for the standby with the lock of the writer's row.
    #[must_use]
    pub const fn is_locked(&self) -> bool {
        self.waiting.is_some()
    }

    pub(super) fn expire(&mut self) -> Option<()> {
        self.is_valid.then(|| self.is_valid = false)
    }

    pub(super) fn claim(&mut self, node: usize, fault: Option<Fault>) -> Option<Claim> {
        let is_free = !self.is_valid || fault == Some(Fault::ClaimsIgnoreTheLease);
        if !is_free || self.is_locked() {
            return None;
        }
        if self.lease_epoch == 0 || fault != Some(Fault::ClaimsKeepTheEpoch) {
            self.lease_epoch += 1;
        }
        (self.holder, self.is_valid) = (Some(node), true);
        if fault != Some(Fault::ClaimsLeaveTheRow) {
            self.writer_epoch = self.lease_epoch;
        }
        let claim = Claim { epoch: self.lease_epoch, position: self.position() };
        self.claims.push(claim);
        Some(claim)
    }

    pub(super) fn renew(&mut self, epoch: u8) -> bool {
        let is_own = self.lease_epoch == epoch && self.holder.is_some();
        self.is_valid |= is_own;
        is_own
    }

    pub(super) fn release(&mut self, epoch: u8) {
        if self.lease_epoch == epoch {
            (self.holder, self.is_valid) = (None, false);
        }
    }

    /// Returns the writer's row; `None` while it is locked.
    pub(super) fn fence(&self, epoch: u8) -> Option<Fence> {
        let fence = if self.writer_epoch == epoch { Fence::Held(self.position()) } else { Fence::Lost };
        (!self.is_locked()).then_some(fence)
    }

    /// Appends a commit if the row has its epoch and position; returns whether it does.
    pub(super) fn append(&mut self, append: Append, waits: bool, fault: Option<Fault>) -> bool {
        let Append { commit, after } = append;
        let without = |rules: &[Fault]| fault.is_some_and(|fault| rules.contains(&fault));
        let is_epoch = self.writer_epoch == commit.epoch
            || without(&[Fault::AppendsIgnoreEpochs, Fault::AppendsCompareNothing, Fault::ClaimsLeaveTheRow]);
        let is_place =
            self.position() == after || without(&[Fault::AppendsIgnorePositions, Fault::AppendsCompareNothing]);
        if !is_epoch || !is_place {
            return false;
        }
        if waits {
            self.waiting = Some((append, true));
        } else {
            self.commits.push(commit);
        }
        true
    }

    /// The connection on which the answer would arrive is gone.
    pub(super) const fn forget_answer(&mut self) {
        if let Some((_, is_connected)) = &mut self.waiting {
            *is_connected = false;
        }
    }

    /// The standby has the commit that waits; returns it, and whether its writer gets the answer.
    pub(super) fn replicate(&mut self) -> Option<(Append, bool)> {
        let (append, is_connected) = self.waiting.take()?;
        self.commits.push(append.commit);
        Some((append, is_connected))
    }

    /// The standby takes the primary's place without the commit that waited.
    pub(super) fn promote(&mut self) -> Option<()> {
        self.waiting.take().map(drop)
    }
}
