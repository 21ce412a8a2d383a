//! Receipts: what the server signs about one request.

use domain::{GroupId, OfferId, UnixMs, UserId};
use serde::{Deserialize, Serialize};

use crate::{HeadHash, LogHead, StatementKind};

/// The effect of a request in one book, or the state of the book that it was decided on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookReceipt {
    /// The book.
    pub book: GroupId,
    /// The pseudonym of the caller in this book's log.
    pub caller: UserId,
    /// The head of the log before the request: everything that the decision was based on.
    pub seen: LogHead,
    /// The head after it. Equal to `seen` where a loan was prepared, which adds nothing to a book.
    pub head: LogHead,
    /// The offer that a loan was prepared from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferId>,
}

/// A receipt of one request that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The time of the answer.
    pub at: UnixMs,
    /// The commit of the journal up to which everything was durable: the request is in it or in an earlier one.
    pub position: u64,
    /// The request: method and path, or `trading` for commands over a socket.
    pub request: String,
    /// The SHA-256 of the request's body; of commands over a socket, of their ids, each with a line feed.
    pub body: HeadHash,
    /// The SHA-256 of the answer's body; absent for commands over a socket, which are answered one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<HeadHash>,
    /// The books concerned.
    pub books: Vec<BookReceipt>,
}

impl StatementKind for Receipt {
    const TAG: &'static str = "lienbook/receipt";
}
