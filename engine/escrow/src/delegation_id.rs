//! The id of a delegation.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The number of hexadecimal digits.
const DIGITS: usize = 32;

/// The random id of a delegation: 128 bits, drawn by the program that makes the key. In texts 32 lower-case hexadecimal
/// digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DelegationId(pub u128);

/// The error of a text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the id of a delegation has {DIGITS} lower-case hexadecimal digits")]
pub struct ParseDelegationIdError;

impl fmt::Display for DelegationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for DelegationId {
    type Err = ParseDelegationIdError;

    fn from_str(text: &str) -> Result<Self, ParseDelegationIdError> {
        let is_canonical = text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let id = is_canonical.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        id.map(Self).ok_or(ParseDelegationIdError)
    }
}
