//! The file of a piece: written under another name, synced and read back before it gets its own.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufReader, BufWriter, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use super::piece::Piece;
use crate::{backup_error::BackupError, durable_folder::sync_folder};

/// The suffix of files that are being written.
pub(super) const UNFINISHED: &str = ".unfinished";

/// Writes a piece, and renames it once it is on the disk and was read back. An existing file is replaced.
pub(super) fn write(folder: &Path, name: &str, piece: &Piece) -> Result<(), BackupError> {
    let unfinished = folder.join(format!("{name}{UNFINISHED}"));
    write_file(&unfinished, |out| piece.write_to(out))?;
    let found = read(&unfinished)?;
    found.verify().map_err(|fault| fault.of(name, &unfinished))?;
    if found.end() != piece.end() {
        let reason = "it was read back as another one".to_owned();
        return Err(BackupError::Damaged { piece: name.to_owned(), reason });
    }
    publish(folder, &unfinished, name)
}

/// Writes a small file as a whole or not at all. An existing file is replaced.
pub(super) fn replace(folder: &Path, name: &str, contents: &[u8]) -> Result<(), BackupError> {
    let unfinished = folder.join(format!("{name}{UNFINISHED}"));
    write_file(&unfinished, |out| out.write_all(contents))?;
    publish(folder, &unfinished, name)
}

/// Reads the piece in a file, which has to be all of it, and checks its digest.
pub(super) fn read(path: &Path) -> Result<Piece, BackupError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = File::open(path).map_err(BackupError::io("read", path))?;
    let mut input = BufReader::new(file);
    let damaged = |reason: &str| BackupError::Damaged { piece: name.clone(), reason: reason.to_owned() };
    let piece = Piece::read(&mut input).map_err(|fault| fault.of(&name, path))?;
    let piece = piece.ok_or_else(|| damaged("it is empty"))?;
    match Piece::read(&mut input) {
        Ok(None) => Ok(piece),
        _ => Err(damaged("bytes follow its end")),
    }
}

fn write_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>) -> Result<(), BackupError> {
    let fill = || {
        // Only the owner may read the journal, so only the owner may read its copy.
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()
    };
    fill().map_err(BackupError::io("write", path))
}

fn publish(folder: &Path, unfinished: &Path, name: &str) -> Result<(), BackupError> {
    let path = folder.join(name);
    fs::rename(unfinished, &path).map_err(BackupError::io("write", &path))?;
    sync_folder(folder).map_err(BackupError::io("sync", folder))
}
