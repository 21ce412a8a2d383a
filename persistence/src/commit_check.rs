//! The check of one commit: all of its blocks, each sound, in their places, and after the state that they name.

use domain::{Stream, UnixMs};
use engine::journal::{CommittedBatch, CommittedEvents, Position, Recorded, ReplayError};

use crate::{
    block::Digest,
    block_key::BlockKey,
    block_source::{BlockSource, ReadError},
    chain::{Chain, ChainFault},
    damage::Damage,
    heads::{Head, Heads},
    problem::Problem,
    raw_block::RawBlock,
    stream_key::StreamKey,
};

/// The reason why a commit cannot be read.
#[derive(Debug)]
pub(crate) enum CommitError {
    /// The store cannot be read.
    Read(ReadError),
    /// A block is not as it was written, or not in its place.
    Fault(StreamKey, ChainFault),
}

impl From<ReadError> for CommitError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl CommitError {
    /// Reports a fault of a store; a faulty block is logged and copied to the quarantine of the store if it has one.
    pub(crate) fn into_replay_error(self, source: &dyn BlockSource) -> ReplayError {
        match self {
            Self::Read(ReadError::Failed(reason)) => ReplayError::Storage(reason),
            Self::Read(ReadError::Corrupt(reason)) => {
                ReplayError::Damaged(format!("the journal is damaged: {reason}; restore it with `lienbook restore`"))
            }
            Self::Fault(stream, fault) => {
                let damage = Damage::quarantined(source, stream, fault);
                tracing::error!("{damage}");
                ReplayError::Damaged(damage.to_string())
            }
        }
    }
}

/// The state that a commit has to follow from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Before<'a> {
    /// The ends of all streams.
    Heads(&'a Heads),
    /// The number of the commit before, and the digest of all streams' ends after it. The ends themselves are not known,
    /// so the first block of each stream is checked by that digest alone.
    Digest(u64, Digest),
}

impl Before<'_> {
    const fn commit(&self) -> u64 {
        match self {
            Self::Heads(heads) => heads.commit,
            Self::Digest(commit, _) => *commit,
        }
    }

    const fn digest(&self) -> Digest {
        match self {
            Self::Heads(heads) => heads.digest,
            Self::Digest(_, digest) => *digest,
        }
    }

    fn chain(&self, key: StreamKey, stream: Stream, first: u64) -> Chain {
        match self {
            Self::Heads(heads) => Chain::from_head(key, heads.get(stream), heads.commit),
            Self::Digest(..) if first == 1 => Chain::from_start(key),
            Self::Digest(..) => Chain::from_middle(key, first),
        }
    }
}

/// A commit that was found sound.
#[derive(Debug)]
pub(crate) struct CheckedCommit {
    pub(crate) batch: CommittedBatch,
    /// The ends after it of the streams that it changed.
    pub(crate) ends: Vec<(Stream, Head)>,
    /// The digest of all streams' ends after it.
    pub(crate) digest: Digest,
}

impl CheckedCommit {
    /// The latest time of its events.
    pub(crate) fn at(&self) -> UnixMs {
        let times = self.batch.appends.iter().flat_map(|append| &append.events).map(|recorded| recorded.at);
        times.max_by_key(|at| at.0).unwrap_or_default()
    }

    /// The number of its events.
    pub(crate) fn events(&self) -> u64 {
        let counts = self.batch.appends.iter().map(|append| append.events.len());
        counts.map(|count| u64::try_from(count).unwrap_or(u64::MAX)).sum()
    }
}

/// Checks that blocks are all of the commit after `before`, in their order.
pub(crate) fn check_commit(blocks: &[RawBlock], before: &Before<'_>) -> Result<CheckedCommit, CommitError> {
    let commit = before.commit() + 1;
    let Some(last) = blocks.last().map(|raw| raw.key) else {
        return Err(ReadError::Corrupt(format!("the blocks of commit {commit} are missing")).into());
    };
    let mut batch = CommittedBatch { position: Position(commit), appends: Vec::new() };
    let (mut ends, mut digest, mut count) = (Vec::new(), before.digest(), 0);
    for of_stream in blocks.chunk_by(|left, right| left.key.stream == right.key.stream) {
        let Some(BlockKey { stream: key, first }) = of_stream.first().map(|raw| raw.key) else { continue };
        let fault = |problem| CommitError::Fault(key, ChainFault { sequence: first.max(1), problem });
        let Some(stream) = key.stream() else { return Err(fault(unknown_stream(of_stream))) };
        if ends.last().is_some_and(|(earlier, _)| *earlier >= stream) {
            return Err(fault(Problem::Misplaced));
        }
        let mut chain = before.chain(key, stream, first);
        let mut events = Vec::<Recorded>::new();
        let mut previous = None;
        for raw in of_stream {
            let header = chain
                .verify_next(raw, &mut |recorded| events.push(recorded))
                .map_err(|fault| CommitError::Fault(key, fault))?;
            previous.get_or_insert(header.previous);
            if header.digest != before.digest() {
                return Err(fault(Problem::OtherHistory));
            }
            if (header.commit, header.index) != (commit, count) {
                return Err(fault(Problem::CommitTorn { commit }));
            }
            count += 1;
            if raw.key == last && header.blocks != count {
                return Err(fault(Problem::CommitTorn { commit }));
            }
        }
        let end = chain.head();
        end.replace_in(&mut digest, &previous.unwrap_or_default());
        ends.push((stream, end));
        batch.appends.push(CommittedEvents { stream, events });
    }
    Ok(CheckedCommit { batch, ends, digest })
}

/// The fault of a block whose stream has no name in this version.
fn unknown_stream(blocks: &[RawBlock]) -> Problem {
    let parsed = blocks.first().map(RawBlock::parse);
    parsed.and_then(Result::err).unwrap_or(Problem::NewerStream)
}
