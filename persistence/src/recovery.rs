//! The end of the journal, and its consistency with the last commit.
//!
//! Only the ends are read here, so that a start reads everything once: the chains are checked when they are replayed.

use domain::Stream;

use crate::{
    block::{Hash, Header},
    block_key::BlockKey,
    block_source::{BlockSource, ReadError},
    chain::ChainFault,
    heads::{Head, Heads},
    problem::Problem,
    raw_block::RawBlock,
    stream_key::StreamKey,
};

/// The state of a journal's end.
#[derive(Debug)]
pub(crate) enum End {
    /// Every stream ends as the last commit states.
    Clean(Heads),
    /// The last commit is incomplete: only these blocks are present.
    Torn { commit: u64, blocks: Vec<BlockKey> },
    /// The last commit is complete, but streams end elsewhere than it states.
    StreamsTruncated { commit: u64 },
    /// The last block of a stream is damaged.
    Broken { stream: StreamKey, broken: ChainFault },
}

/// The last block of a stream.
struct Tail {
    stream: Stream,
    header: Header,
    hash: Hash,
}

/// The blocks of one commit in one stream, and the head before them.
struct CommitBlocks {
    blocks: Vec<(BlockKey, u32)>,
    before: Head,
    blocks_in_commit: u32,
}

/// Finds the end of every stream.
pub(crate) fn find_end(source: &dyn BlockSource) -> Result<End, ReadError> {
    let mut tails = Vec::new();
    for raw in source.tails() {
        let raw = raw?;
        match tail(&raw) {
            Ok(tail) => tails.push(tail),
            Err(broken) => return Ok(End::Broken { stream: raw.key.stream, broken }),
        }
    }
    let mut heads = Heads::default();
    for tail in &tails {
        heads.set(tail.stream, Head { sequence: tail.header.last(), hash: tail.hash });
        heads.commit = heads.commit.max(tail.header.commit);
    }
    check_last_commit(source, heads, &tails)
}

/// Checks that the last commit is complete, and that all streams end as it found or left them.
fn check_last_commit(source: &dyn BlockSource, heads: Heads, tails: &[Tail]) -> Result<End, ReadError> {
    let commit = heads.commit;
    let mut before = heads.clone();
    let (mut blocks, mut blocks_in_commit, mut digest) = (Vec::new(), 0, heads.digest);
    for tail in tails.iter().filter(|tail| tail.header.commit == commit) {
        match blocks_of_commit(source, tail)? {
            Ok(found) => {
                before.set(tail.stream, found.before);
                (blocks_in_commit, digest) = (found.blocks_in_commit, tail.header.digest);
                blocks.extend(found.blocks);
            }
            Err(broken) => return Ok(End::Broken { stream: tail.header.stream, broken }),
        }
    }
    let mut indexes: Vec<_> = blocks.iter().map(|(_, index)| *index).collect();
    indexes.sort_unstable();
    if !indexes.into_iter().eq(0..blocks_in_commit) {
        return Ok(End::Torn { commit, blocks: blocks.into_iter().map(|(key, _)| key).collect() });
    }
    if before.digest == digest { Ok(End::Clean(heads)) } else { Ok(End::StreamsTruncated { commit }) }
}

fn tail(raw: &RawBlock) -> Result<Tail, ChainFault> {
    let tail = parsed(raw).and_then(|(header, hash)| {
        // The block itself is sound, so only a newer version can have defined its kind of stream.
        let stream = raw.key.stream.stream().ok_or(Problem::NewerStream)?;
        Ok(Tail { stream, header, hash })
    });
    tail.map_err(|problem| ChainFault { sequence: raw.key.first.max(1), problem })
}

/// Walks back from a stream's tail over all blocks of the same commit.
fn blocks_of_commit(source: &dyn BlockSource, tail: &Tail) -> Result<Result<CommitBlocks, ChainFault>, ReadError> {
    let key = BlockKey { stream: tail.header.stream, first: tail.header.first };
    let mut found = CommitBlocks {
        blocks: vec![(key, tail.header.index)],
        before: Head::default(),
        blocks_in_commit: tail.header.blocks,
    };
    let mut first = tail.header.clone();
    while first.first > 1 {
        let Some(raw) = source.block_before(first.stream, first.first - 1)? else {
            return Ok(Err(ChainFault { sequence: 1, problem: Problem::Gap { expected: 1, found: first.first } }));
        };
        match parsed(&raw) {
            Ok((header, _)) if header.commit == tail.header.commit => {
                found.blocks.push((raw.key, header.index));
                first = header;
            }
            Ok(_) => break,
            Err(problem) => return Ok(Err(ChainFault { sequence: raw.key.first.max(1), problem })),
        }
    }
    found.before = Head { sequence: first.first - 1, hash: first.previous };
    Ok(Ok(found))
}

fn parsed(raw: &RawBlock) -> Result<(Header, Hash), Problem> {
    raw.parse().map(|block| (block.header, block.hash))
}
