//! Output to the terminal.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};

use crate::failure::Failure;

/// Writes a line to standard output. A closed reader is ignored.
pub(super) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// Writes a line to standard error, which is used for progress.
pub(super) fn note(line: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a requested report to standard output. A closed pipe is not a failure, any other write error is.
pub(super) fn print(report: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(report.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Formats names and values in two columns.
pub(super) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in rows {
        let padding = " ".repeat(width - name.chars().count());
        text.extend(["  ", name, &padding, "  ", value, "\n"]);
    }
    text
}
