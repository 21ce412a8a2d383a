//! The options of a journal.

use std::{fmt, io::Write as _, process, sync::Arc};

/// The action on a storage failure; the default one never returns.
pub type FailureAction = Arc<dyn Fn(&str) + Send + Sync>;

/// The exit status of a process whose storage failed: `EX_IOERR`.
pub const EXIT_STATUS_STORAGE_FAILED: i32 = 74;

/// Limits on the size of commits and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitLimits {
    /// The number of events from which on no further batch joins a commit.
    pub commit_events_max: usize,
    /// The number of bytes from which on no further batch joins a commit.
    ///
    /// Half a segment of sled, so that the device is synced before sled can overwrite data that the commit made
    /// obsolete.
    pub commit_bytes_max: usize,
    /// The maximum bytes of events in one block, unless a single event is larger.
    pub block_bytes: usize,
}

impl Default for CommitLimits {
    fn default() -> Self {
        Self { commit_events_max: 8_192, commit_bytes_max: 256 * 1_024, block_bytes: 4 * 1_024 }
    }
}

/// The options to open a journal with.
#[derive(Clone)]
pub struct Options {
    /// The size of sled's page cache in memory, in bytes.
    pub cache_bytes: u64,
    /// Limits on the size of commits and blocks.
    pub limits: CommitLimits,
    /// Called by the writer, with one descriptive line, when storage fails; nothing is acknowledged afterwards.
    ///
    /// The default writes the line to standard error and ends the process with [`EXIT_STATUS_STORAGE_FAILED`].
    pub on_failure: FailureAction,
}

impl Default for Options {
    fn default() -> Self {
        Self { cache_bytes: 64 * 1_024 * 1_024, limits: CommitLimits::default(), on_failure: Arc::new(end_process) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cache_bytes, limits, on_failure: _ } = self;
        f.debug_struct("Options").field("cache_bytes", cache_bytes).field("limits", limits).finish_non_exhaustive()
    }
}

fn end_process(line: &str) {
    // If standard error cannot be written either, the failure cannot be reported.
    let _ = writeln!(std::io::stderr(), "lienbook: {line}");
    process::exit(EXIT_STATUS_STORAGE_FAILED);
}
