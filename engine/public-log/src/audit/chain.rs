//! The chain of a log's lines, compared with the heads that the server signed.

use domain::GroupId;

use super::AuditReport;
use crate::entry::{self, LogEntry};
use crate::{HeadHash, LogHead, PublishedHeads, Receipt};

/// The heads after every line of a log so far.
pub(super) struct Chain {
    head: LogHead,
    hashes: Vec<HeadHash>,
}

impl Chain {
    /// The chain of a log's first line.
    pub(super) fn new(first: &[u8]) -> Self {
        let head = LogHead::genesis(first);
        Self { head, hashes: vec![head.hash] }
    }

    pub(super) fn head(&self) -> LogHead {
        self.head
    }

    /// Adds a line; on a fault, returns what is wrong with it.
    pub(super) fn add(&mut self, line: &[u8]) -> Result<LogEntry, String> {
        let entry = entry::read_entry(line).map_err(|error| format!("cannot be read: {error}"))?;
        let expected = self.head.sequence + 1;
        if entry.sequence != expected {
            return Err(format!("has sequence {} where {expected} is expected", entry.sequence));
        }
        self.head = self.head.after(line);
        self.hashes.push(self.head.hash);
        Ok(entry)
    }

    /// Compares the log with everything that was signed about its book.
    pub(super) fn compare(
        &self,
        book: GroupId,
        published: &[PublishedHeads],
        receipts: &[Receipt],
        report: &mut AuditReport,
    ) {
        let of_book = published.iter().flat_map(|heads| {
            let own = heads.books.iter().filter(|head| head.book == book);
            own.map(|head| (format!("The publication of commit {}", heads.position), head.head))
        });
        self.compare_heads(of_book, "published heads", report);
        let of_receipts = (1..).zip(receipts).flat_map(|(number, receipt)| {
            let own = receipt.books.iter().filter(|one| one.book == book);
            own.flat_map(move |one| {
                [(format!("Receipt {number}, before the request"), one.seen), (format!("Receipt {number}"), one.head)]
            })
        });
        self.compare_heads(of_receipts, "heads in receipts", report);
    }

    fn compare_heads(&self, signed: impl Iterator<Item = (String, LogHead)>, kind: &str, report: &mut AuditReport) {
        let (mut on_it, mut later) = (0_u64, 0_u64);
        for (name, head) in signed {
            let own = usize::try_from(head.sequence).ok().and_then(|at| self.hashes.get(at));
            match own {
                Some(hash) if *hash == head.hash => on_it += 1,
                Some(hash) => report.refute(format!(
                    "{name} was signed with head {} at event {}, where this log has {hash}: an event was changed, taken out \
                     or put in.",
                    head.hash, head.sequence
                )),
                None => later += 1,
            }
        }
        if on_it > 0 {
            report.prove(format!(
                "{on_it} {kind} lie on this log: no event before them was changed, taken out or reordered."
            ));
        }
        if later > 0 {
            report.leave_open(format!("{later} {kind} are of later events than this copy of the log has."));
        }
    }
}
