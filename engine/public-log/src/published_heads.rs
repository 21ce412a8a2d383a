//! Published heads: the heads of all books at one time.

use domain::{GroupId, UnixMs};
use serde::{Deserialize, Serialize};

use crate::{HeadHash, LogHead, StatementKind};

/// The head of one book's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookHead {
    /// The book.
    pub book: GroupId,
    /// The collection's slug, by which its log is read.
    pub slug: String,
    /// The head.
    pub head: LogHead,
}

/// The heads of all books at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedHeads {
    /// The time of this publication.
    pub at: UnixMs,
    /// A commit of the journal: everything that the heads contain is in it or in earlier ones.
    pub position: u64,
    /// The SHA-256 of the statement that this server published before; `None` in its first one.
    pub previous: Option<HeadHash>,
    /// Every book that is listed, ascending.
    pub books: Vec<BookHead>,
}

impl StatementKind for PublishedHeads {
    const TAG: &'static str = "lienbook/heads";
}
