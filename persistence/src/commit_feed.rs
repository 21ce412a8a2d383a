//! The commits of a journal in their order, as the bytes that are stored: what a backup ships.

use engine::journal::ReplayError;
use serde::{Deserialize, Serialize};

use crate::{
    block_source::{BlockSource, ReadError},
    chain::ChainFault,
    commit_check::{Before, CommitError, check_commit},
    heads::{Head, Heads},
    hex_digest::HexDigest,
    journal_point::{JournalPoint, StateDigest},
    problem::Problem,
    raw_block::RawBlock,
    raw_commit::RawCommit,
};

/// A place in the order of commits, from which a journal is read on.
///
/// It holds the end of every stream at that place, about 80 bytes each.
#[derive(Clone, Debug, Default)]
pub struct CommitFeed {
    heads: Heads,
}

/// The state of a journal where a backup continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedStart {
    /// The identity of the journal: the digest of its first commit; `None` before that.
    pub journal: Option<StateDigest>,
    /// The last durable commit.
    pub end: u64,
    /// The digest after the last commit of the backup; `None` if the journal ends before it.
    pub digest: Option<StateDigest>,
}

/// A journal whose commits can be read in their order, while it is written.
pub trait CommitSource {
    /// The last durable commit now.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn end(&self) -> Result<u64, ReplayError>;

    /// Returns the place after a commit, 0 for the beginning; `None` if the journal ends before it.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn feed_after(&self, commit: u64) -> Result<Option<CommitFeed>, ReplayError>;

    /// Passes the durable commits after a place to `each`, and advances the place; ends with the commit that reaches
    /// `bytes_max`, or when `each` fails. Each commit is checked, and follows from the one before it.
    ///
    /// # Errors
    /// [`ReplayError`], or the error of `each`; the place is then after the last commit that `each` has taken.
    fn read_feed<E: From<ReplayError>>(
        &self,
        feed: &mut CommitFeed,
        bytes_max: usize,
        each: &mut dyn FnMut(RawCommit) -> Result<(), E>,
    ) -> Result<(), E>;

    /// Returns the place after a commit, and what tells whether a backup that ends there is of this journal. If the journal
    /// ends before, the place is its beginning.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn start_feed(&self, commit: u64) -> Result<(FeedStart, CommitFeed), ReplayError> {
        let (journal, end) = (self.origin()?, self.end()?);
        let feed = self.feed_after(commit)?;
        let digest = feed.as_ref().map(|feed| feed.point().digest);
        Ok((FeedStart { journal, end, digest }, feed.unwrap_or_default()))
    }

    /// The identity of the journal, which is the digest of its first commit; `None` before that.
    ///
    /// # Errors
    /// [`ReplayError`].
    fn origin(&self) -> Result<Option<StateDigest>, ReplayError> {
        read_origin(self)
    }
}

/// Reads the digest of the first commit; `None` before that.
pub(crate) fn read_origin<S: CommitSource + ?Sized>(source: &S) -> Result<Option<StateDigest>, ReplayError> {
    let mut feed = CommitFeed::default();
    source.read_feed(&mut feed, 1, &mut |_commit| Ok::<_, ReplayError>(()))?;
    let JournalPoint { position, digest } = feed.point();
    Ok((position == 1).then_some(digest))
}

impl CommitFeed {
    /// The place: the last commit before it, and the digest of the journal there.
    #[must_use]
    pub fn point(&self) -> JournalPoint {
        JournalPoint { position: self.heads.commit, digest: HexDigest(self.heads.digest) }
    }

    pub(crate) const fn heads(&self) -> &Heads {
        &self.heads
    }

    /// Returns the place after a commit that is in the store.
    pub(crate) fn after(source: &dyn BlockSource, commit: u64) -> Result<Self, ReplayError> {
        let mut heads = Heads::default();
        if commit > 0 {
            for raw in source.tails_until(commit) {
                let (stream, head) = raw
                    .map_err(CommitError::Read)
                    .and_then(|raw| end_of(&raw))
                    .map_err(|error| error.into_replay_error(source))?;
                heads.set(stream, head);
            }
            heads.commit = commit;
        }
        Ok(Self { heads })
    }

    /// Passes commits to `each`, each with all checks.
    pub(crate) fn pass<E: From<ReplayError>>(
        &mut self,
        source: &dyn BlockSource,
        commits: impl Iterator<Item = Result<Vec<RawBlock>, ReadError>>,
        bytes_max: usize,
        each: &mut dyn FnMut(RawCommit) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut passed = 0;
        for blocks in commits {
            let checked = blocks.map_err(CommitError::Read).and_then(|blocks| {
                let checked = check_commit(&blocks, &Before::Heads(&self.heads))?;
                Ok((RawCommit::of(checked.batch.position.0, &blocks), checked))
            });
            let (commit, checked) = checked.map_err(|error| error.into_replay_error(source))?;
            passed += commit.bytes().len();
            each(commit)?;
            self.heads.advance(checked.batch.position.0, checked.ends);
            if passed >= bytes_max {
                break;
            }
        }
        Ok(())
    }
}

/// The end of a stream whose last block is given.
fn end_of(raw: &RawBlock) -> Result<(domain::Stream, Head), CommitError> {
    let fault = |problem| CommitError::Fault(raw.key.stream, ChainFault { sequence: raw.key.first.max(1), problem });
    let block = raw.parse().map_err(fault)?;
    let stream = raw.key.stream.stream().ok_or_else(|| fault(Problem::NewerStream))?;
    Ok((stream, Head { sequence: block.header.last(), hash: block.hash }))
}
