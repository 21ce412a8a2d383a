//! The settings that the market is started with.

use std::{fmt, sync::Arc};

use domain::Limits;

use crate::vault_addresses::{NoVaultAddresses, VaultAddresses};

/// Ends the process with a message: nothing may be acknowledged once a write has failed.
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

/// The settings of a market.
#[derive(Clone)]
pub struct Settings {
    /// A random text, new at every start of the process: sequences of the feed are comparable only within one epoch.
    pub epoch: String,
    /// The epoch of the books' channels, whose sequences are those of the journal. It may be the same for all processes
    /// that read one journal, so that a client continues at another one; by default it is the process's own.
    pub book_epoch: Option<String>,
    /// The limits of offers.
    pub limits: Arc<Limits>,
    /// The number of threads that the books are spread over; with none, they run on the thread that starts the market.
    pub arbiters: usize,
    /// The maximum number of messages, and of commands, that wait for one book; more are refused.
    pub mailbox_capacity: usize,
    /// The maximum number of commands of one book that wait for the disk; more are refused.
    pub in_flight_max: usize,
    /// The minimum interval between frames of the market channel.
    pub market_interval_ms: u64,
    /// The minimum interval between publications, to a lender, of ranks that other lenders' offers have moved.
    pub rank_interval_ms: u64,
    /// The interval at which loans are checked for changes through time alone.
    pub notice_interval_ms: u64,
    /// The source of vault addresses.
    pub vault_addresses: Arc<dyn VaultAddresses>,
    /// The action when nothing may be acknowledged any more.
    pub fail_stop: FailStop,
}

impl Settings {
    /// The epoch of the books' channels.
    pub(crate) fn book_epoch(&self) -> &str {
        self.book_epoch.as_deref().unwrap_or(&self.epoch)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epoch: "0".to_owned(),
            book_epoch: None,
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
