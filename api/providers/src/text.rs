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

/// The longest text of a stranger that is shown, in characters.
const SHOWN_MAX: usize = 200;
/// The longest address of a stranger that is shown, in bytes.
const ADDRESS_BYTES_MAX: usize = 500;

/// What a stranger wrote, fit for a page: one line without what cannot be seen or turns its surroundings about, and not
/// for ever long; `None` when nothing is left of it.
pub(crate) fn shown(said: &str) -> Option<String> {
    let is_seen = |character: &char| !character.is_control() && !is_invisible(*character);
    let text: String = said.trim().chars().filter(is_seen).take(SHOWN_MAX).collect();
    (!text.is_empty()).then_some(text)
}

/// Signs that have no width, or that make what stands beside them run the other way (UAX #9).
const fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Where something is in the web, if it is to be had by TLS.
pub(crate) fn web_address(said: &str) -> Option<String> {
    let parsed = (said.len() <= ADDRESS_BYTES_MAX).then(|| reqwest::Url::parse(said).ok()).flatten()?;
    let is_plain = parsed.scheme() == "https" && parsed.username().is_empty() && parsed.password().is_none();
    is_plain.then(|| parsed.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_one_line_that_says_what_it_says() {
        assert_eq!(shown(" Frog\n#8\u{202e}gpj\u{200b} "), Some("Frog#8gpj".to_owned()));
        assert_eq!(shown("\u{7}\u{feff} "), None);
        assert_eq!(shown(&"é".repeat(900)).unwrap().chars().count(), SHOWN_MAX);
    }

    #[test]
    fn an_address_is_one_of_the_web_by_tls() {
        assert_eq!(web_address("https://example.com/a b"), Some("https://example.com/a%20b".to_owned()));
        for wrong in ["http://example.com", "javascript:alert(1)", "https://user@example.com", "/content", "data:,x"] {
            assert_eq!(web_address(wrong), None, "{wrong}");
        }
        assert_eq!(web_address(&format!("https://example.com/{}", "a".repeat(500))), None);
    }
}
