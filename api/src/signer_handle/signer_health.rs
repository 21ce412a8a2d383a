//! The health of the vault signer, as its last answers show it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use domain::UnixMs;

use crate::clock;

/// The outcome of the last request to the signer, and the time of its last answer.
#[derive(Debug, Default)]
pub struct SignerHealth {
    is_up: AtomicBool,
    /// 0 before the first answer.
    answered_at_ms: AtomicU64,
}

impl SignerHealth {
    /// Records a request. A refusal is an answer, unless it refuses this server as a whole.
    pub(super) fn record(&self, is_answered: bool) {
        self.is_up.store(is_answered, Ordering::Relaxed);
        if is_answered {
            self.answered_at_ms.store(clock::now().0, Ordering::Relaxed);
        }
    }

    /// Returns whether the last request was answered.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.is_up.load(Ordering::Relaxed)
    }

    /// Returns the time of the last answer; `None` before the first.
    #[must_use]
    pub fn answered_at(&self) -> Option<UnixMs> {
        let at = self.answered_at_ms.load(Ordering::Relaxed);
        (at > 0).then_some(UnixMs(at))
    }
}
