//! The hash chain of one stream's blocks.

use engine::journal::{Recorded, Sequence};

use crate::{
    block::{Block, Hash, Header},
    heads::Head,
    problem::Problem,
    raw_block::RawBlock,
    stream_key::StreamKey,
};

/// A fault at a sequence of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChainFault {
    pub(crate) sequence: Sequence,
    pub(crate) problem: Problem,
}

/// Checks the blocks of one stream in order.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    stream: StreamKey,
    next: Sequence,
    /// The hash of the previous block; unknown when the chain is entered in the middle.
    previous: Option<Hash>,
    commit: u64,
}

impl Chain {
    /// The chain from the stream's first event on.
    pub(crate) fn from_start(stream: StreamKey) -> Self {
        Self { stream, next: 1, previous: Some(Hash::default()), commit: 0 }
    }

    /// The chain from the block that begins with `first` on, without a check of the link to its predecessor.
    pub(crate) fn from_middle(stream: StreamKey, first: Sequence) -> Self {
        Self { stream, next: first, previous: None, commit: 0 }
    }

    /// The chain after `head`, the end of the stream after `commit` or an earlier one.
    pub(crate) fn from_head(stream: StreamKey, head: Head, commit: u64) -> Self {
        Self { stream, next: head.sequence.saturating_add(1), previous: Some(head.hash), commit }
    }

    /// The end of the chain so far.
    pub(crate) fn head(&self) -> Head {
        Head { sequence: self.next - 1, hash: self.previous.unwrap_or_default() }
    }

    /// Checks the next block and passes its events to `each`.
    pub(crate) fn verify_next(&mut self, raw: &RawBlock, each: &mut dyn FnMut(Recorded)) -> Result<Header, ChainFault> {
        let block = self.check(raw).map_err(|problem| ChainFault {
            sequence: match problem {
                Problem::Gap { expected, .. } => expected,
                _ => raw.key.first.max(1),
            },
            problem,
        })?;
        block.events(each).map_err(|(sequence, problem)| ChainFault { sequence, problem })?;
        self.next = block.header.last() + 1;
        self.previous = Some(block.hash);
        self.commit = block.header.commit;
        Ok(block.header)
    }

    /// The fault of the next block if the store cannot read it.
    pub(crate) fn unreadable(&self, reason: String) -> ChainFault {
        ChainFault { sequence: self.next, problem: Problem::Unreadable(reason) }
    }

    /// Checks that the stream ends at `head`.
    pub(crate) fn finish(self, head: Head) -> Result<(), ChainFault> {
        let last = self.next - 1;
        if last == head.sequence && self.previous.is_none_or(|previous| previous == head.hash) {
            Ok(())
        } else {
            Err(ChainFault { sequence: self.next, problem: Problem::TailMissing })
        }
    }

    fn check<'a>(&self, raw: &'a RawBlock) -> Result<Block<'a>, Problem> {
        let block = raw.parse()?;
        if raw.key.stream.stream().is_none() {
            return Err(Problem::NewerStream);
        }
        if block.header.first != self.next {
            return Err(Problem::Gap { expected: self.next, found: block.header.first });
        }
        if self.previous.is_some_and(|previous| previous != block.header.previous) {
            return Err(Problem::Unlinked);
        }
        if block.header.commit < self.commit {
            return Err(Problem::CommitOrder);
        }
        debug_assert_eq!(raw.key.stream, self.stream, "a scan stays within its stream");
        Ok(block)
    }
}
