//! The end of the journal, and its consistency with the last commit.
//!
//! Only the ends are read here, so that a start reads everything once: the chains are checked when they are replayed.

use domain::Stream;

use crate::{
    block::{Hash, Header},
    chain::{ChainFault, parse_at},
    heads::{Head, Heads},
    problem::Problem,
    record_key::RecordKey,
    scan::{RawBlock, block_before},
    stream_key::StreamKey,
};

/// The state of a journal's end.
#[derive(Debug)]
pub(crate) enum End {
    /// Every stream ends as the last commit states.
    Clean(Heads),
    /// The last commit is incomplete: only these blocks are present.
    Torn { commit: u64, blocks: Vec<RecordKey> },
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
    blocks: Vec<(RecordKey, u32)>,
    before: Head,
    blocks_in_commit: u32,
}

/// Finds the end of every stream.
pub(crate) fn find_end(tree: &sled::Tree) -> sled::Result<End> {
    let mut tails = Vec::new();
    let mut below = tree.last()?.map(|(key, _)| key);
    while let Some(key) = below {
        let stream = StreamKey(key.first_chunk().copied().unwrap_or_default());
        match tail(tree, stream)? {
            Ok(tail) => tails.push(tail),
            Err(broken) => return Ok(End::Broken { stream, broken }),
        }
        below = tree.range(..stream.0).next_back().transpose()?.map(|(key, _)| key);
    }
    let mut heads = Heads::default();
    for tail in &tails {
        heads.set(tail.stream, Head { sequence: tail.header.last(), hash: tail.hash });
        heads.commit = heads.commit.max(tail.header.commit);
    }
    check_last_commit(tree, heads, &tails)
}

/// Checks that the last commit is complete, and that all streams end as it found or left them.
fn check_last_commit(tree: &sled::Tree, heads: Heads, tails: &[Tail]) -> sled::Result<End> {
    let commit = heads.commit;
    let mut before = heads.clone();
    let (mut blocks, mut blocks_in_commit, mut digest) = (Vec::new(), 0, heads.digest);
    for tail in tails.iter().filter(|tail| tail.header.commit == commit) {
        match blocks_of_commit(tree, tail)? {
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

fn tail(tree: &sled::Tree, stream: StreamKey) -> sled::Result<Result<Tail, ChainFault>> {
    let Some(raw) = block_before(tree, stream, u64::MAX)? else {
        return Ok(Err(ChainFault { sequence: 1, problem: Problem::Key }));
    };
    let broken = |problem| ChainFault { sequence: raw.key.first.max(1), problem };
    let tail = parsed(&raw).and_then(|(header, hash)| {
        // The block itself is sound, so only a newer version can have defined its kind of stream.
        let stream = stream.stream().ok_or(Problem::NewerStream)?;
        Ok(Tail { stream, header, hash })
    });
    Ok(tail.map_err(broken))
}

/// Walks back from a stream's tail over all blocks of the same commit.
fn blocks_of_commit(tree: &sled::Tree, tail: &Tail) -> sled::Result<Result<CommitBlocks, ChainFault>> {
    let key = RecordKey::block(tail.header.stream, tail.header.first);
    let mut found = CommitBlocks {
        blocks: vec![(key, tail.header.index)],
        before: Head::default(),
        blocks_in_commit: tail.header.blocks,
    };
    let mut first = tail.header.clone();
    while first.first > 1 {
        let Some(raw) = block_before(tree, first.stream, first.first - 1)? else {
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
    let bytes = raw.bytes.as_ref().map_err(Clone::clone)?;
    parse_at(raw.key, bytes).map(|block| (block.header, block.hash))
}
