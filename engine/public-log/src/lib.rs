//! The public log of each order book: what happened in it, in its order, hash-chained and signed, without the names of
//! those who did it.
//!
//! ```text
//! line 0         the group, as it was listed          head 0 = SHA-256(line 0)
//! line n         event n of the book, with its time   head n = SHA-256(hex of head n-1, line n)
//! receipt        signed: what a request added to which heads, or which heads it was decided on
//! published heads signed: the heads of all books at one time, linked to the heads published before
//! ```
//!
//! The lines are JSON, so a chain can be followed with `sha256sum` and a loop. A log says nothing that the book's own channel
//! does not show, beside pseudonyms that differ from book to book; see [`redaction`](redact). [`audit`] takes a log, published
//! heads and receipts and says what they prove, and what they refute.
//!
//! Pure: no I/O, clock or randomness.

mod audit;
mod entry;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod log_head;
mod pseudonym;
mod published_heads;
mod receipt;
mod redaction;
mod statement;
mod timestamp;

pub use audit::{AuditReport, AuditedBook, Finding, Named, SkippedOffers, Verdict, audit, audit_timestamps};
pub use entry::{EntryError, GENESIS, LogEntry, entry_line, genesis_line};
pub use log_head::{HeadHash, LogHead};
pub use pseudonym::Pseudonyms;
pub use published_heads::{BookHead, PublishedHeads};
pub use receipt::{BookReceipt, Receipt};
pub use redaction::redact;
pub use statement::{LogKey, LogPublicKey, Signed, StatementError, StatementKind};
pub use timestamp::{Attestation, Timestamp, TimestampError};
