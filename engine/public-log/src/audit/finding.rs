//! The findings of an audit.

use domain::{GroupId, LoanId, OfferId, ReservationId, UnixMs};
use serde::Serialize;

use crate::LogHead;

/// Whether something is proved or refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It follows from what the server signed.
    Proved,
    /// It contradicts what the server signed, or the rules of the book.
    Refuted,
    /// It is not known from the files that were given.
    Unknown,
    /// A file that was given says nothing: it is damaged, or signed by another key.
    Unusable,
}

/// One statement of an audit, in plain words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it holds.
    pub verdict: Verdict,
    /// The statement, as a sentence.
    pub text: String,
}

/// A reservation that did not take the best offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedOffers {
    /// The sequence of the reservation.
    pub sequence: u64,
    /// Its time.
    pub at: UnixMs,
    /// The reservation.
    pub reservation: ReservationId,
    /// The loan that it became, if it did.
    pub loan: Option<LoanId>,
    /// The offer that was taken.
    pub offer: OfferId,
    /// The rank of that offer then, from 1.
    pub rank: usize,
    /// The best offer then.
    pub best: OfferId,
}

/// The book that a log says it is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditedBook {
    /// Its number.
    pub id: GroupId,
    /// Its name in addresses.
    pub slug: String,
}

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditReport {
    /// The book that the first line names.
    pub book: Option<AuditedBook>,
    /// The number of published heads of this book that were compared with the log.
    pub compared_heads: u64,
    /// The number of receipts about this book that were compared with the log.
    pub compared_receipts: u64,
    /// The sequence of the last event that something signed commits to, by a head that lies on this log.
    pub signed_to: Option<u64>,
    /// The number of events in the log.
    pub entries: u64,
    /// The head of the log as it was computed from its lines.
    pub head: Option<LogHead>,
    /// The findings, in the order in which they were checked.
    pub findings: Vec<Finding>,
    /// The number of reservations of offers that anyone could take.
    pub ranked_reservations: u64,
    /// Those of them that took another than the best offer; borrowers may choose any.
    pub skipped: Vec<SkippedOffers>,
}

impl AuditReport {
    /// Whether nothing is refuted.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.has_no(Verdict::Refuted)
    }

    /// Whether all that was given could be used.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.has_no(Verdict::Unusable)
    }

    fn has_no(&self, verdict: Verdict) -> bool {
        self.findings.iter().all(|finding| finding.verdict != verdict)
    }

    /// Whether something signed commits to the events up to this one.
    pub(super) fn is_signed(&self, sequence: u64) -> bool {
        self.signed_to.is_some_and(|last| sequence <= last)
    }

    /// Adds what an event of this sequence shows: proved, if something signed commits to it.
    pub(super) fn show(&mut self, sequence: u64, text: String) {
        if self.is_signed(sequence) { self.prove(text) } else { self.leave_open(unsigned(&text)) }
    }

    /// Adds a fault of an event of this sequence: refuted, if something signed commits to it.
    pub(super) fn fault(&mut self, sequence: u64, text: String) {
        if self.is_signed(sequence) { self.refute(text) } else { self.reject(unsigned(&text)) }
    }

    pub(super) fn prove(&mut self, text: String) {
        self.findings.push(Finding { verdict: Verdict::Proved, text });
    }

    pub(super) fn refute(&mut self, text: String) {
        self.findings.push(Finding { verdict: Verdict::Refuted, text });
    }

    pub(super) fn leave_open(&mut self, text: String) {
        self.findings.push(Finding { verdict: Verdict::Unknown, text });
    }

    pub(super) fn reject(&mut self, text: String) {
        self.findings.push(Finding { verdict: Verdict::Unusable, text });
    }
}

fn unsigned(text: &str) -> String {
    format!("{text} Nothing that was given is signed about this event.")
}
