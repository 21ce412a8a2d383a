//! An API key to be created: the rights and limits that a user signs for a program.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::str::FromStr;

use ipnet::IpNet;

use crate::message_error::MessageError;
use crate::text_reader::TextReader;
use crate::text_writer::TextWriter;

/// The maximum length of a key's name, in bytes.
pub const NAME_LENGTH_MAX: usize = 32;

/// The most collections that one key lists.
pub const COLLECTIONS_MAX: usize = 50;

/// The most address ranges that one key lists.
pub const ADDRESSES_MAX: usize = 20;

/// The longest validity of a key, in seconds from the issue of its message: 365 days.
pub const VALIDITY_S_MAX: u64 = 365 * 24 * 3_600;

/// The largest amount of a limit, in sats: all bitcoin that there can be.
pub const LIMIT_SATS_MAX: u64 = 2_100_000_000_000_000;

/// A group of requests that a key permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyScope {
    /// Reads of the user's own data.
    Read,
    /// Creation and changes of offers.
    Quote,
    /// Cancellation and pauses of offers.
    Cancel,
    /// The lender's part of loans.
    Lend,
    /// The borrower's part of loans.
    Borrow,
    /// The user's vault.
    Vault,
}

impl KeyScope {
    /// Every scope, in the order of a message.
    pub const ALL: [Self; 6] = [Self::Read, Self::Quote, Self::Cancel, Self::Lend, Self::Borrow, Self::Vault];

    /// The word of the message.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Quote => "quote",
            Self::Cancel => "cancel",
            Self::Lend => "lend",
            Self::Borrow => "borrow",
            Self::Vault => "vault",
        }
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for KeyScope {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|scope| scope.name() == text).ok_or(())
    }
}

/// A key for a program, with what it permits.
///
/// ```text
/// Lienbook: create api key
/// Name: quoting-bot
/// Scope: read
/// Scope: quote
/// Max principal sats: 1250000
/// Max outstanding sats: 50000000
/// Max daily sats: 100000000
/// Collection: bitcoin-puppets
/// Collection: pizza-ninjas
/// IP range: 203.0.113.0/24
/// Valid until: 1800604800
/// ```
///
/// One line for each scope, in the order of [`KeyScope::ALL`]. In place of the lines `Collection` the line
/// `Collections: all`, in place of the lines `IP range` the line `Addresses: any`, if nothing is restricted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewApiKey {
    /// The user's name for it: 1 to [`NAME_LENGTH_MAX`] characters of visible ASCII.
    pub name: String,
    /// The permitted groups of requests, at least one.
    pub scopes: BTreeSet<KeyScope>,
    /// The largest principal of one offer, in sats.
    pub principal_max_sats: u64,
    /// The largest sum of the principals of all the user's open offers and running loans at once, in sats.
    pub outstanding_max_sats: u64,
    /// The largest sum of principals quoted in a UTC day, in sats.
    pub daily_max_sats: u64,
    /// The slugs of the collections that it may quote in, 1 to [`COLLECTIONS_MAX`]; `None` for all.
    pub collections: Option<Vec<String>>,
    /// The networks that it may be used from, 1 to [`ADDRESSES_MAX`]; `None` for any.
    pub addresses: Option<Vec<IpNet>>,
    /// The time from which it is refused, in unix seconds: at most [`VALIDITY_S_MAX`] after the message was issued.
    pub valid_until_s: u64,
}

impl NewApiKey {
    /// Checks the bounds; `issued_s` is the issue time of the message, in unix seconds.
    pub(crate) fn check(&self, issued_s: u64) -> Result<(), MessageError> {
        let length = self.name.len();
        if length > NAME_LENGTH_MAX {
            return Err(MessageError::ValueTooLong { field: "Name", length, max: NAME_LENGTH_MAX });
        }
        if self.scopes.is_empty() {
            return Err(MessageError::ListLength { field: "Scope", count: 0, max: KeyScope::ALL.len() });
        }
        for (field, value) in [
            ("Max principal sats", self.principal_max_sats),
            ("Max outstanding sats", self.outstanding_max_sats),
            ("Max daily sats", self.daily_max_sats),
        ] {
            check_number(field, value, 1, LIMIT_SATS_MAX)?;
        }
        if let Some(slugs) = &self.collections {
            check_list("Collection", slugs, COLLECTIONS_MAX)?;
        }
        if let Some(ranges) = &self.addresses {
            check_list("IP range", ranges, ADDRESSES_MAX)?;
            if let Some(range) = ranges.iter().find(|range| range.trunc() != **range) {
                return Err(MessageError::NotANetwork { range: range.to_string(), network: range.trunc().to_string() });
            }
        }
        let (min, max) = (issued_s.saturating_add(1), issued_s.saturating_add(VALIDITY_S_MAX));
        check_number("Valid until", self.valid_until_s, min, max)
    }

    pub(crate) fn write(&self, writer: &mut TextWriter) -> Result<(), MessageError> {
        writer.text("Name", &self.name)?;
        for scope in &self.scopes {
            writer.word("Scope", scope.name());
        }
        writer.number("Max principal sats", self.principal_max_sats);
        writer.number("Max outstanding sats", self.outstanding_max_sats);
        writer.number("Max daily sats", self.daily_max_sats);
        match &self.collections {
            Some(slugs) => slugs.iter().try_for_each(|slug| writer.text("Collection", slug))?,
            None => writer.word("Collections", "all"),
        }
        match &self.addresses {
            Some(ranges) => ranges.iter().for_each(|range| writer.word("IP range", &range.to_string())),
            None => writer.word("Addresses", "any"),
        }
        writer.number("Valid until", self.valid_until_s);
        Ok(())
    }

    pub(crate) fn read(reader: &mut TextReader<'_>) -> Result<Self, MessageError> {
        let name = reader.value("Name")?;
        let mut scopes = BTreeSet::new();
        while let Some(word) = reader.optional("Scope") {
            scopes.insert(word.parse().map_err(|()| reader.impossible("Scope"))?);
        }
        Ok(Self {
            name,
            scopes,
            principal_max_sats: reader.value("Max principal sats")?,
            outstanding_max_sats: reader.value("Max outstanding sats")?,
            daily_max_sats: reader.value("Max daily sats")?,
            collections: match reader.optional("Collections") {
                Some("all") => None,
                Some(_) => return Err(reader.impossible("Collections")),
                None => Some(reader.repeated("Collection")),
            },
            addresses: match reader.optional("Addresses") {
                Some("any") => None,
                Some(_) => return Err(reader.impossible("Addresses")),
                None => {
                    let mut ranges = Vec::new();
                    while let Some(range) = reader.optional("IP range") {
                        ranges.push(range.parse().map_err(|_| reader.impossible("IP range"))?);
                    }
                    Some(ranges)
                }
            },
            valid_until_s: reader.value("Valid until")?,
        })
    }
}

pub(crate) fn check_number(field: &'static str, value: u64, min: u64, max: u64) -> Result<(), MessageError> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(MessageError::OutOfBounds { field, value, min, max }) }
}

pub(crate) fn check_list<T: ToString>(field: &'static str, values: &[T], max: usize) -> Result<(), MessageError> {
    let count = values.len();
    if !(1..=max).contains(&count) {
        return Err(MessageError::ListLength { field, count, max });
    }
    let mut seen = HashSet::new();
    for value in values.iter().map(T::to_string) {
        if !seen.insert(value.clone()) {
            return Err(MessageError::Duplicate { field, value });
        }
    }
    Ok(())
}
