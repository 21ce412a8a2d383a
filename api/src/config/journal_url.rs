//! The URL of a journal on PostgreSQL, as a setting. It may contain a password, which is never shown.

use std::fmt;
use std::str::FromStr;

use persistence::PostgresAddress;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::secret_source;
use crate::failure::Failure;

/// A URL that was checked, and whose text forms lack the password.
#[derive(Clone, Debug)]
pub struct JournalUrl(PostgresAddress);

/// The name of the variable or credential.
const VARIABLE: &str = "LIENBOOK_JOURNAL";

impl JournalUrl {
    /// Returns the URL that a credential of the service holds, if there is one.
    ///
    /// # Errors
    /// Fails if it cannot be read, or is not such a URL.
    pub fn find() -> Result<Option<Self>, Failure> {
        secret_source::find(VARIABLE)?.map(|text| text.trim().parse()).transpose().map_err(Failure::new)
    }

    /// Returns the address of the database.
    #[must_use]
    pub const fn address(&self) -> &PostgresAddress {
        &self.0
    }
}

impl fmt::Display for JournalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Two settings are compared for reports, in which the password does not count.
impl PartialEq for JournalUrl {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for JournalUrl {}

impl FromStr for JournalUrl {
    type Err = persistence::DatabaseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl Serialize for JournalUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for JournalUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_in_no_text() {
        let url: JournalUrl = "postgres://lienbook:hunter2@127.0.0.1:5432/lienbook".parse().unwrap();
        for text in [url.to_string(), format!("{url:?}"), serde_json::to_string(&url).unwrap()] {
            assert!(text.contains("127.0.0.1") && !text.contains("hunter2"), "{text}");
        }
        let refused = "mysql://lienbook:hunter2@db/lienbook".parse::<JournalUrl>().unwrap_err().to_string();
        assert!(!refused.contains("hunter2"), "{refused}");
    }
}
