//! The end of a chain of pieces: what the next piece has to follow from.

use domain::UnixMs;
use serde::{Deserialize, Serialize};

use super::piece_header::{PieceDigest, PieceHeader};
use crate::{
    backup_error::BackupError,
    commit_feed::FeedStart,
    journal_point::{JournalPoint, StateDigest},
};

/// The end of the pieces so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainEnd {
    /// The identity of the journal: the digest of its first commit.
    pub journal: StateDigest,
    /// The last commit, and the state of the journal after it.
    pub point: JournalPoint,
    /// The time of that commit.
    pub at: UnixMs,
    /// The digest of the last piece.
    pub piece: PieceDigest,
}

impl ChainEnd {
    /// Checks that a journal has the commits of the chain and can continue it. Returns the identity of the journal; `None` if
    /// both have nothing yet.
    ///
    /// # Errors
    /// [`BackupError::ForeignJournal`], [`BackupError::JournalBehind`], [`BackupError::OtherHistory`].
    pub fn check_journal(end: Option<&Self>, start: &FeedStart) -> Result<Option<StateDigest>, BackupError> {
        let Some(Self { journal, point, .. }) = end else { return Ok(start.journal) };
        if let Some(found) = start.journal.filter(|found| found != journal) {
            return Err(BackupError::ForeignJournal { backup: *journal, journal: found });
        }
        match start.digest {
            None => Err(BackupError::JournalBehind { backup: point.position, journal: start.end }),
            Some(found) if found != point.digest => {
                Err(BackupError::OtherHistory { position: point.position, journal: found, backup: point.digest })
            }
            Some(_) => Ok(Some(*journal)),
        }
    }

    /// Checks that a piece follows, by its header alone. `end` is `None` before the first piece.
    pub(super) fn check(end: Option<&Self>, name: &str, header: &PieceHeader) -> Result<(), BackupError> {
        let point = end.map(|end| end.point).unwrap_or_default();
        let expected = point.position + 1;
        let piece = || name.to_owned();
        if let Some(end) = end.filter(|end| end.journal != header.journal) {
            return Err(BackupError::ForeignPiece { piece: piece(), expected: end.journal, found: header.journal });
        }
        if header.first > expected {
            return Err(BackupError::Gap { piece: piece(), expected, found: header.first });
        }
        if header.first < expected {
            return Err(BackupError::Overlap { piece: piece(), found: header.first });
        }
        if header.previous != end.map(|end| end.piece).unwrap_or_default() || header.before != point.digest {
            let reason = "it does not follow from the piece before it".to_owned();
            return Err(BackupError::Damaged { piece: piece(), reason });
        }
        Ok(())
    }

    /// The end after a piece.
    pub(super) const fn after(header: &PieceHeader, piece: PieceDigest) -> Self {
        let point = JournalPoint { position: header.last, digest: header.after };
        Self { journal: header.journal, point, at: header.last_at, piece }
    }
}
