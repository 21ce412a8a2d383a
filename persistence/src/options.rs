//! How a journal is opened.

use std::{fmt, io::Write as _, process, sync::Arc};

/// What happens when the disk fails; never comes back in the default.
pub type FailureAction = Arc<dyn Fn(&str) + Send + Sync>;

/// The exit status of a process whose disk failed: `EX_IOERR`.
pub const EXIT_STATUS_STORAGE_FAILED: i32 = 74;

/// How large commits and blocks become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitLimits {
    /// No further batch joins a commit that has this many events.
    pub commit_events_max: usize,
    /// No further batch joins a commit that has this many bytes.
    ///
    /// Half a segment of sled's: so the device is synced before sled can overwrite anything that the commit made obsolete.
    pub commit_bytes_max: usize,
    /// How many bytes of events are packed into one block, unless a single event is larger.
    pub block_bytes: usize,
}

impl Default for CommitLimits {
    fn default() -> Self {
        Self { commit_events_max: 8_192, commit_bytes_max: 256 * 1_024, block_bytes: 4 * 1_024 }
    }
}

/// How a journal is opened.
#[derive(Clone)]
pub struct Options {
    /// What sled keeps of its pages in memory, in bytes.
    pub cache_bytes: u64,
    /// How large commits and blocks become.
    pub limits: CommitLimits,
    /// Called by the writer, with one clear line, when the disk fails; nothing is acknowledged afterwards.
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
    // When even this cannot be written there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "lienbook: {line}");
    process::exit(EXIT_STATUS_STORAGE_FAILED);
}
