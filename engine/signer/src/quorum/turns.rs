//! The turns of lenders' messages.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// The number of queues, which lenders share by their ids.
const QUEUES: u64 = 64;

/// One message of a lender at a time, so that they arrive at all signers in one order: the texts of a program have ascending
/// numbers.
#[derive(Debug)]
pub(super) struct Turns(Vec<Arc<Mutex<()>>>);

impl Turns {
    pub(super) fn new() -> Self {
        Self((0..QUEUES).map(|_| Arc::default()).collect())
    }

    /// Waits for the turn of a lender's message, which lasts until the guard is dropped.
    pub(super) async fn of(&self, lender_id: u64) -> OwnedMutexGuard<()> {
        let queue = usize::try_from(lender_id % QUEUES).unwrap_or(0);
        Arc::clone(&self.0[queue]).lock_owned().await
    }
}
