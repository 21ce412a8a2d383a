//! The chain of a log's lines, compared with the heads that the server signed.

use super::AuditReport;
use crate::entry::{self, LogEntry};
use crate::{BookHead, BookReceipt, HeadHash, LogHead, PublishedHeads};

/// The heads after every line of a log, and its events as far as they can be read.
pub(super) struct Chain {
    head: LogHead,
    hashes: Vec<HeadHash>,
    entries: Vec<LogEntry>,
    fault: Option<String>,
}

/// The comparison of a signed head with a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It lies on the log.
    On,
    /// The log has another hash there.
    Off(HeadHash),
    /// It is of a later event than the log has.
    Beyond,
}

impl Chain {
    /// Reads the lines of a log, the first of which is known to begin one. After a line that cannot be read the later ones
    /// are hashed only: something signed may commit to them all the same.
    pub(super) fn read(lines: &[&[u8]]) -> Self {
        let head = LogHead::genesis(lines.first().copied().unwrap_or_default());
        let mut chain = Self { head, hashes: vec![head.hash], entries: Vec::new(), fault: None };
        for (number, line) in (2_u64..).zip(lines.iter().skip(1)) {
            if chain.fault.is_none() {
                match chain.entry(line) {
                    Ok(entry) => chain.entries.push(entry),
                    Err(fault) => chain.fault = Some(format!("Line {number} {fault}.")),
                }
            }
            chain.head = chain.head.after(line);
            chain.hashes.push(chain.head.hash);
        }
        chain
    }

    fn entry(&self, line: &[u8]) -> Result<LogEntry, String> {
        let entry = entry::read_entry(line).map_err(|error| format!("cannot be read: {error}"))?;
        let expected = self.head.sequence + 1;
        if entry.sequence == expected {
            Ok(entry)
        } else {
            Err(format!("has sequence {} where {expected} is expected", entry.sequence))
        }
    }

    /// The events up to the first line that cannot be read.
    pub(super) fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// The head after the last of them.
    pub(super) fn head(&self) -> LogHead {
        let hash = self.hashes.get(self.entries.len()).copied().unwrap_or(self.head.hash);
        LogHead { sequence: u64::try_from(self.entries.len()).unwrap_or(u64::MAX), hash }
    }

    /// Adds the fault of the first line that cannot be read.
    pub(super) fn report_fault(&self, report: &mut AuditReport) {
        if let Some(fault) = &self.fault {
            report.fault(self.head().sequence + 1, fault.clone());
        }
    }

    fn place(&self, head: LogHead) -> Place {
        match usize::try_from(head.sequence).ok().and_then(|at| self.hashes.get(at)) {
            Some(hash) if *hash == head.hash => Place::On,
            Some(hash) => Place::Off(*hash),
            None => Place::Beyond,
        }
    }

    /// Compares the log with published heads of its book.
    pub(super) fn compare_heads(&self, published: &[(&PublishedHeads, &BookHead)], report: &mut AuditReport) {
        let named =
            published.iter().map(|(heads, book)| (format!("The publication of commit {}", heads.position), book.head));
        self.compare(named, "published head", report);
    }

    /// Compares the log with the heads in receipts about its book; returns those receipts that agree with it.
    pub(super) fn compare_receipts<'a>(
        &self,
        receipts: &[(&'a str, &'a BookReceipt)],
        report: &mut AuditReport,
    ) -> Vec<(&'a str, &'a BookReceipt)> {
        let named = receipts.iter().flat_map(|(name, receipt)| {
            [(format!("{name}, before the request,"), receipt.seen), ((*name).to_owned(), receipt.head)]
        });
        self.compare(named, "head in receipts", report);
        let agrees =
            |receipt: &BookReceipt| [receipt.seen, receipt.head].iter().all(|head| self.place(*head) == Place::On);
        receipts.iter().filter(|(_, receipt)| agrees(receipt)).copied().collect()
    }

    fn compare(&self, signed: impl Iterator<Item = (String, LogHead)>, kind: &str, report: &mut AuditReport) {
        let (mut on_it, mut beyond) = (0_u64, 0_u64);
        for (name, head) in signed {
            match self.place(head) {
                Place::On => {
                    on_it += 1;
                    report.signed_to = report.signed_to.max(Some(head.sequence));
                }
                Place::Off(own) => report.refute(format!(
                    "{name} was signed with head {} at event {}, where this log has {own}: an event was changed, taken out \
                     or put in.",
                    head.hash, head.sequence
                )),
                Place::Beyond => beyond += 1,
            }
        }
        if on_it > 0 {
            report.prove(format!(
                "{} on this log: no event before was changed, taken out or reordered.",
                counted(on_it, kind, "lies", "lie")
            ));
        }
        if beyond > 0 {
            report.leave_open(format!(
                "{} of later events than this copy of the log has.",
                counted(beyond, kind, "is", "are")
            ));
        }
    }
}

/// A number of things and their verb. The first word of the noun has the plural's s.
fn counted(count: u64, noun: &str, one: &str, several: &str) -> String {
    if count == 1 {
        return format!("1 {noun} {one}");
    }
    format!("{count} {} {several}", noun.replacen("head", "heads", 1))
}
