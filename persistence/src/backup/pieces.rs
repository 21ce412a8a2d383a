//! The pieces of a backup in their order, from a folder or from a stream.

use std::{
    fmt, fs,
    io::{BufRead as _, BufReader, Read},
    path::{Path, PathBuf},
    vec,
};

use super::{
    chain_end::ChainEnd,
    piece::Piece,
    piece_file,
    piece_name::{PieceName, SUFFIX},
};
use crate::backup_error::BackupError;

/// The pieces of a backup, read one after the other; each has to follow from the one before it. Ends with the first
/// error.
pub struct Pieces<'a> {
    source: Source<'a>,
    end: Option<ChainEnd>,
    is_finished: bool,
}

enum Source<'a> {
    Folder { path: PathBuf, names: vec::IntoIter<PieceName> },
    Stream { input: BufReader<Box<dyn Read + 'a>>, read: u64 },
}

impl fmt::Debug for Pieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").field("end", &self.end).finish_non_exhaustive()
    }
}

impl<'a> Pieces<'a> {
    /// The pieces that are in a folder now.
    ///
    /// # Errors
    /// [`BackupError`] if the folder cannot be read, has none, or lacks one.
    pub fn of_folder(path: &Path) -> Result<Self, BackupError> {
        let names = names(path)?;
        if names.is_empty() {
            return Err(BackupError::Empty { path: path.to_owned() });
        }
        let source = Source::Folder { path: path.to_owned(), names: names.into_iter() };
        Ok(Self { source, end: None, is_finished: false })
    }

    /// The pieces in a stream, one after the other.
    #[must_use]
    pub fn of_stream(input: impl Read + 'a) -> Self {
        let input: Box<dyn Read + 'a> = Box::new(input);
        Self { source: Source::Stream { input: BufReader::new(input), read: 0 }, end: None, is_finished: false }
    }

    /// The end of the pieces so far; `None` before the first.
    #[must_use]
    pub const fn end(&self) -> Option<&ChainEnd> {
        self.end.as_ref()
    }

    /// Whether no piece follows.
    pub(super) fn is_at_end(&mut self) -> Result<bool, BackupError> {
        match &mut self.source {
            Source::Folder { names, .. } => Ok(names.as_slice().is_empty()),
            Source::Stream { input, .. } => {
                input.fill_buf().map(<[u8]>::is_empty).map_err(BackupError::io("read", Path::new("the stream")))
            }
        }
    }

    fn read(&mut self) -> Result<Option<(String, Piece)>, BackupError> {
        let next = match &mut self.source {
            Source::Folder { path, names } => match names.next() {
                None => None,
                Some(name) => {
                    let piece = piece_file::read(&path.join(name.to_string()))?;
                    let text = name.to_string();
                    if piece.name() != name {
                        let reason = format!("its contents are those of {}", piece.name());
                        return Err(BackupError::Damaged { piece: text, reason });
                    }
                    Some((text, piece))
                }
            },
            Source::Stream { input, read } => {
                let name = format!("piece {} of the stream", *read + 1);
                let path = Path::new("the stream");
                let piece = Piece::read(input).map_err(|fault| fault.of(&name, path))?;
                if piece.is_none() && *read == 0 {
                    return Err(BackupError::Empty { path: path.to_owned() });
                }
                *read += 1;
                piece.map(|piece| (name, piece))
            }
        };
        if let Some((name, piece)) = &next {
            ChainEnd::check(self.end.as_ref(), name, piece.header())?;
            self.end = Some(piece.end());
        }
        Ok(next)
    }
}

impl Iterator for Pieces<'_> {
    /// The piece, and the name that errors give it. Its digest and place are checked, and its blocks are not.
    type Item = Result<(String, Piece), BackupError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_finished {
            return None;
        }
        let next = self.read().transpose();
        self.is_finished = !matches!(next, Some(Ok(_)));
        next
    }
}

/// Returns the names of the pieces in a folder in their order, of which none is missing. Other files do not count.
pub(super) fn names(path: &Path) -> Result<Vec<PieceName>, BackupError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(BackupError::io("read", path))? {
        let entry = entry.map_err(BackupError::io("read", path))?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.ends_with(SUFFIX)) else { continue };
        names.push(name.parse::<PieceName>().map_err(|()| BackupError::Name { path: entry.path() })?);
    }
    names.sort_unstable();
    let mut expected = 1;
    for name in &names {
        let (piece, found) = (name.to_string(), name.first);
        if found > expected {
            return Err(BackupError::Gap { piece, expected, found });
        }
        if found < expected {
            return Err(BackupError::Overlap { piece, found });
        }
        expected = name.last.saturating_add(1);
    }
    Ok(names)
}
