//! A signer within the server's own process.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::request::{Answer, Request};
use crate::signer::Signer;
use crate::term_sheet::TermSheet;
use crate::vault_signer::{SignerError, VaultSigner};

/// A signer shared by many callers. It decides requests one at a time on blocking threads; each signature waits for the
/// disk, and those waits are shared.
#[derive(Clone, Debug)]
pub struct InProcess {
    signer: Arc<Mutex<Signer>>,
    now_ms: fn() -> u64,
}

impl InProcess {
    /// Creates a signer on the system clock.
    #[must_use]
    pub fn new(signer: Signer) -> Self {
        Self::with_clock(signer, system_ms)
    }

    /// Creates a signer on another clock, in Unix milliseconds.
    #[must_use]
    pub fn with_clock(signer: Signer, now_ms: fn() -> u64) -> Self {
        Self { signer: Arc::new(Mutex::new(signer)), now_ms }
    }

    /// Replaces the term sheet. Blocks until the current request is decided, so call it where blocking is harmless.
    ///
    /// # Errors
    /// [`SignerError::Unreachable`] after an earlier panic.
    pub fn set_sheet(&self, sheet: TermSheet) -> Result<(), SignerError> {
        self.signer.lock().map_err(|_| broken())?.set_sheet(sheet);
        Ok(())
    }
}

impl VaultSigner for InProcess {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        let Self { signer, now_ms } = self.clone();
        let answered = tokio::task::spawn_blocking(move || {
            // A panic with the lock held may have left the state inconsistent.
            let decided = signer.lock().map_err(|_| broken())?.decide(request, now_ms());
            Ok(decided.wait())
        });
        answered.await.map_err(|error| SignerError::Unanswered { reason: error.to_string() })?
    }
}

fn broken() -> SignerError {
    SignerError::Unreachable { reason: "it broke at an earlier request".to_owned() }
}

/// A clock set before 1970 reads as 1970: then every message is from the future.
fn system_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
