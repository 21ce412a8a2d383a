//! The channels of the feed.

use std::fmt;

/// The longest accepted id of a collection.
const ID_LENGTH_MAX: usize = 32;

/// A channel of the feed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// A row for each collection.
    Market,
    /// The borrow requests of all collections.
    Requests,
    /// The private data of the user of the client's API key or session: offers, offers for the user, negotiations, the vault,
    /// loans and notices.
    Me,
    /// One order book, by the id of its collection, such as `g_1`.
    Book(String),
}

impl Channel {
    /// Reads the name of a channel that this client follows.
    pub(crate) fn read(name: &str) -> Option<Self> {
        match name.strip_prefix("book:") {
            Some(id) if (1..=ID_LENGTH_MAX).contains(&id.len()) => Some(Self::Book(id.to_owned())),
            Some(_) => None,
            None => [Self::Market, Self::Requests, Self::Me].into_iter().find(|channel| channel.to_string() == name),
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Market => f.write_str("market"),
            Self::Requests => f.write_str("requests"),
            Self::Me => f.write_str("me"),
            Self::Book(id) => write!(f, "book:{id}"),
        }
    }
}
