//! Restoration of an export into a data folder.

use std::{io::BufRead, path::Path};

use crate::{
    commit_builder::Commit,
    export::JournalTotals,
    open_error::OpenError,
    options::Options,
    restore::{RestoreError, RestoreTarget, restore_lines},
};

use super::{folder::Folder, store::to_batch};

/// Restores an export into a folder without a journal. `progress` is called with the number of events at intervals.
///
/// The journal is created only once the whole file was found complete and unaltered.
///
/// # Errors
/// [`RestoreError`]; then there is still no journal in the folder.
pub fn restore(
    path: impl AsRef<Path>,
    options: &Options,
    input: &mut impl BufRead,
    progress: &mut dyn FnMut(u64),
) -> Result<JournalTotals, RestoreError> {
    restore_with(path.as_ref(), options, |target| restore_lines(input, options.limits, target, progress))
}

/// Creates a journal of what `fill` writes, in a folder without one. `fill` returns its result and the last commit.
pub(crate) fn restore_with<T>(
    path: &Path,
    options: &Options,
    fill: impl FnOnce(&mut dyn RestoreTarget) -> Result<(T, u64), RestoreError>,
) -> Result<T, RestoreError> {
    let folder = Folder::acquire(path)?;
    if folder.has_journal() {
        return Err(OpenError::NotEmpty { path: folder.path().to_owned() }.into());
    }
    let mut marker = folder.ack_marker()?;
    let mut set_marker =
        |commit| marker.set(commit).and_then(|()| marker.sync()).map_err(|source| folder.not_writable(source));
    let (filled, commit) = folder.create(options.cache_bytes, |db| {
        let filled = fill(&mut Unfinished(db))?;
        // A journal that was moved away may have left an acknowledgement marker, which does not apply to this one.
        set_marker(0)?;
        Ok::<_, RestoreError>(filled)
    })?;
    set_marker(commit)?;
    Ok(filled)
}

/// A journal that is being restored and not yet published.
struct Unfinished<'a>(&'a sled::Db);

impl RestoreTarget for Unfinished<'_> {
    fn write(&mut self, commit: Commit) -> Result<(), String> {
        let batch = to_batch(&commit.blocks).ok_or("a block has too many parts")?;
        self.0.apply_batch(batch).map_err(|error| error.to_string())
    }
}
