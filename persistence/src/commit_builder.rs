//! The appends of concurrent callers, packed into one commit.

use std::{collections::BTreeMap, mem};

use domain::{Stream, UnixMs};
use engine::journal::{Append, AppendError, Batch, Sequence};
use thiserror::Error;

use crate::{
    block::Header,
    block_key::BlockKey,
    heads::{Head, Heads},
    options::CommitLimits,
    upcast::{self, PAYLOAD_VERSION},
};

/// A batch cannot be encoded, which is a bug of the program.
#[derive(Debug, Error)]
pub(crate) enum BuildError {
    #[error("an event of {stream:?} cannot be encoded: {error}")]
    Encode { stream: Stream, error: postcard::Error },
    #[error("an append to {stream:?} is too large")]
    TooLarge { stream: Stream },
}

/// A block of a commit, ready to be stored. Its index is its place in the commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SealedBlock {
    pub(crate) key: BlockKey,
    pub(crate) bytes: Vec<u8>,
}

/// The blocks of one commit in their order, and the heads after it.
#[derive(Debug, Default)]
pub(crate) struct Commit {
    pub(crate) number: u64,
    pub(crate) blocks: Vec<SealedBlock>,
    pub(crate) heads: Vec<(Stream, Head)>,
    pub(crate) events: u64,
    pub(crate) bytes: u64,
}

/// A commit that is being built.
#[derive(Debug)]
pub(crate) struct CommitBuilder<'a> {
    heads: &'a Heads,
    limits: CommitLimits,
    drafts: BTreeMap<Stream, StreamDraft>,
    events: usize,
    bytes: usize,
    /// The room in which each event is encoded.
    room: Vec<u8>,
}

/// The new events of one stream in a commit.
#[derive(Debug, Default)]
struct StreamDraft {
    last: Sequence,
    full: Vec<BlockDraft>,
    open: BlockDraft,
}

/// The events of one block.
#[derive(Debug, Default)]
struct BlockDraft {
    first: Sequence,
    count: u32,
    first_at: UnixMs,
    last_at: UnixMs,
    payload: Vec<u8>,
}

impl<'a> CommitBuilder<'a> {
    pub(crate) fn new(heads: &'a Heads, limits: CommitLimits) -> Self {
        Self { heads, limits, drafts: BTreeMap::new(), events: 0, bytes: 0, room: Vec::new() }
    }

    pub(crate) const fn is_full(&self) -> bool {
        self.events >= self.limits.commit_events_max || self.bytes >= self.limits.commit_bytes_max
    }

    /// Accepts a batch, as a whole or not at all.
    pub(crate) fn accept(&mut self, batch: &Batch) -> Result<Result<(), AppendError>, BuildError> {
        for (index, append) in batch.appends.iter().enumerate() {
            let (stream, expected, actual) = (append.stream, append.after, self.last(append.stream));
            let repeated = batch.appends[..index].iter().any(|earlier| earlier.stream == stream);
            if expected != actual || repeated {
                return Ok(Err(AppendError::Conflict { stream, expected, actual }));
            }
        }
        for append in &batch.appends {
            self.push(append, batch.at)?;
        }
        Ok(Ok(()))
    }

    fn last(&self, stream: Stream) -> Sequence {
        self.drafts.get(&stream).map_or_else(|| self.heads.get(stream).sequence, |draft| draft.last)
    }

    fn push(&mut self, append: &Append, at: UnixMs) -> Result<(), BuildError> {
        let (stream, Some(_)) = (append.stream, append.events.first()) else { return Ok(()) };
        let draft = self.drafts.entry(stream).or_default();
        draft.last = append.after;
        for event in &append.events {
            let failed = |error| BuildError::Encode { stream, error };
            let encoded = upcast::encode(event, &mut self.room).map_err(failed)?;
            let added = encoded.len() + ELAPSED_BYTES_MAX;
            if draft.open.count > 0 && draft.open.payload.len() + added > self.limits.block_bytes {
                draft.full.push(mem::take(&mut draft.open));
            }
            draft.last += 1;
            draft.open.push(draft.last, at, encoded).map_err(failed)?;
            self.events += 1;
            self.bytes += added;
        }
        Ok(())
    }

    /// Numbers, chains and seals the blocks; `None` if there is nothing to write.
    pub(crate) fn seal(self) -> Result<Option<Commit>, BuildError> {
        let count: usize = self.drafts.values().map(|draft| draft.full.len() + 1).sum();
        let Some((&stream, _)) = self.drafts.first_key_value() else { return Ok(None) };
        let blocks = u32::try_from(count).map_err(|_| BuildError::TooLarge { stream })?;
        let mut commit = Commit { number: self.heads.commit + 1, ..Commit::default() };
        let mut index = 0;
        for (stream, mut draft) in self.drafts {
            draft.full.push(draft.open);
            let mut head = self.heads.get(stream);
            for block in draft.full {
                let header = Header {
                    payload_version: PAYLOAD_VERSION,
                    commit: commit.number,
                    index,
                    blocks,
                    stream: stream.into(),
                    first: block.first,
                    count: block.count,
                    first_at: block.first_at,
                    previous: head.hash,
                    digest: self.heads.digest,
                };
                let (bytes, hash) = header.seal(&block.payload).ok_or(BuildError::TooLarge { stream })?;
                head = Head { sequence: header.last(), hash };
                index += 1;
                commit.events += u64::from(block.count);
                commit.bytes += u64::try_from(bytes.len()).map_err(|_| BuildError::TooLarge { stream })?;
                let key = BlockKey { stream: header.stream, first: header.first };
                commit.blocks.push(SealedBlock { key, bytes });
            }
            commit.heads.push((stream, head));
        }
        Ok(Some(commit))
    }
}

/// The maximum length of the encoded time between two events.
const ELAPSED_BYTES_MAX: usize = 10;

impl BlockDraft {
    fn push(&mut self, sequence: Sequence, at: UnixMs, encoded: &[u8]) -> Result<(), postcard::Error> {
        if self.count == 0 {
            (self.first, self.first_at, self.last_at) = (sequence, at, at);
        }
        // Clocks can step back; wrapping arithmetic restores any time exactly.
        let elapsed = at.0.wrapping_sub(self.last_at.0).cast_signed();
        self.payload = postcard::to_extend(&elapsed, mem::take(&mut self.payload))?;
        self.payload.extend_from_slice(encoded);
        self.last_at = at;
        self.count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use domain::{AccountEvent, Event, GroupId, Nonce};

    use super::*;
    use crate::block::Block;

    const BOOK: Stream = Stream::Book(GroupId(1));

    fn used(nonce: u128) -> Event {
        Event::Account(AccountEvent::NonceUsed { nonce: Nonce(nonce), expires_at: UnixMs(1) })
    }

    fn batch(at: u64, appends: &[(Stream, Sequence, u128)]) -> Batch {
        let append = |&(stream, after, count): &(Stream, Sequence, u128)| Append {
            stream,
            after,
            events: (0..count).map(used).collect(),
        };
        Batch { at: UnixMs(at), appends: appends.iter().map(append).collect() }
    }

    #[test]
    fn batches_of_one_commit_share_a_block_and_keep_their_own_times() {
        let heads = Heads::default();
        let mut builder = CommitBuilder::new(&heads, CommitLimits::default());
        builder.accept(&batch(10, &[(BOOK, 0, 2)])).unwrap().unwrap();
        builder.accept(&batch(20, &[(BOOK, 2, 1)])).unwrap().unwrap();
        builder.accept(&batch(15, &[(BOOK, 3, 1)])).unwrap().unwrap();
        let commit = builder.seal().unwrap().unwrap();
        assert_eq!((commit.blocks.len(), commit.events, commit.number), (1, 4, 1));
        let mut seen = Vec::new();
        let block = Block::parse(&commit.blocks[0].bytes).unwrap();
        block.events(&mut |recorded| seen.push((recorded.sequence, recorded.at.0))).unwrap();
        assert_eq!(seen, [(1, 10), (2, 10), (3, 20), (4, 15)]);
    }

    #[test]
    fn a_batch_with_a_stale_sequence_adds_nothing() {
        let mut heads = Heads::default();
        heads.set(BOOK, Head { sequence: 5, hash: [1; 32] });
        let mut builder = CommitBuilder::new(&heads, CommitLimits::default());
        builder.accept(&batch(1, &[(BOOK, 5, 2)])).unwrap().unwrap();
        let conflict = |expected, actual| Err(AppendError::Conflict { stream: BOOK, expected, actual });
        assert_eq!(builder.accept(&batch(1, &[(Stream::Assets, 0, 1), (BOOK, 5, 1)])).unwrap(), conflict(5, 7));
        assert_eq!(builder.accept(&batch(1, &[(BOOK, 7, 1), (BOOK, 7, 1)])).unwrap(), conflict(7, 7));
        let commit = builder.seal().unwrap().unwrap();
        assert_eq!(commit.heads.len(), 1);
        assert_eq!((commit.heads[0].0, commit.heads[0].1.sequence), (BOOK, 7));
    }

    #[test]
    fn blocks_stay_small_and_are_chained_and_counted() {
        let heads = Heads::default();
        let limits = CommitLimits { block_bytes: 100, ..CommitLimits::default() };
        let mut builder = CommitBuilder::new(&heads, limits);
        builder.accept(&batch(1, &[(BOOK, 0, 50), (Stream::Accounts, 0, 1)])).unwrap().unwrap();
        let commit = builder.seal().unwrap().unwrap();
        let blocks: Vec<_> = commit.blocks.iter().map(|block| Block::parse(&block.bytes).unwrap()).collect();
        assert!(blocks.len() > 3, "{} blocks", blocks.len());
        let (accounts, book) = blocks.split_first().unwrap();
        assert_eq!((accounts.header.index, accounts.header.previous), (0, [0; 32]));
        let mut before = Head::default();
        for (index, block) in (1..).zip(book) {
            assert_eq!((block.header.index, block.header.previous), (index, before.hash));
            assert_eq!(
                (block.header.first, usize::try_from(block.header.blocks).unwrap()),
                (before.sequence + 1, blocks.len())
            );
            before = Head { sequence: block.header.last(), hash: block.hash };
        }
        assert_eq!(commit.heads, [(Stream::Accounts, Head { sequence: 1, hash: accounts.hash }), (BOOK, before)]);
    }

    #[test]
    fn appends_without_events_check_sequences_and_write_nothing() {
        let heads = Heads::default();
        let mut builder = CommitBuilder::new(&heads, CommitLimits::default());
        builder.accept(&batch(1, &[(BOOK, 0, 0)])).unwrap().unwrap();
        assert!(builder.accept(&batch(1, &[(BOOK, 1, 0)])).unwrap().is_err());
        assert!(builder.seal().unwrap().is_none());
    }
}
