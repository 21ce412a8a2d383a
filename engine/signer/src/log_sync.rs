//! Group commit of the log: callers that wait for the disk share one sync.

use std::fs::File;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

/// The part of the log that is durable.
#[derive(Debug)]
pub(crate) struct LogSync {
    file: Arc<File>,
    progress: Mutex<Progress>,
    /// Signals that a sync has ended.
    sync_ended: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// The number of written lines.
    written: u64,
    /// The number of durable lines.
    synced: u64,
    /// A caller is syncing on behalf of all.
    is_syncing: bool,
    /// A sync failed, so it is unknown what is durable.
    is_broken: bool,
}

/// The error that an entry could not be made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the log cannot be written")]
pub(crate) struct LogFailed;

impl LogSync {
    /// Creates the state of a file with this many lines, all of them durable.
    pub(crate) fn new(file: Arc<File>, lines: u64) -> Self {
        let progress = Progress { written: lines, synced: lines, ..Progress::default() };
        Self { file, progress: Mutex::new(progress), sync_ended: Condvar::new() }
    }

    /// Records that another line was written.
    pub(crate) fn note_written(&self) {
        self.progress().written += 1;
    }

    /// Returns whether a sync has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.progress().is_broken
    }

    /// Waits until the first `lines` lines are durable. After a failure it fails for ever.
    pub(crate) fn wait(&self, lines: u64) -> Result<(), LogFailed> {
        let mut progress = self.progress();
        loop {
            if progress.synced >= lines {
                return Ok(());
            }
            if progress.is_broken {
                return Err(LogFailed);
            }
            if progress.is_syncing {
                progress = self.sync_ended.wait(progress).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            progress.is_syncing = true;
            let written = progress.written;
            drop(progress);
            let synced = self.file.sync_data();
            progress = self.progress();
            progress.is_syncing = false;
            match synced {
                Ok(()) => progress.synced = progress.synced.max(written),
                Err(error) => {
                    tracing::error!(%error, "the signing log cannot be written: nothing is signed any more");
                    progress.is_broken = true;
                }
            }
            self.sync_ended.notify_all();
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        // No panic can leave it half changed.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::OwnedFd;

    use super::*;

    #[test]
    fn a_waiter_returns_only_after_a_sync_that_began_after_its_line_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(File::create(folder.path().join("log")).unwrap());
        let sync = LogSync::new(Arc::clone(&file), 0);
        let writing = Mutex::new(0_u64);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let lines = {
                            let mut written = writing.lock().unwrap();
                            (&*file).write_all(b"line\n").unwrap();
                            sync.note_written();
                            *written += 1;
                            *written
                        };
                        sync.wait(lines).unwrap();
                        let progress = sync.progress();
                        assert!(progress.synced >= lines && progress.synced <= progress.written);
                    }
                });
            }
        });
        let progress = sync.progress();
        assert_eq!((progress.synced, progress.written), (800, 800));
    }

    #[test]
    fn after_one_failed_sync_every_later_wait_fails() {
        // A pipe accepts writes, but cannot be synced.
        let (_reader, writer) = std::io::pipe().unwrap();
        let file = Arc::new(File::from(OwnedFd::from(writer)));
        let sync = LogSync::new(Arc::clone(&file), 7);
        assert_eq!(sync.wait(7), Ok(()), "lines of the start");
        (&*file).write_all(b"line\n").unwrap();
        sync.note_written();
        assert_eq!((sync.wait(8), sync.wait(8)), (Err(LogFailed), Err(LogFailed)));
        assert!(sync.is_broken());
        assert_eq!(sync.wait(7), Ok(()));
    }
}
