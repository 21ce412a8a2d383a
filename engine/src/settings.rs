//! What the market is started with.

use std::{fmt, sync::Arc};

use domain::Limits;

use crate::vault_addresses::{NoVaultAddresses, VaultAddresses};

/// Ends the process after a message: nothing may be acknowledged once a write has failed.
#[derive(Clone)]
pub struct FailStop(Arc<dyn Fn(&str) + Send + Sync>);

impl FailStop {
    /// Calls `end` instead of ending the process; for tests.
    #[must_use]
    pub fn calling(end: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(end))
    }

    pub(crate) fn end(&self, reason: &str) {
        tracing::error!(reason, "fail stop");
        (self.0)(reason);
    }
}

impl Default for FailStop {
    fn default() -> Self {
        Self(Arc::new(|_| std::process::exit(70))) // EX_SOFTWARE
    }
}

impl fmt::Debug for FailStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FailStop")
    }
}

/// How the market runs.
#[derive(Clone)]
pub struct Settings {
    /// A random text, new at every start of the process: sequences of the feed are comparable only within it.
    pub epoch: String,
    /// What offers must keep to.
    pub limits: Arc<Limits>,
    /// On how many threads the books are spread.
    pub arbiters: usize,
    /// How many messages wait for one book; more are refused.
    pub mailbox_capacity: usize,
    /// How many commands of one book wait for the disk; more are refused.
    pub in_flight_max: usize,
    /// Rows of the market channel are sent at most this often.
    pub market_interval_ms: u64,
    /// Ranks that moved by other people's acts are sent to their lenders at most this often.
    pub rank_interval_ms: u64,
    /// How often it is looked for what time alone has changed of loans.
    pub notice_interval_ms: u64,
    /// Where vaults are funded.
    pub vault_addresses: Arc<dyn VaultAddresses>,
    /// What happens when nothing may be acknowledged any more.
    pub fail_stop: FailStop,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epoch: "0".to_owned(),
            limits: Arc::new(Limits::default()),
            arbiters: 2,
            mailbox_capacity: 1_024,
            in_flight_max: 2_048,
            market_interval_ms: 50,
            rank_interval_ms: 50,
            notice_interval_ms: 1_000,
            vault_addresses: Arc::new(NoVaultAddresses),
            fail_stop: FailStop::default(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("epoch", &self.epoch).field("arbiters", &self.arbiters).finish_non_exhaustive()
    }
}
