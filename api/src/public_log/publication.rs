//! The publication of heads: signed, linked to the one before, and kept in the data folder.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::UnixMs;
use engine::locks::MutexExt as _;
use public_log::{BookHead, PublishedHeads, Signed};

use super::PublicLog;
use crate::failure::Failure;

/// The name of the file in the data folder: a publication in each line.
const FILE_NAME: &str = "published-heads";

/// The pause between two looks whether the log has read what happened before.
const CATCH_UP_PAUSE: Duration = Duration::from_secs(1);

/// The number of publications that are kept in memory: a week of them at the usual interval.
pub(super) const SERVED_MAX: usize = 1_008;

/// A publication, signed by this server.
pub struct Publication {
    /// The statement as it is served.
    pub signed: Signed<PublishedHeads>,
    /// The statement, read.
    pub heads: PublishedHeads,
}

/// The publications so far.
pub struct Publications {
    file: PathBuf,
    latest: Mutex<VecDeque<Arc<Publication>>>,
}

impl Publications {
    /// Reads the publications of this server. An incomplete last line, as a crash leaves it, was served to no client and is
    /// cut.
    ///
    /// # Errors
    /// If the file cannot be read or written, or a line is no statement.
    pub fn open(folder: &Path, log: &PublicLog) -> Result<Self, Failure> {
        let file = folder.join(FILE_NAME);
        let failed = |error: io::Error| Failure::new(error).while_doing(file.display());
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(failed)?,
        };
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        if complete < text.len() {
            let cut = OpenOptions::new().write(true).open(&file);
            cut.and_then(|file| file.set_len(u64::try_from(complete).unwrap_or(u64::MAX))).map_err(failed)?;
        }
        let lines: Vec<&str> = text.get(..complete).unwrap_or_default().lines().collect();
        let mut latest = VecDeque::new();
        for line in lines.iter().skip(lines.len().saturating_sub(SERVED_MAX)) {
            let signed: Signed<PublishedHeads> =
                line.parse().map_err(|error| Failure::new(error).while_doing(file.display()))?;
            // After a change of the key a new history begins.
            if let Ok(heads) = signed.verify(&log.public_key()) {
                latest.push_back(Arc::new(Publication { signed, heads }));
            }
        }
        Ok(Self { file, latest: Mutex::new(latest) })
    }

    /// Returns at most `count` publications, the latest first.
    #[must_use]
    pub fn latest(&self, count: usize) -> Vec<Arc<Publication>> {
        self.latest.lock_unpoisoned().iter().rev().take(count).cloned().collect()
    }

    /// Publishes the heads as they are now, unless nothing has happened since the last publication, or the log is still reading
    /// what happened before. Blocks on the disk.
    ///
    /// # Errors
    /// If they cannot be stored; then they are not published.
    pub fn publish(&self, log: &PublicLog, at: UnixMs) -> Result<(), Failure> {
        let books = if log.is_current() { log.heads() } else { Vec::new() };
        let before = self.latest(1).pop();
        if books.is_empty() || before.as_ref().is_some_and(|before| before.heads.books == books) {
            return Ok(());
        }
        // Read after the heads, which contain durable events only.
        let position = log.journal.position();
        let heads = PublishedHeads { at, position, previous: before.map(|before| before.signed.digest()), books };
        let signed = log.key.sign(&heads).map_err(Failure::new)?;
        let stored = OpenOptions::new().create(true).append(true).open(&self.file).and_then(|mut file| {
            file.write_all(format!("{signed}\n").as_bytes())?;
            file.sync_all()
        });
        stored.map_err(|error| Failure::new(error).while_doing(self.file.display()))?;
        let mut latest = self.latest.lock_unpoisoned();
        latest.push_back(Arc::new(Publication { signed, heads }));
        if latest.len() > SERVED_MAX {
            latest.pop_front();
        }
        Ok(())
    }
}

impl PublicLog {
    /// The heads of all books, ascending.
    pub(super) fn heads(&self) -> Vec<BookHead> {
        let books = self.books.lock_unpoisoned();
        let heads =
            books.iter().map(|(book, log)| BookHead { book: *book, slug: log.slug().to_owned(), head: log.head() });
        heads.collect()
    }
}

/// Publishes at an interval, until it is aborted.
pub async fn publish(publications: Arc<Publications>, log: Arc<PublicLog>, interval: Duration, now: fn() -> UnixMs) {
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // After a start it reads what happened before; without this the first publication would be an interval later.
        while !log.is_current() {
            tokio::time::sleep(CATCH_UP_PAUSE).await;
        }
        let (publications, log) = (Arc::clone(&publications), Arc::clone(&log));
        let published = tokio::task::spawn_blocking(move || publications.publish(&log, now())).await;
        if let Ok(Err(failure)) = published {
            tracing::error!(%failure, "the heads of the public log were not published");
        }
    }
}
