//! Values that JSON carries as texts.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de::Error as _};

/// A value, read from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Text<T>(pub(crate) T);

impl<'de, T: FromStr> Deserialize<'de> for Text<T>
where
    T::Err: Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

/// What an upstream said, fit for an error: one line of at most 200 characters.
pub(crate) fn excerpt(said: &str) -> String {
    said.chars().take(200).map(|character| if character.is_control() { ' ' } else { character }).collect()
}
