//! Values that JSON carries as texts.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

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

/// The longest text of a stranger that is shown, in characters.
const SHOWN_MAX: usize = 80;
/// The longest address of a stranger that is shown, in bytes.
const ADDRESS_BYTES_MAX: usize = 500;

/// What a stranger wrote, fit for a page: one line, without signs that cannot be seen or that turn their surroundings
/// about, and not for ever long; `None` when nothing is left of it.
pub(crate) fn shown(said: &str) -> Option<String> {
    let seen: String = said
        .chars()
        .filter(|character| !is_invisible(*character))
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    let line = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = line.chars().take(SHOWN_MAX).collect();
    (!text.is_empty()).then_some(text)
}

/// The same of a value that should be a text, and may be a number or a truth that stands for one.
pub(crate) fn shown_value(said: &Value) -> Option<String> {
    match said {
        Value::String(text) => shown(text),
        Value::Number(_) | Value::Bool(_) => shown(&said.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Signs that have no width or no ink, and those that make what stands beside them run the other way (UAX #9).
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Where something is in the web, if it is to be had by TLS.
pub(crate) fn web_address(said: &str) -> Option<String> {
    let parsed = (said.len() <= ADDRESS_BYTES_MAX).then(|| reqwest::Url::parse(said).ok()).flatten()?;
    let is_plain = parsed.scheme() == "https" && parsed.username().is_empty() && parsed.password().is_none();
    (is_plain && parsed.as_str().len() <= ADDRESS_BYTES_MAX).then(|| parsed.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_one_line_that_says_what_it_says() {
        assert_eq!(shown(" Frog\n#8\u{202e}gpj\u{200b} "), Some("Frog #8gpj".to_owned()));
        for nothing in ["\u{7}\u{feff} ", "\u{200b} \u{200b}", "\u{3164}", "\u{2028}", ""] {
            assert_eq!(shown(nothing), None, "{nothing:?}");
        }
        assert_eq!(shown(&"é".repeat(900)).unwrap().chars().count(), SHOWN_MAX);
    }

    #[test]
    fn what_should_be_a_text_may_be_a_number() {
        assert_eq!(shown_value(&serde_json::json!(7)), Some("7".to_owned()));
        assert_eq!(shown_value(&serde_json::json!("Moss")), Some("Moss".to_owned()));
        for nothing in [serde_json::json!(null), serde_json::json!(["Moss"]), serde_json::json!({})] {
            assert_eq!(shown_value(&nothing), None, "{nothing}");
        }
    }

    #[test]
    fn an_address_is_one_of_the_web_by_tls() {
        assert_eq!(web_address("https://example.com/a b"), Some("https://example.com/a%20b".to_owned()));
        for wrong in ["http://example.com", "javascript:alert(1)", "https://user@example.com", "/content", "data:,x"] {
            assert_eq!(web_address(wrong), None, "{wrong}");
        }
        for long in ["a".repeat(500), "é".repeat(200)] {
            assert_eq!(web_address(&format!("https://example.com/{long}")), None);
        }
    }
}
