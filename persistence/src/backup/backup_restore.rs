//! Restoration of a backup, up to its end or to a moment.

use std::path::Path;

use domain::UnixMs;

use super::{
    piece::{PieceFault, check_after},
    pieces::Pieces,
};
use crate::{
    backup_error::BackupError,
    commit_builder::{Commit, SealedBlock},
    commit_check::CheckedCommit,
    heads::Heads,
    journal_point::{JournalPoint, StateDigest},
    options::Options,
    postgres_store::{PostgresAddress, PostgresOptions, restore_postgres_with},
    raw_block::RawBlock,
    restore::{PROGRESS_EVENTS_EVERY, RestoreError, RestoreTarget},
    sled_store::restore_with,
};

/// The end of what is restored of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The end of the backup.
    End,
    /// A commit, which is the last one that is restored.
    Position(u64),
    /// A moment: the first commit with an event after it is not restored, nor any later one.
    Time(UnixMs),
}

/// The journal that was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestoredBackup {
    /// The identity of the journal: the digest of its first commit.
    pub journal: StateDigest,
    /// The last commit, and the state after it.
    pub point: JournalPoint,
    /// The time of the last commit: the latest of its events.
    pub at: UnixMs,
    /// The number of events.
    pub events: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The number of streams.
    pub streams: u64,
    /// The number of pieces that were read.
    pub pieces: u64,
    /// Whether it ends where the backup ends.
    pub is_whole: bool,
}

/// Restores a backup into a folder without a journal. `progress` is called with the number of events at intervals.
///
/// The restored journal has the very commits of the backup. It is created only once all of them were found sound.
///
/// # Errors
/// [`RestoreError`]; then there is still no journal in the folder.
pub fn restore_backup(
    path: impl AsRef<Path>,
    options: &Options,
    pieces: &mut Pieces<'_>,
    until: Until,
    progress: &mut dyn FnMut(u64),
) -> Result<RestoredBackup, RestoreError> {
    restore_with(path.as_ref(), options, |target| {
        let restored = fill(pieces, until, target, progress)?;
        Ok((restored, restored.point.position))
    })
}

/// Restores a backup into a database or schema without a journal, in one transaction. `progress` is called with the
/// number of events at intervals.
///
/// # Errors
/// [`RestoreError`]; then there is still no journal.
pub fn restore_backup_postgres(
    address: &PostgresAddress,
    options: &PostgresOptions,
    pieces: &mut Pieces<'_>,
    until: Until,
    progress: &mut dyn FnMut(u64),
) -> Result<RestoredBackup, RestoreError> {
    restore_postgres_with(address, options, |target| {
        let restored = fill(pieces, until, target, progress)?;
        Ok((restored, restored.point.position))
    })
}

impl Until {
    const fn excludes(self, position: u64, at: UnixMs) -> bool {
        match self {
            Self::End => false,
            Self::Position(last) => position > last,
            Self::Time(last) => at.0 > last.0,
        }
    }
}

/// The journal that is being restored.
struct Filling<'a> {
    target: &'a mut dyn RestoreTarget,
    heads: Heads,
    until: Until,
    at: UnixMs,
    events: u64,
    blocks: u64,
    is_over: bool,
    /// The reason why the target takes nothing more.
    failure: Option<String>,
}

impl Filling<'_> {
    /// Checks and writes a commit; `None` if it is not to be restored.
    fn commit(&mut self, blocks: &[RawBlock]) -> Result<Option<CheckedCommit>, PieceFault> {
        let checked = check_after(blocks, &self.heads)?;
        let number = checked.batch.position.0;
        if self.until.excludes(number, checked.at()) {
            self.is_over = true;
            return Ok(None);
        }
        let sealed = blocks.iter().map(|raw| SealedBlock {
            key: raw.key,
            // A block without bytes has not passed the checks.
            bytes: raw.bytes.as_ref().map_or(Vec::new(), |bytes| bytes.as_ref().to_vec()),
        });
        let commit = Commit {
            number,
            blocks: sealed.collect(),
            heads: checked.ends.clone(),
            events: checked.events(),
            bytes: 0,
        };
        if let Err(reason) = self.target.write(commit) {
            self.failure = Some(reason);
            return Ok(None);
        }
        self.heads.advance(number, checked.ends.clone());
        self.at = checked.at();
        self.events += checked.events();
        self.blocks += u64::try_from(blocks.len()).unwrap_or(u64::MAX);
        Ok(Some(checked))
    }
}

/// Writes the commits of a backup into an empty store.
fn fill(
    pieces: &mut Pieces<'_>,
    until: Until,
    target: &mut dyn RestoreTarget,
    progress: &mut dyn FnMut(u64),
) -> Result<RestoredBackup, RestoreError> {
    let mut filling = Filling {
        target,
        heads: Heads::default(),
        until,
        at: UnixMs(0),
        events: 0,
        blocks: 0,
        is_over: false,
        failure: None,
    };
    let (mut read, mut reported, mut journal) = (0, 0, StateDigest::default());
    while !filling.is_over && until != Until::Position(filling.heads.commit) {
        let Some(next) = pieces.next() else { break };
        let (name, piece) = next?;
        (read, journal) = (read + 1, piece.header().journal);
        let passed = piece.commits(&mut |blocks| filling.commit(blocks));
        if let Some(reason) = filling.failure.take() {
            return Err(RestoreError::Write(reason));
        }
        passed.map_err(|fault| fault.of(&name, Path::new(&name)))?;
        if filling.events / PROGRESS_EVENTS_EVERY > reported {
            reported = filling.events / PROGRESS_EVENTS_EVERY;
            progress(filling.events);
        }
    }
    let Filling { heads, at, events, blocks, .. } = filling;
    let end = heads.commit;
    match until {
        Until::Position(wanted) if end < wanted => return Err(BackupError::EndsBefore { end, wanted }.into()),
        _ if end == 0 => return Err(BackupError::BeginsLater.into()),
        _ => {}
    }
    let is_whole = pieces.end().is_some_and(|last| last.point.position == end) && pieces.is_at_end()?;
    let point = JournalPoint { position: end, digest: StateDigest(heads.digest) };
    let streams = u64::try_from(heads.iter().count()).unwrap_or(u64::MAX);
    Ok(RestoredBackup { journal, point, at, events, blocks, streams, pieces: read, is_whole })
}
