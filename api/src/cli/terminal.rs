//! What the program says to the person at the terminal.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};

use crate::failure::Failure;

/// Writes a line to standard output. Nobody reading it is no reason to fail.
pub(super) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// Writes a line to standard error, where progress goes.
pub(super) fn note(line: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes what somebody asked to be told to standard output. A reader who has seen enough is no failure, but what
/// cannot be written is.
pub(super) fn print(report: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(report.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Names and values in two columns.
pub(super) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in rows {
        let padding = " ".repeat(width - name.chars().count());
        text.extend(["  ", name, &padding, "  ", value, "\n"]);
    }
    text
}
