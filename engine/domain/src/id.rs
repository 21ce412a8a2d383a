//! Identifiers. Each has its own type, so that they cannot be mixed up.

use std::{fmt, num::ParseIntError, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The error for a text that is not an identifier of the expected kind.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("not a {kind} id: {text:?}")]
pub struct ParseIdError {
    kind: &'static str,
    text: String,
}

impl ParseIdError {
    pub(crate) fn new(kind: &'static str, text: &str) -> Self {
        Self { kind, text: text.chars().take(64).collect() }
    }
}

/// Numeric identifiers, written as a prefix and a hexadecimal number: `of_10000000003`.
macro_rules! numeric_id {
    ($(#[$doc:meta])* $name:ident, $repr:ty, $prefix:literal, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $repr);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{:x}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                let number = |digits: &str| -> Result<$repr, ParseIntError> { <$repr>::from_str_radix(digits, 16) };
                text.strip_prefix($prefix)
                    .and_then(|digits| number(digits).ok())
                    .map(Self)
                    // Each id has one spelling: no sign, no leading zeros, no capitals.
                    .filter(|id| id.to_string() == text)
                    .ok_or_else(|| ParseIdError::new($kind, text))
            }
        }
    };
}

numeric_id!(
    /// A collection group: one order book, one actor.
    GroupId, u32, "g_", "collection"
);
numeric_id!(
    /// A user, identified by their wallet's payment address.
    UserId, u64, "us_", "user"
);
numeric_id!(
    /// A session of an account.
    SessionId, u64, "se_", "session"
);
numeric_id!(
    /// An API key of an account.
    ApiKeyId, u64, "ak_", "API key"
);
numeric_id!(
    /// A webhook of a user.
    WebhookId, u64, "wh_", "webhook"
);
numeric_id!(
    /// A push subscription of a user's browser.
    PushId, u64, "ps_", "push subscription"
);
numeric_id!(
    /// An offer. The upper bits name the group, so an id alone finds its book; see [`OfferId::group`].
    OfferId, u64, "of_", "offer"
);
numeric_id!(
    /// A borrow request. The upper bits name the group; see [`RequestId::group`].
    RequestId, u64, "rq_", "borrow request"
);
numeric_id!(
    /// A negotiation. The upper bits name the group; see [`NegotiationId::group`].
    NegotiationId, u64, "ng_", "negotiation"
);
numeric_id!(
    /// A reservation: an offer held for one borrower while the loan is being signed.
    ReservationId, u128, "rv_", "reservation"
);
numeric_id!(
    /// A loan.
    LoanId, u128, "ln_", "loan"
);
numeric_id!(
    /// An order for a BRC-20 transfer inscription.
    TransferOrderId, u128, "or_", "order"
);
numeric_id!(
    /// An announced change of a sub-collection's terms.
    TermChangeId, u64, "tc_", "term change"
);

/// The number of bits of an id that count the items of one group.
const SEQUENCE_BITS: u32 = 40;

/// Identifiers whose upper bits name a group and whose lower bits count the items of its book.
macro_rules! book_id {
    ($name:ident) => {
        impl $name {
            /// Returns the id of the `sequence`-th item of `group`, or `None` when the group's 2^40 ids are used up or
            /// its number exceeds 24 bits.
            #[must_use]
            pub fn new(group: GroupId, sequence: u64) -> Option<Self> {
                (sequence >> SEQUENCE_BITS == 0 && group.0 >> 24 == 0)
                    .then(|| Self((u64::from(group.0) << SEQUENCE_BITS) | sequence))
            }

            /// The group whose book holds it.
            #[must_use]
            pub fn group(self) -> GroupId {
                GroupId(u32::try_from(self.0 >> SEQUENCE_BITS).unwrap_or(u32::MAX))
            }

            /// Its number within its group; later ones have higher numbers.
            #[must_use]
            pub const fn sequence(self) -> u64 {
                self.0 & ((1 << SEQUENCE_BITS) - 1)
            }
        }
    };
}

book_id!(OfferId);
book_id!(RequestId);
book_id!(NegotiationId);

/// A sub-collection within its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SubCollectionId(pub u16);

/// The short name of a collection in URLs and messages: `a-z`, `0-9` and `-`, 1 to 64 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(Arc<str>);

impl Slug {
    /// The maximum length of a slug.
    pub const LENGTH_MAX: usize = 64;

    /// The slug as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Slug {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=Self::LENGTH_MAX).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.into()))
        } else {
            Err(ParseIdError { kind: "collection slug", text: text.chars().take(64).collect() })
        }
    }
}

impl TryFrom<String> for Slug {
    type Error = ParseIdError;

    fn try_from(text: String) -> Result<Self, ParseIdError> {
        text.parse()
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.as_str().to_owned()
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_id_names_its_group_and_has_one_spelling() {
        let id = OfferId::new(GroupId(7), 42).unwrap();
        assert_eq!((id.group(), id.sequence(), id.to_string().as_str()), (GroupId(7), 42, "of_7000000002a"));
        assert_eq!("of_7000000002a".parse(), Ok(id));
        for other in [
            "of_07000000002a",
            "of_7000000002A",
            "of_+7000000002a",
            "7000000002a",
            "of_",
            "us_7",
            "of_10000000000000000",
        ] {
            assert!(other.parse::<OfferId>().is_err(), "{other} was taken for an offer id");
        }
        assert_eq!(OfferId::new(GroupId(1), 1 << 40), None);
        assert_eq!(OfferId::new(GroupId(1 << 24), 1), None);
    }

    #[test]
    fn a_slug_is_short_and_plain() {
        assert!("bitcoin-frogs-7d".parse::<Slug>().is_ok());
        for other in ["", "Frogs", "a b", "ä", "a/b", &"x".repeat(65)] {
            assert!(other.parse::<Slug>().is_err(), "{other} was taken for a slug");
        }
    }
}
