//! The publication of heads: signed, linked to the one before, and kept in the data folder.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::UnixMs;
use engine::locks::MutexExt as _;
use public_log::{BookHead, HeadHash, PublishedHeads, Signed};

use super::PublicLog;
use crate::failure::Failure;

/// The name of the file in the data folder: a publication in each line.
const FILE_NAME: &str = "published-heads";

/// The number of publications that are served: a week of them at the usual interval.
const SERVED_MAX: usize = 1_008;

/// The publications so far.
pub struct Publications {
    file: PathBuf,
    latest: Mutex<VecDeque<Signed<PublishedHeads>>>,
}

impl Publications {
    /// Reads the publications of this server. An incomplete last line, as a crash leaves it, was served to no client and is
    /// cut.
    ///
    /// # Errors
    /// If the file cannot be read or written, or a line is of another key.
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
            if signed.verify(&log.public_key()).is_ok() {
                latest.push_back(signed);
            }
        }
        Ok(Self { file, latest: Mutex::new(latest) })
    }

    /// Returns the publications, the latest first.
    #[must_use]
    pub fn latest(&self) -> Vec<Signed<PublishedHeads>> {
        self.latest.lock_unpoisoned().iter().rev().cloned().collect()
    }

    /// Publishes the heads as they are now, unless nothing has happened since the last publication. Blocks on the disk.
    ///
    /// # Errors
    /// If they cannot be stored; then they are not published.
    pub fn publish(&self, log: &PublicLog, at: UnixMs) -> Result<(), Failure> {
        let books = log.heads();
        let before = self.latest.lock_unpoisoned().back().cloned();
        let known = before.as_ref().and_then(|signed| signed.verify(&log.public_key()).ok());
        if books.is_empty() || known.is_some_and(|known| known.books == books) {
            return Ok(());
        }
        // The heads contain durable events only, so this commit or an earlier one has the last of them.
        let position = log.journal.position();
        let previous: Option<HeadHash> = before.map(|signed| signed.digest());
        let signed = log.key.sign(&PublishedHeads { at, position, previous, books }).map_err(Failure::new)?;
        let stored = OpenOptions::new().create(true).append(true).open(&self.file).and_then(|mut file| {
            file.write_all(format!("{signed}\n").as_bytes())?;
            file.sync_all()
        });
        stored.map_err(|error| Failure::new(error).while_doing(self.file.display()))?;
        let mut latest = self.latest.lock_unpoisoned();
        latest.push_back(signed);
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
        let (publications, log) = (Arc::clone(&publications), Arc::clone(&log));
        let published = tokio::task::spawn_blocking(move || publications.publish(&log, now())).await;
        if let Ok(Err(failure)) = published {
            tracing::error!(%failure, "the heads of the public log were not published");
        }
    }
}
