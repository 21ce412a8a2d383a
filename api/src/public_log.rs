//! The public log of this server: for each book the events without names, hash-chained as they become durable.
//!
//! A thread reads what the journal has made durable, so a log never shows what could still be lost, and no command waits for
//! it; an answer that carries a receipt waits until the log has reached it.

mod anchors;
mod book_log;
mod follower;
mod publication;
mod receipts;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::{GroupId, UserId};
use engine::journal::ReplayError;
use engine::locks::MutexExt as _;
use public_log::{LogHead, LogKey, LogPublicKey};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::config::server_key::ServerKey;
use crate::failure::Failure;
use crate::journal::ServerJournal;

use book_log::BookLog;

pub use anchors::{Anchors, anchor};
pub use book_log::PAGE_ENTRIES;
pub use publication::{Publication, Publications, publish};
pub use receipts::RequestLine;

/// The time that an answer waits for the log.
const WAIT: Duration = Duration::from_secs(2);

/// The public log.
pub struct PublicLog {
    key: LogKey,
    pseudonym_secret: [u8; 32],
    books: Mutex<BTreeMap<GroupId, BookLog>>,
    /// Changes whenever a log has grown.
    grown: watch::Sender<()>,
    /// Whether everything that was durable at the last look has been read: otherwise no answer waits for it.
    is_current: AtomicBool,
    journal: ServerJournal,
}

impl PublicLog {
    /// Starts the log of a journal, whose past is read in the background.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(journal: &ServerJournal, key: &ServerKey) -> Result<Arc<Self>, Failure> {
        let signing = LogKey::new(&key.derive("signatures of the public log"));
        let log = Arc::new(Self {
            key: signing.ok_or_else(|| Failure::new("the key of the public log is not usable; make another one"))?,
            pseudonym_secret: key.derive("pseudonyms of the public log"),
            books: Mutex::default(),
            grown: watch::Sender::default(),
            is_current: AtomicBool::new(false),
            journal: journal.clone(),
        });
        follower::spawn(&log)?;
        Ok(log)
    }

    /// The key that receipts and heads are verified with.
    #[must_use]
    pub fn public_key(&self) -> LogPublicKey {
        self.key.public()
    }

    /// The head of a book's log; `None` for a book that is not listed, or not read yet.
    #[must_use]
    pub fn head(&self, book: GroupId) -> Option<LogHead> {
        self.books.lock_unpoisoned().get(&book).map(BookLog::head)
    }

    /// The first line of a book's log.
    #[must_use]
    pub fn first_line(&self, book: GroupId) -> Option<Vec<u8>> {
        self.books.lock_unpoisoned().get(&book).map(|log| log.first_line().to_vec())
    }

    /// Whether everything that was durable at the last look has been read.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.is_current.load(Ordering::Relaxed)
    }

    /// The pseudonym of a user in a book's log.
    fn pseudonym(&self, book: GroupId, user: UserId) -> Option<UserId> {
        self.books.lock_unpoisoned().get_mut(&book).map(|log| log.pseudonym(user))
    }

    /// The head of a book's log after an event; waits for the log to reach it, but not for long, and not at all while an old
    /// journal is read or one that cannot be read.
    async fn head_after(&self, book: GroupId, sequence: u64) -> Option<LogHead> {
        if !self.is_current() {
            return None;
        }
        let mut grown = self.grown.subscribe();
        let reached = async {
            while self.head(book).is_none_or(|head| head.sequence < sequence) {
                grown.changed().await.ok()?;
            }
            Some(())
        };
        timeout(WAIT, reached).await.ok()??;
        let known = self.books.lock_unpoisoned().get(&book).and_then(|log| log.recent_head(sequence));
        // Under a flood of events the log may be far ahead by now.
        known.or_else(|| self.recomputed_head(book, sequence))
    }

    fn recomputed_head(&self, book: GroupId, sequence: u64) -> Option<LogHead> {
        let page = sequence / PAGE_ENTRIES;
        let mut head = self.books.lock_unpoisoned().get(&book)?.page_head(page)?;
        for line in self.page(book, page).ok()?? {
            if head.sequence < sequence {
                head = head.after(&line);
            }
        }
        (head.sequence == sequence).then_some(head)
    }

    /// The lines of one page of a book's log, from page 0; `None` beyond its end. Blocks on the storage.
    ///
    /// # Errors
    /// [`ReplayError`].
    pub fn page(&self, book: GroupId, page: u64) -> Result<Option<Vec<Vec<u8>>>, ReplayError> {
        let (Some(head), Some(after)) = (self.head(book), page.checked_mul(PAGE_ENTRIES)) else { return Ok(None) };
        if after > head.sequence || (after == head.sequence && page > 0) {
            return Ok(None);
        }
        let count = PAGE_ENTRIES.min(head.sequence - after);
        book_log::read_page(&self.journal, &self.pseudonym_secret, (book, after, count)).map(Some)
    }
}
