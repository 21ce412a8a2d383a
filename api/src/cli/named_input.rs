//! A text that an operator hands over, as a file or on standard input.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::Failure;

/// What was read.
pub(super) struct NamedInput {
    /// How the operator knows where it came from.
    pub(super) place: String,
    /// All of it.
    pub(super) text: String,
}

impl NamedInput {
    /// Reads the file; standard input when there is none.
    pub(super) fn read(from: Option<&Path>) -> Result<Self, Failure> {
        let place = from.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let read = match from {
            Some(path) => fs::read_to_string(path),
            None => io::read_to_string(io::stdin().lock()),
        };
        let text = read.map_err(|error| Failure::new(format!("cannot read {place}: {error}")))?;
        Ok(Self { place, text })
    }
}
