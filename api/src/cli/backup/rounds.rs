//! The rounds of a backup: each ships everything that is committed, in pieces.

use std::sync::atomic::{AtomicBool, Ordering};

use persistence::PieceBuilder;

use super::round_error::RoundError;
use super::source::BackupSource;
use super::target::BackupTarget;

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

    /// Ships what is committed now. Ends after a piece once `is_stopping` is set.
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
        let journal = self.source.start(self.target.end())?;
        while let Some(journal) = journal {
            let mut piece = PieceBuilder::new(self.target.end(), journal);
            let end = self.source.fill(&mut piece, self.bytes_max)?;
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
            if is_stopping.load(Ordering::Acquire) {
                return Ok(());
            }
        }
        Ok(self.target.note_look()?)
    }
}
