//! The reader of the lines of a message.

use std::iter::Peekable;
use std::str::{FromStr, Split};

use crate::message_error::MessageError;

/// Reads `Name: value` lines in their required order.
pub(crate) struct TextReader<'a> {
    lines: Peekable<Split<'a, char>>,
    line_count: usize,
}

impl<'a> TextReader<'a> {
    /// Reads `text` from its first line.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { lines: text.split('\n').peekable(), line_count: 0 }
    }

    /// The value of the next line if its name is `field`; otherwise the line is not consumed.
    pub(crate) fn optional(&mut self, field: &str) -> Option<&'a str> {
        let line = self.lines.peek()?;
        let value = line.strip_prefix(field)?.strip_prefix(": ")?;
        self.lines.next();
        self.line_count += 1;
        Some(value)
    }

    /// The value of the next line, whose name must be `field`.
    pub(crate) fn text(&mut self, field: &'static str) -> Result<&'a str, MessageError> {
        self.optional(field).ok_or(MessageError::MissingField { line: self.line_count + 1, field })
    }

    /// The values of all following lines whose name is `field`.
    pub(crate) fn repeated(&mut self, field: &str) -> Vec<String> {
        std::iter::from_fn(|| self.optional(field).map(str::to_owned)).collect()
    }

    /// The value of the next line, parsed as a `T`.
    pub(crate) fn value<T: FromStr>(&mut self, field: &'static str) -> Result<T, MessageError> {
        let text = self.text(field)?;
        text.parse().map_err(|_| self.impossible(field))
    }

    /// The error for an impossible value in the line just read.
    pub(crate) fn impossible(&self, field: &'static str) -> MessageError {
        MessageError::ImpossibleValue { line: self.line_count, field }
    }

    /// Checks that no line is left.
    pub(crate) fn finish(mut self) -> Result<(), MessageError> {
        match self.lines.next() {
            None => Ok(()),
            Some(_) => Err(MessageError::TrailingLine { line: self.line_count + 1 }),
        }
    }
}
