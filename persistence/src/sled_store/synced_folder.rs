//! Folders whose names survive a power cut.

use std::{fs::File, io, path::Path};

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
