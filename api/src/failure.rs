//! The failure type of the program, printed as one line for each fault.

use std::fmt;

/// A failure with advice for the user: one line, or one for each of several faults.
///
/// Everything that ends the program uses this type, so that no start-up failure is a chain of causes or a panic.
#[derive(Debug)]
pub struct Failure {
    lines: Vec<String>,
    status: u8,
}

/// The exit status of a failure that another attempt would meet again, until an operator has acted; a service manager does
/// not repeat it.
pub const EXIT_STATUS_FINAL: u8 = 65;

/// The exit status of a check that could not be made with what it was given.
const EXIT_STATUS_UNUSABLE: u8 = 2;

/// The exit status of every other failure.
const EXIT_STATUS_FAILED: u8 = 1;

impl Failure {
    /// Builds a failure with this text; line breaks become spaces.
    #[must_use]
    pub fn new(text: impl fmt::Display) -> Self {
        Self::all([text])
    }

    /// Builds a failure of several faults that were found together, one line each.
    #[must_use]
    pub fn all(texts: impl IntoIterator<Item = impl fmt::Display>) -> Self {
        let lines = texts.into_iter().map(|text| in_one_line(&text.to_string())).collect();
        Self { lines, status: EXIT_STATUS_FAILED }
    }

    /// Adds the context in which the failure occurred.
    #[must_use]
    pub fn while_doing(self, doing: impl fmt::Display) -> Self {
        let lines = self.lines.into_iter().map(|line| in_one_line(&format!("{doing}: {line}"))).collect();
        Self { lines, ..self }
    }

    /// Sets the exit status to [`EXIT_STATUS_FINAL`].
    #[must_use]
    pub fn into_final(self) -> Self {
        Self { status: EXIT_STATUS_FINAL, ..self }
    }

    /// Sets the exit status of a check that could not be made, as opposed to one that found a fault.
    #[must_use]
    pub fn into_unusable(self) -> Self {
        Self { status: EXIT_STATUS_UNUSABLE, ..self }
    }

    /// Returns the exit status of the program.
    #[must_use]
    pub const fn status(&self) -> u8 {
        self.status
    }

    /// Returns the lines to print.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}

fn in_one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("; "))
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
        assert_eq!(failure.status(), 1);
        assert_eq!(failure.into_final().while_doing("again").status(), EXIT_STATUS_FINAL);
    }

    #[test]
    fn several_faults_are_a_line_each() {
        let failure = Failure::all(["a\nb", "c"]).while_doing("settings");
        assert_eq!(failure.lines().collect::<Vec<_>>(), ["settings: a b", "settings: c"]);
    }
}
