//! The findings of an audit.

use domain::{LoanId, OfferId, ReservationId, UnixMs};
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

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditReport {
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
        self.findings.iter().all(|finding| finding.verdict != Verdict::Refuted)
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
}
