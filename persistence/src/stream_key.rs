//! The encoding of a stream: one byte for its kind, sixteen for its id, in an order that sorts like [`Stream`].

use std::fmt;

use domain::{GroupId, LoanId, Stream, UserId};

const LISTINGS: u8 = 1;
const ACCOUNTS: u8 = 2;
const BOOK: u8 = 3;
const VAULT: u8 = 4;
const ASSETS: u8 = 5;
const LOAN: u8 = 6;
const ORDERS: u8 = 7;
const CONTACTS: u8 = 8;
const OUTBOX: u8 = 9;
const HALTS: u8 = 10;

/// A stream as bytes. The id has room for the widest identifier, big-endian, so that keys sort by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreamKey(pub(crate) [u8; StreamKey::BYTES]);

impl StreamKey {
    pub(crate) const BYTES: usize = 17;

    fn new(kind: u8, id: u128) -> Self {
        let mut bytes = [0; Self::BYTES];
        bytes[0] = kind;
        bytes[1..].copy_from_slice(&id.to_be_bytes());
        Self(bytes)
    }

    /// Returns the stream, or `None` if its kind was defined by a newer version of this program.
    pub(crate) fn stream(self) -> Option<Stream> {
        let [kind, id @ ..] = self.0;
        let id = u128::from_be_bytes(id);
        match (kind, id) {
            (LISTINGS, 0) => Some(Stream::Listings),
            (ACCOUNTS, 0) => Some(Stream::Accounts),
            (BOOK, id) => u32::try_from(id).ok().map(|id| Stream::Book(GroupId(id))),
            (VAULT, id) => u64::try_from(id).ok().map(|id| Stream::Vault(UserId(id))),
            (ASSETS, 0) => Some(Stream::Assets),
            (LOAN, id) => Some(Stream::Loan(LoanId(id))),
            (ORDERS, 0) => Some(Stream::Orders),
            (CONTACTS, 0) => Some(Stream::Contacts),
            (OUTBOX, 0) => Some(Stream::Outbox),
            (HALTS, 0) => Some(Stream::Halts),
            _ => None,
        }
    }
}

impl From<Stream> for StreamKey {
    fn from(stream: Stream) -> Self {
        match stream {
            Stream::Listings => Self::new(LISTINGS, 0),
            Stream::Accounts => Self::new(ACCOUNTS, 0),
            Stream::Book(group) => Self::new(BOOK, group.0.into()),
            Stream::Vault(lender) => Self::new(VAULT, lender.0.into()),
            Stream::Assets => Self::new(ASSETS, 0),
            Stream::Loan(loan) => Self::new(LOAN, loan.0),
            Stream::Orders => Self::new(ORDERS, 0),
            Stream::Contacts => Self::new(CONTACTS, 0),
            Stream::Outbox => Self::new(OUTBOX, 0),
            Stream::Halts => Self::new(HALTS, 0),
        }
    }
}

/// The name that error messages and file names use.
impl fmt::Display for StreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stream() {
            Some(Stream::Listings) => f.write_str("listings"),
            Some(Stream::Accounts) => f.write_str("accounts"),
            Some(Stream::Book(group)) => write!(f, "book {group}"),
            Some(Stream::Vault(lender)) => write!(f, "vault {lender}"),
            Some(Stream::Assets) => f.write_str("assets"),
            Some(Stream::Loan(loan)) => write!(f, "loan {loan}"),
            Some(Stream::Orders) => f.write_str("orders"),
            Some(Stream::Contacts) => f.write_str("contacts"),
            Some(Stream::Outbox) => f.write_str("outbox"),
            Some(Stream::Halts) => f.write_str("halts"),
            None => {
                f.write_str("unknown ")?;
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_like_streams_and_name_them() {
        let streams = [
            (Stream::Listings, "listings"),
            (Stream::Accounts, "accounts"),
            (Stream::Book(GroupId(1)), "book g_1"),
            (Stream::Book(GroupId(256)), "book g_100"),
            (Stream::Vault(UserId(2)), "vault us_2"),
            (Stream::Vault(UserId(u64::MAX)), "vault us_ffffffffffffffff"),
            (Stream::Assets, "assets"),
            (Stream::Loan(LoanId(u128::MAX)), "loan ln_ffffffffffffffffffffffffffffffff"),
            (Stream::Orders, "orders"),
            (Stream::Contacts, "contacts"),
            (Stream::Outbox, "outbox"),
            (Stream::Halts, "halts"),
        ];
        assert!(streams.is_sorted() && streams.map(|(stream, _)| StreamKey::from(stream)).is_sorted());
        for (stream, name) in streams {
            assert_eq!(StreamKey::from(stream).stream(), Some(stream));
            assert_eq!(StreamKey::from(stream).to_string(), name);
        }
        assert_eq!(StreamKey::new(99, 0).stream(), None);
        assert_eq!(StreamKey::new(BOOK, u128::MAX).stream(), None);
    }
}
