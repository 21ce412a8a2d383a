//! The channels that can be subscribed to.

use std::fmt;

use domain::{GroupId, UserId};

/// A channel inside the server: `me` has an owner, who is never named on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// A row per group.
    Market,
    /// The borrow requests of all books.
    Requests,
    /// The halts in effect.
    Halts,
    /// One order book.
    Book(GroupId),
    /// One user's own offers, loans, notices and vault.
    Me(UserId),
}

/// The name on the wire: `market`, `requests`, `halts`, `book:g_1`, `me`.
impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Market => f.write_str("market"),
            Self::Requests => f.write_str("requests"),
            Self::Halts => f.write_str("halts"),
            Self::Book(group) => write!(f, "book:{group}"),
            Self::Me(_) => f.write_str("me"),
        }
    }
}
