//! The hash chain of one stream's blocks.

use engine::journal::{Recorded, Sequence};

use crate::{
    block::{Block, Hash, Header},
    heads::Head,
    problem::Problem,
    record_key::RecordKey,
    scan::RawBlock,
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

    /// The fault of the next block if sled cannot read it.
    pub(crate) fn unreadable(&self, error: &sled::Error) -> ChainFault {
        ChainFault { sequence: self.next, problem: Problem::Unreadable(error.to_string()) }
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
        let bytes = raw.bytes.as_ref().map_err(Clone::clone)?;
        let block = parse_at(raw.key, bytes)?;
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

/// Parses a block and checks that its header matches its key.
pub(crate) fn parse_at(key: RecordKey, bytes: &[u8]) -> Result<Block<'_>, Problem> {
    let block = Block::parse(bytes)?;
    let Header { stream, first, count, index, blocks, .. } = block.header;
    let fits = stream == key.stream && first == key.first && first > 0 && count > 0 && index < blocks;
    if fits && first.checked_add(u64::from(count)).is_some() { Ok(block) } else { Err(Problem::Misplaced) }
}
