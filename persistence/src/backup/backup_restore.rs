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
    hex_digest::HexDigest,
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
/// The restored journal has the commits of the backup unchanged. It is created only once all of them were found sound.
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
    /// The last commit that has to be read. One after it may be of a version that this program cannot read.
    const fn last(self) -> u64 {
        match self {
            Self::Position(last) => last,
            Self::End | Self::Time(_) => u64::MAX,
        }
    }

    /// Whether a commit is not restored, by its time.
    const fn excludes(self, at: UnixMs) -> bool {
        match self {
            Self::End | Self::Position(_) => false,
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
        if self.until.excludes(checked.at()) {
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
        let passed = piece.commits(until.last(), &mut |blocks| filling.commit(blocks));
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
    let point = JournalPoint { position: end, digest: HexDigest(heads.digest) };
    let streams = u64::try_from(heads.iter().count()).unwrap_or(u64::MAX);
    Ok(RestoredBackup { journal, point, at, events, blocks, streams, pieces: read, is_whole })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use domain::{BookEvent, Event, GroupId, Stream, UnitPrice};
    use engine::journal::{Append, Batch, Journal as _};
    use flate2::{Compression, write::GzEncoder};

    use super::*;
    use crate::{
        CommitSource as _, Piece, PieceBuilder, PieceHeader, SledJournal,
        raw_commit::{RawCommit, split_commit},
    };

    /// The places of the version of a block's layout, and of the kind of its first event.
    const FORMAT_AT: usize = 0;
    const KIND_AT: usize = 108;
    /// A number that no present version has given.
    const UNKNOWN: u8 = 99;

    /// The piece of three commits, of which a newer program has written the second.
    fn newer_in_the_middle(changed_at: usize) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let journal = SledJournal::open(folder.path(), Options::default()).unwrap();
        for after in 0..3 {
            let price = UnitPrice::from_scaled(after + 1);
            let events = vec![Event::Book(BookEvent::PriceMoved { price, observed_at: UnixMs(after) })];
            let append = Append { stream: Stream::Book(GroupId(1)), after, events };
            journal.append(Batch { at: UnixMs(after), appends: vec![append] }).blocking_recv().unwrap().unwrap();
        }
        let (start, mut feed) = journal.start_feed(0).unwrap();
        let (mut sound, mut commits) = (PieceBuilder::new(None, start.journal.unwrap()), Vec::new());
        let read = journal.read_feed(&mut feed, usize::MAX, &mut |commit: RawCommit| {
            commits.push(commit.bytes().to_vec());
            sound.push(&commit)
        });
        read.unwrap();
        let (block, checksum) = commits[1].split_last_chunk_mut::<4>().unwrap();
        assert!(block[changed_at] < UNKNOWN);
        block[changed_at] = UNKNOWN;
        *checksum = crc32c::crc32c(block).to_be_bytes();
        assert_eq!(split_commit(&commits[0]).unwrap().0.len(), 1, "a block is a commit");
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&commits.concat()).unwrap();
        let packed = packed.finish().unwrap();
        let header = sound.seal().unwrap().unwrap().header().clone();
        let header = PieceHeader { packed: u64::try_from(packed.len()).unwrap(), ..header };
        let mut bytes = Vec::new();
        Piece::new(header, &packed).unwrap().write_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_restore_to_a_commit_reads_nothing_after_it() {
        for changed_at in [FORMAT_AT, KIND_AT] {
            let piece = newer_in_the_middle(changed_at);
            let restore = |until| {
                let folder = tempfile::tempdir().unwrap();
                let mut pieces = Pieces::of_stream(piece.as_slice());
                restore_backup(folder.path(), &Options::default(), &mut pieces, until, &mut |_| {})
            };
            let restored = restore(Until::Position(1)).unwrap();
            assert_eq!((restored.point.position, restored.is_whole), (1, false));
            for until in [Until::Position(2), Until::End, Until::Time(UnixMs(0))] {
                let error = restore(until).unwrap_err();
                assert!(matches!(error, RestoreError::Backup(BackupError::Newer { .. })), "{error}");
            }
        }
    }
}
