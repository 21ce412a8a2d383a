//! A file with a secret, which its owner alone can read.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::failure::Failure;

/// No secret is longer, in bytes.
const LENGTH_MAX: u64 = 4_096;

/// The text in it; `None` when there is no such file. `what` is how it is called in a failure.
///
/// # Errors
/// When it cannot be read, or others can read it too.
pub fn read(path: &Path, what: &str) -> Result<Option<String>, Failure> {
    let name = path.display();
    let cannot = |error| Failure::new(format!("cannot read {what} in {name}: {error}"));
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(cannot)?,
    };
    // The mode is asked of the opened file, so that nobody swaps it in between. The owner's three bits stand above those
    // of the group and of others.
    let mode = file.metadata().map(|found: fs::Metadata| found.permissions().mode()).map_err(cannot)?;
    if mode.trailing_zeros() < 6 {
        return Err(Failure::new(format!("{what} in {name} is readable by others: chmod 600 {name}")));
    }
    let mut text = String::new();
    file.take(LENGTH_MAX).read_to_string(&mut text).map_err(cannot)?;
    Ok(Some(text))
}
