//! Text that an operator provides, as a file or on standard input.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::Failure;

/// The text and its source.
pub(super) struct NamedInput {
    /// The name of the source for the operator.
    pub(super) place: String,
    /// The whole text.
    pub(super) text: String,
}

impl NamedInput {
    /// Reads the file, or standard input if there is none.
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
