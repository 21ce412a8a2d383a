//! Values that JSON carries as strings, and sanitized text of external services.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

/// A value, parsed from a string.
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

/// Returns an upstream's message for use in an error: one line of at most 200 characters.
pub(crate) fn excerpt(raw: &str) -> String {
    raw.chars().take(200).map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// The maximum length of external text that is shown, in characters.
const SHOWN_MAX: usize = 80;
/// The maximum length of an external address that is shown, in bytes.
const ADDRESS_BYTES_MAX: usize = 500;

/// Sanitizes external text for display: one line of bounded length, without invisible characters or those that change
/// the text direction; `None` when nothing remains.
pub(crate) fn sanitized(raw: &str) -> Option<String> {
    let seen: String = raw
        .chars()
        .filter(|character| !is_invisible(*character))
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    let line = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = line.chars().take(SHOWN_MAX).collect();
    (!text.is_empty()).then_some(text)
}

/// Sanitizes a value that should be a string, and may be a number or a boolean.
pub(crate) fn sanitized_value(raw: &Value) -> Option<String> {
    match raw {
        Value::String(text) => sanitized(text),
        Value::Number(_) | Value::Bool(_) => sanitized(&raw.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns whether a character is invisible, or changes the direction of the text around it (UAX #9).
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns a web address, if it is an HTTPS URL without credentials.
pub(crate) fn https_url(raw: &str) -> Option<String> {
    let parsed = (raw.len() <= ADDRESS_BYTES_MAX).then(|| url::Url::parse(raw).ok()).flatten()?;
    let is_plain = parsed.scheme() == "https" && parsed.username().is_empty() && parsed.password().is_none();
    (is_plain && parsed.as_str().len() <= ADDRESS_BYTES_MAX).then(|| parsed.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_text_is_one_line_without_invisible_characters() {
        assert_eq!(sanitized(" Frog\n#8\u{202e}gpj\u{200b} "), Some("Frog #8gpj".to_owned()));
        for nothing in ["\u{7}\u{feff} ", "\u{200b} \u{200b}", "\u{3164}", "\u{2028}", ""] {
            assert_eq!(sanitized(nothing), None, "{nothing:?}");
        }
        assert_eq!(sanitized(&"é".repeat(900)).unwrap().chars().count(), SHOWN_MAX);
    }

    #[test]
    fn a_number_is_shown_as_text() {
        assert_eq!(sanitized_value(&serde_json::json!(7)), Some("7".to_owned()));
        assert_eq!(sanitized_value(&serde_json::json!("Moss")), Some("Moss".to_owned()));
        for nothing in [serde_json::json!(null), serde_json::json!(["Moss"]), serde_json::json!({})] {
            assert_eq!(sanitized_value(&nothing), None, "{nothing}");
        }
    }

    #[test]
    fn only_https_addresses_are_shown() {
        assert_eq!(https_url("https://example.com/a b"), Some("https://example.com/a%20b".to_owned()));
        for wrong in ["http://example.com", "javascript:alert(1)", "https://user@example.com", "/content", "data:,x"] {
            assert_eq!(https_url(wrong), None, "{wrong}");
        }
        for long in ["a".repeat(500), "é".repeat(200)] {
            assert_eq!(https_url(&format!("https://example.com/{long}")), None);
        }
    }
}
