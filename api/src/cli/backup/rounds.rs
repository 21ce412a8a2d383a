//! The rounds of a backup: each ships everything that is committed when it begins, in pieces.

use std::sync::atomic::{AtomicBool, Ordering};

use persistence::PieceBuilder;

use super::round_error::RoundError;
use super::source::BackupSource;
use super::target::BackupTarget;
use crate::clock;

/// A backup that goes on.
pub(super) struct Rounds {
    source: BackupSource,
    target: BackupTarget,
    bytes_max: usize,
}

impl Rounds {
    /// A backup in pieces of about `bytes_max` bytes.
    pub(super) const fn new(source: BackupSource, target: BackupTarget, bytes_max: usize) -> Self {
        Self { source, target, bytes_max }
    }

    /// The last commit of the backup.
    pub(super) fn position(&self) -> u64 {
        self.target.end().map_or(0, |end| end.point.position)
    }

    /// Ships what is committed now, and what is committed while its last piece is read. Ends after a piece once `is_stopping`
    /// is set.
    ///
    /// # Errors
    /// [`RoundError`]; what was shipped before it is sound.
    pub(super) fn run(&mut self, is_stopping: &AtomicBool) -> Result<(), RoundError> {
        let done = self.ship(is_stopping);
        if done.is_err() {
            self.source.reset();
        }
        done
    }

    fn ship(&mut self, is_stopping: &AtomicBool) -> Result<(), RoundError> {
        self.target.finish_pending()?;
        let began_at = clock::now();
        let journal = self.source.start(self.target.end())?;
        // A market that trades goes on while its commits are shipped, so the round ends where the journal did.
        let mut goal = None;
        while let Some(journal) = journal {
            let mut piece = PieceBuilder::new(self.target.end(), journal);
            let end = self.source.fill(&mut piece, self.bytes_max)?;
            let goal = *goal.get_or_insert(end);
            let Some(piece) = piece.seal()? else { break };
            let (name, header) = (piece.name(), piece.header().clone());
            self.target.put(piece)?;
            tracing::info!(
                piece = %name,
                position = header.last,
                commits = header.last - header.first + 1,
                events = header.events,
                bytes = header.bytes,
                behind = end.saturating_sub(header.last),
                "shipped"
            );
            if header.last >= goal {
                break;
            }
            if is_stopping.load(Ordering::Acquire) {
                return Ok(());
            }
        }
        Ok(self.target.note_caught_up(began_at)?)
    }
}
