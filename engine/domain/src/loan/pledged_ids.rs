//! The displayed ids of a loan's collateral.

use serde::{Deserialize, Serialize};

/// The separator between ids in the journal.
const SEPARATOR: char = ' ';

/// The displayed ids of the inscriptions that secure a loan, in the order of their coins; none for tokens.
///
/// In the journal it is one text, as when a loan had one id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct PledgedIds(Vec<String>);

impl PledgedIds {
    /// The ids.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The first id; `None` for tokens.
    #[must_use]
    pub fn first(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }

    /// Whether there is none: the collateral is tokens.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: ToString> FromIterator<T> for PledgedIds {
    fn from_iter<I: IntoIterator<Item = T>>(ids: I) -> Self {
        Self(ids.into_iter().map(|id| id.to_string()).collect())
    }
}

impl From<String> for PledgedIds {
    fn from(text: String) -> Self {
        text.split(SEPARATOR).filter(|id| !id.is_empty()).collect()
    }
}

impl From<PledgedIds> for String {
    fn from(ids: PledgedIds) -> Self {
        ids.0.join(&SEPARATOR.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_one_text_in_the_journal() {
        for ids in [vec![], vec!["abi0"], vec!["abi0", "cdi1", "efi2"]] {
            let ids: PledgedIds = ids.into_iter().collect();
            assert_eq!(PledgedIds::from(String::from(ids.clone())), ids);
        }
        assert_eq!(String::from(["abi0"].into_iter().collect::<PledgedIds>()), "abi0", "as when there was one");
    }
}
