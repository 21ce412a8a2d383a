//! Files with a secret, which only their owner may read.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use signer::private_mode::is_private;

use crate::failure::Failure;

/// The longest secret, in bytes.
const LENGTH_MAX: u64 = 4_096;

/// Returns the text of the file; `None` when there is no such file. `what` names the secret in a failure. A file among
/// the service's credentials is accepted as systemd creates it.
///
/// # Errors
/// Fails if the file cannot be read, or other users may read it.
pub fn read(path: &Path, what: &str) -> Result<Option<String>, Failure> {
    let name = path.display();
    let cannot = |error| Failure::new(format!("cannot read {what} in {name}: {error}"));
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(cannot)?,
    };
    // The mode is that of the opened file, so that the file cannot be swapped between check and use.
    let mode = file.metadata().map(|found: fs::Metadata| found.permissions().mode()).map_err(cannot)?;
    if !is_private(mode, path) {
        return Err(Failure::new(format!("{what} in {name} is readable by others: chmod 600 {name}")));
    }
    let mut text = String::new();
    file.take(LENGTH_MAX).read_to_string(&mut text).map_err(cannot)?;
    Ok(Some(text))
}
