//! The writer of the lines of a message.

use std::fmt::Write as _;

use crate::message_error::MessageError;

/// The maximum length of a field's value, in bytes.
pub(crate) const VALUE_LENGTH_MAX: usize = 128;

/// Collects `Name: value` lines, separated by a line feed, with none after the last.
#[derive(Default)]
pub(crate) struct TextWriter {
    text: String,
}

impl TextWriter {
    /// Adds a line with a value from an untrusted source.
    ///
    /// Only visible ASCII is accepted. A line break would let a value forge other lines, and a right-to-left mark or a
    /// look-alike letter would let it deceive the reader; no name, id, address or key needs any of them.
    pub(crate) fn text(&mut self, field: &'static str, value: &str) -> Result<(), MessageError> {
        if value.is_empty() {
            return Err(MessageError::EmptyValue { field });
        }
        if value.len() > VALUE_LENGTH_MAX {
            return Err(MessageError::ValueTooLong { field, length: value.len(), max: VALUE_LENGTH_MAX });
        }
        if let Some(character) = value.chars().find(|character| !character.is_ascii_graphic()) {
            return Err(MessageError::ForbiddenCharacter { field, character });
        }
        self.line(field, value);
        Ok(())
    }

    /// Adds a line with a number.
    pub(crate) fn number(&mut self, field: &'static str, value: impl Into<u128>) {
        self.line(field, &value.into().to_string());
    }

    /// Adds a line with a constant of this program, which may contain spaces.
    pub(crate) fn word(&mut self, field: &'static str, value: &str) {
        self.line(field, value);
    }

    /// The complete text.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, field: &str, value: &str) {
        let separator = if self.text.is_empty() { "" } else { "\n" };
        // Writing to a string never fails: the only error `write!` can return is the writer's own.
        let _ = write!(self.text, "{separator}{field}: {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_separated_by_a_line_feed_with_none_at_the_end() {
        let mut writer = TextWriter::default();
        writer.word("Lienbook", "sign in");
        writer.text("Nonce", "a:b").expect("visible ASCII");
        writer.number("Issued", 7_u64);
        assert_eq!(writer.finish(), "Lienbook: sign in\nNonce: a:b\nIssued: 7");
    }

    #[test]
    fn a_value_that_could_deceive_is_refused() {
        for (value, character) in [
            ("a\nVault: b", '\n'),
            ("a\r", '\r'),
            ("a b", ' '),
            ("a\tb", '\t'),
            ("\0", '\0'),
            ("\u{7f}", '\u{7f}'),
            ("a\u{85}b", '\u{85}'),
            ("a\u{2028}b", '\u{2028}'),
            ("\u{202e}slug", '\u{202e}'),
            ("zero\u{200b}width", '\u{200b}'),
            ("\u{430}pe", '\u{430}'),
        ] {
            assert_eq!(
                TextWriter::default().text("Collection", value),
                Err(MessageError::ForbiddenCharacter { field: "Collection", character }),
                "{value:?}"
            );
        }
    }

    #[test]
    fn a_value_has_1_to_128_bytes() {
        for (length, expected) in [
            (0, Err(MessageError::EmptyValue { field: "Nonce" })),
            (1, Ok(())),
            (128, Ok(())),
            (129, Err(MessageError::ValueTooLong { field: "Nonce", length: 129, max: 128 })),
        ] {
            let value = "x".repeat(length);
            assert_eq!(TextWriter::default().text("Nonce", &value), expected);
        }
    }
}
