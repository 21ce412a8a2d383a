//! Values that are texts in JSON.

use std::fmt;
use std::str::FromStr;

use bitcoin::ScriptBuf;
use serde::{Deserialize, Deserializer, de::Error as _};

/// A value by its own text: a key, a txid, a large number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextValue<T>(pub T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for TextValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(D::Error::custom)
    }
}

/// A script in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptText(pub ScriptBuf);

impl<'de> Deserialize<'de> for ScriptText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ScriptBuf::from_hex(&String::deserialize(deserializer)?).map(Self).map_err(D::Error::custom)
    }
}

/// An id of the API by its number: a prefix such as `ln_`, and hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdText(pub u128);

impl<'de> Deserialize<'de> for IdText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.split_once('_').map_or(text.as_str(), |(_, digits)| digits);
        u128::from_str_radix(digits, 16).map(Self).map_err(D::Error::custom)
    }
}
