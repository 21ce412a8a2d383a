//! The channels of the feed.

use std::fmt;

/// The longest accepted id of a collection.
const ID_LENGTH_MAX: usize = 32;

/// A public channel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// A row for each collection.
    Market,
    /// One order book, by the id of its collection, such as `g_1`.
    Book(String),
}

impl Channel {
    /// Reads the name of a channel that this client follows.
    pub(crate) fn read(name: &str) -> Option<Self> {
        match name.strip_prefix("book:") {
            Some(id) if (1..=ID_LENGTH_MAX).contains(&id.len()) => Some(Self::Book(id.to_owned())),
            None if name == "market" => Some(Self::Market),
            _ => None,
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Market => f.write_str("market"),
            Self::Book(id) => write!(f, "book:{id}"),
        }
    }
}
