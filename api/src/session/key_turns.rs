//! The order in which API keys of one user quote.

use domain::UserId;
use tokio::sync::{Mutex, MutexGuard};

/// The number of locks. Users who share one wait for each other, a few milliseconds at a time.
const TURNS: usize = 64;

/// Locks under which the keys of one user quote one after the other, so that two quotes that are each within a limit are
/// not together above it.
pub struct KeyTurns([Mutex<()>; TURNS]);

impl Default for KeyTurns {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::default()))
    }
}

impl KeyTurns {
    /// Waits for the turn of a user, which lasts until the guard is dropped.
    pub async fn take(&self, user: UserId) -> MutexGuard<'_, ()> {
        let turn = usize::try_from(user.0).unwrap_or_default() % TURNS;
        self.0[turn].lock().await
    }
}
