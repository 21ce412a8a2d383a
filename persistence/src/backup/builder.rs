//! A piece that is being filled.

use std::{fmt, io::Write as _};

use domain::UnixMs;
use flate2::{Compression, write::GzEncoder};

use super::{
    chain_end::ChainEnd,
    piece::{PIECE_BYTES_MAX, Piece, PieceFault, check},
    piece_header::{FORMAT, FORMAT_VERSION, PieceHeader},
};
use crate::{
    backup_error::BackupError,
    commit_check::Before,
    hex_digest::HexDigest,
    journal_point::{JournalPoint, StateDigest},
    raw_commit::{RawCommit, split_commit},
};

/// A piece that is being filled with commits. Each commit is checked, and has to follow from the one before it.
pub struct PieceBuilder {
    header: PieceHeader,
    point: JournalPoint,
    bytes: usize,
    packed: GzEncoder<Vec<u8>>,
}

impl fmt::Debug for PieceBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { header, point, bytes, packed: _ } = self;
        let mut debug = f.debug_struct("PieceBuilder");
        debug.field("header", header).field("point", point).field("bytes", bytes).finish_non_exhaustive()
    }
}

impl PieceBuilder {
    /// An empty piece after the end of a chain, or the first one; of the journal with an identity.
    #[must_use]
    pub fn new(follows: Option<&ChainEnd>, journal: StateDigest) -> Self {
        let point = follows.map(|end| end.point).unwrap_or_default();
        let header = PieceHeader {
            format: FORMAT.to_owned(),
            version: FORMAT_VERSION,
            journal: follows.map_or(journal, |end| end.journal),
            first: point.position + 1,
            last: point.position,
            first_at: UnixMs(0),
            last_at: UnixMs(0),
            before: point.digest,
            after: point.digest,
            previous: follows.map(|end| end.piece).unwrap_or_default(),
            events: 0,
            blocks: 0,
            bytes: 0,
            packed: 0,
        };
        Self { header, point, bytes: 0, packed: GzEncoder::new(Vec::new(), Compression::default()) }
    }

    /// The bytes of the blocks so far.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last commit in the piece, or the one before it.
    #[must_use]
    pub const fn point(&self) -> JournalPoint {
        self.point
    }

    /// Whether no commit was added.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.header.blocks == 0
    }

    /// Adds the next commit.
    ///
    /// # Errors
    /// [`BackupError::Commit`], [`BackupError::Newer`] or [`BackupError::TooLarge`]; the piece must not be used then.
    pub fn push(&mut self, commit: &RawCommit) -> Result<(), BackupError> {
        let position = self.point.position + 1;
        let refused = |fault| match fault {
            PieceFault::Newer(reason) => BackupError::Newer { piece: format!("commit {position}"), reason },
            PieceFault::Damaged(reason) => BackupError::Commit { position, reason },
            PieceFault::Io(error) => BackupError::Commit { position, reason: error.to_string() },
        };
        self.bytes = self.bytes.saturating_add(commit.bytes().len());
        if self.bytes > PIECE_BYTES_MAX {
            return Err(BackupError::TooLarge { position });
        }
        let split =
            split_commit(commit.bytes()).map_err(|problem| refused(PieceFault::of_problem("a block", &problem)))?;
        let (blocks, []) = split else {
            return Err(refused(PieceFault::Damaged("it is followed by another commit".to_owned())));
        };
        let before = Before::Digest(self.point.position, self.point.digest.0);
        let checked = check(&blocks, &before).map_err(refused)?;
        self.point = JournalPoint { position, digest: HexDigest(checked.digest) };
        if self.is_empty() {
            self.header.first_at = checked.at();
        }
        self.header.last_at = checked.at();
        self.header.blocks += u64::try_from(blocks.len()).unwrap_or(u64::MAX);
        self.header.events += checked.events();
        let packed = self.packed.write_all(commit.bytes());
        packed.map_err(|error| refused(PieceFault::Io(error)))
    }

    /// Returns the piece; `None` if it is empty.
    ///
    /// # Errors
    /// [`BackupError::Commit`] if it cannot be encoded.
    pub fn seal(self) -> Result<Option<Piece>, BackupError> {
        if self.is_empty() {
            return Ok(None);
        }
        let Self { header, point, bytes, packed } = self;
        let failed = |reason: String| BackupError::Commit { position: point.position, reason };
        let packed = packed.finish().map_err(|error| failed(error.to_string()))?;
        let length = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        let header = PieceHeader {
            last: point.position,
            after: point.digest,
            bytes: length(bytes),
            packed: length(packed.len()),
            ..header
        };
        Piece::new(header, &packed).map(Some).map_err(|error| failed(error.to_string()))
    }
}
