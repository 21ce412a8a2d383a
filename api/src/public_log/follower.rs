//! The thread that reads what has become durable.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use domain::{Event, GroupId, ListingEvent, Stream};
use engine::journal::{Recorded, ReplayError};
use engine::locks::MutexExt as _;
use public_log::EntryError;

use super::PublicLog;
use super::book_log::BookLog;
use crate::failure::Failure;

/// The interval between two looks at a journal that another node writes, and after a failed read.
const INTERVAL: Duration = Duration::from_millis(100);

/// The events that are added under one lock.
const CHUNK: usize = 512;

/// Starts the thread. It ends with the log.
pub(super) fn spawn(log: &Arc<PublicLog>) -> Result<(), Failure> {
    let mut committed = log.journal.stats().committed_position();
    let log = Arc::downgrade(log);
    let run = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
        let mut reading = Reading::default();
        while let Some(is_sound) = pass(&log, &mut reading) {
            if !is_sound {
                thread::sleep(INTERVAL);
            }
            runtime.block_on(async {
                // A journal that another node writes tells of no commit.
                let _ = tokio::time::timeout(INTERVAL, committed.changed()).await;
            });
        }
    };
    thread::Builder::new().name("public-log".to_owned()).spawn(run).map(drop).map_err(Failure::new)
}

/// The sequences up to which the streams have been read.
#[derive(Default)]
struct Reading {
    listings: u64,
    books: BTreeMap<GroupId, u64>,
    has_failed: bool,
}

/// Reads everything that is new; `None` once the log is gone, otherwise whether it could be read.
fn pass(log: &Weak<PublicLog>, reading: &mut Reading) -> Option<bool> {
    let log = log.upgrade()?;
    let read = reading.read(&log);
    if let Err(reason) = &read
        && !reading.has_failed
    {
        tracing::error!(reason, "the public log has stopped at what it has read so far");
    }
    reading.has_failed = read.is_err();
    log.is_current.store(read.is_ok(), Ordering::Relaxed);
    Some(read.is_ok())
}

impl Reading {
    fn read(&mut self, log: &PublicLog) -> Result<(), String> {
        let journal = log.journal.port();
        let mut added = self.read_listings(log).map_err(|error| error.to_string())?;
        for (book, known) in &mut self.books {
            let mut chunk = Vec::with_capacity(CHUNK);
            let mut fault = None;
            let mut take = |chunk: &mut Vec<Recorded>| {
                if let Err(error) = add(log, *book, chunk) {
                    fault = Some(error);
                }
                chunk.clear();
            };
            let last = journal.replay(Stream::Book(*book), *known, &mut |recorded| {
                chunk.push(recorded);
                if chunk.len() == CHUNK {
                    take(&mut chunk);
                }
            });
            take(&mut chunk);
            if let Some(error) = fault {
                return Err(format!("an event of {book} has no line: {error}"));
            }
            let last = last.map_err(|error: ReplayError| error.to_string())?;
            added |= last > *known;
            *known = last;
        }
        if added {
            log.grown.send_replace(());
        }
        Ok(())
    }

    /// Begins the logs of books that were listed; returns whether there were any.
    fn read_listings(&mut self, log: &PublicLog) -> Result<bool, ReplayError> {
        let mut listed = Vec::new();
        let known = self.listings;
        self.listings = log.journal.port().replay(Stream::Listings, known, &mut |recorded| {
            if let Event::Listing(ListingEvent::GroupListed(group)) = recorded.event {
                listed.push(group);
            }
        })?;
        let mut books = log.books.lock_unpoisoned();
        for group in &listed {
            let begun = BookLog::new(group, &log.pseudonym_secret);
            let begun = begun.map_err(|error| ReplayError::Damaged(format!("{} has no line: {error}", group.id)))?;
            books.insert(group.id, begun);
            self.books.insert(group.id, 0);
        }
        Ok(!listed.is_empty())
    }
}

fn add(log: &PublicLog, book: GroupId, events: &[Recorded]) -> Result<(), EntryError> {
    let mut books = log.books.lock_unpoisoned();
    let Some(book) = books.get_mut(&book) else { return Ok(()) };
    events.iter().try_for_each(|recorded| book.add(recorded))
}
