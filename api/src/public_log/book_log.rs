//! The log of one book, as far as it has been read: its heads, not its lines.

use std::collections::VecDeque;

use domain::{CollectionGroup, Event, GroupId, Stream, UserId};
use engine::journal::{Recorded, ReplayError};
use persistence::WholeJournal as _;
use public_log::{EntryError, HeadHash, LogEntry, LogHead, Pseudonyms, entry_line, genesis_line, redact};

use crate::journal::ServerJournal;

/// The entries of a page.
pub const PAGE_ENTRIES: u64 = 1_000;

/// The number of recent heads that are kept for receipts.
const RECENT_HEADS: usize = 4_096;

/// The log of one book.
pub(super) struct BookLog {
    slug: String,
    first_line: Vec<u8>,
    pseudonyms: Pseudonyms,
    head: LogHead,
    /// The hashes after the latest events, ending with that of the head.
    recent: VecDeque<HeadHash>,
    /// The hash before each page.
    pages: Vec<HeadHash>,
}

impl BookLog {
    /// The log of a book in which nothing has happened.
    pub(super) fn new(group: &CollectionGroup, secret: &[u8; 32]) -> Result<Self, EntryError> {
        let first_line = genesis_line(group)?;
        let head = LogHead::genesis(&first_line);
        Ok(Self {
            slug: group.slug.to_string(),
            first_line,
            pseudonyms: Pseudonyms::new(secret, group.id),
            head,
            recent: VecDeque::from([head.hash]),
            pages: vec![head.hash],
        })
    }

    pub(super) fn slug(&self) -> &str {
        &self.slug
    }

    pub(super) fn first_line(&self) -> &[u8] {
        &self.first_line
    }

    pub(super) const fn head(&self) -> LogHead {
        self.head
    }

    pub(super) fn pseudonym(&mut self, user: UserId) -> UserId {
        self.pseudonyms.of(user)
    }

    /// Adds the next event of the book's stream; those that are known are ignored.
    pub(super) fn add(&mut self, recorded: &Recorded) -> Result<(), EntryError> {
        if recorded.sequence != self.head.sequence + 1 {
            return Ok(());
        }
        if let Some(line) = line_of(recorded, &mut self.pseudonyms)? {
            self.head = self.head.after(&line);
            self.recent.push_back(self.head.hash);
            if self.recent.len() > RECENT_HEADS {
                self.recent.pop_front();
            }
            if self.head.sequence.is_multiple_of(PAGE_ENTRIES) {
                self.pages.push(self.head.hash);
            }
        }
        Ok(())
    }

    /// The head after an event, if it is one of the latest.
    pub(super) fn recent_head(&self, sequence: u64) -> Option<LogHead> {
        let behind = usize::try_from(self.head.sequence.checked_sub(sequence)?).ok()?;
        let hash = *self.recent.get(self.recent.len().checked_sub(behind + 1)?)?;
        Some(LogHead { sequence, hash })
    }

    /// The head before the first entry of a page.
    pub(super) fn page_head(&self, page: u64) -> Option<LogHead> {
        let hash = *self.pages.get(usize::try_from(page).ok()?)?;
        Some(LogHead { sequence: page * PAGE_ENTRIES, hash })
    }
}

/// The line of an event; `None` for one that is not of a book, which no book's stream holds.
fn line_of(recorded: &Recorded, pseudonyms: &mut Pseudonyms) -> Result<Option<Vec<u8>>, EntryError> {
    let Event::Book(event) = &recorded.event else { return Ok(None) };
    let entry = LogEntry { sequence: recorded.sequence, at: recorded.at, event: redact(event, pseudonyms) };
    entry_line(&entry).map(Some)
}

/// The lines of at most `count` events of a book after one of them.
pub(super) fn read_page(
    journal: &ServerJournal,
    secret: &[u8; 32],
    (book, after, count): (GroupId, u64, u64),
) -> Result<Vec<Vec<u8>>, ReplayError> {
    let (mut pseudonyms, mut lines, mut fault) = (Pseudonyms::new(secret, book), Vec::new(), None);
    journal.read_events(
        Stream::Book(book),
        after,
        count,
        &mut |recorded| match line_of(&recorded, &mut pseudonyms) {
            Ok(line) => lines.extend(line),
            Err(error) => fault = Some(error),
        },
    )?;
    match fault {
        Some(error) => Err(ReplayError::Damaged(format!("an event of {book} has no line: {error}"))),
        None => Ok(lines),
    }
}
