//! A failure of the program that a person reads on the terminal: one line.

use std::fmt;

/// What went wrong, and what to do about it, in one line.
///
/// Everything that ends the program goes through this type, so that no start-up failure is a stack of causes or a
/// panic.
#[derive(Debug)]
pub struct Failure {
    line: String,
}

impl Failure {
    /// A failure with this text; line breaks become spaces.
    #[must_use]
    pub fn new(text: impl fmt::Display) -> Self {
        let text = text.to_string();
        let line =
            text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        Self { line }
    }

    /// The same failure, said to have happened while `doing` something.
    #[must_use]
    pub fn while_doing(self, doing: impl fmt::Display) -> Self {
        Self::new(format!("{doing}: {}", self.line))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_whatever_its_cause_says() {
        let failure = Failure::new("first\n  second\r\n\nthird").while_doing("cannot start");
        assert_eq!(failure.to_string(), "cannot start: first second third");
    }
}
