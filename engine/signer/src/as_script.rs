//! Serde for scripts as hexadecimal digits.

use bitcoin::ScriptBuf;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};

/// Serializes a script as digits.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(script: &ScriptBuf, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&script.to_hex_string())
}

/// Deserializes a script from digits.
///
/// # Errors
/// If the text is not hexadecimal.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ScriptBuf, D::Error> {
    let text = String::deserialize(deserializer)?;
    ScriptBuf::from_hex(&text).map_err(|_| D::Error::custom("a script is hexadecimal"))
}
