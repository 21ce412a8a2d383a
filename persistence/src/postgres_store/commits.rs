//! The commits that another process has appended, in their order and with all checks.

use std::{collections::VecDeque, sync::RwLock};

use engine::journal::{CommittedBatch, CommittedEvents, Position, Recorded, ReplayError};
use engine::locks::RwLockExt as _;

use super::{
    blocks::{PAGE_BYTES_MAX, PAGE_ROWS_MAX, PostgresBlocks, StoredBlock, page},
    number::{loaded, stored},
    queries::Queries,
    session::bigint,
};
use crate::{
    block_key::BlockKey,
    block_source::ReadError,
    chain::{Chain, ChainFault},
    damage::Damage,
    heads::{Head, Heads},
    problem::Problem,
    raw_block::RawBlock,
    stream_key::StreamKey,
};

const POSITION: &str = "SELECT position FROM lienbook_writer WHERE id = 1";

const AFTER: &str = page!(
    "SELECT stream, first, position, block_index, block FROM lienbook_block WHERE (position, block_index) > ($1, $2)",
    "position, block_index",
    "$3",
    "$4"
);

/// Returns the last commit according to the writer's row.
pub(super) fn position(queries: &Queries) -> Result<u64, ReadError> {
    let rows = queries.query(POSITION, Vec::new)?;
    let row = rows.first().ok_or_else(|| ReadError::Corrupt("the row of the writer is missing".to_owned()))?;
    let position = row.try_get(0).map_err(|error| ReadError::Failed(error.to_string()))?;
    loaded(position).ok_or_else(|| ReadError::Corrupt(format!("the row of the writer has position {position}")))
}

/// Returns the blocks of one commit, in their order.
pub(super) fn blocks_of_commit(queries: &Queries, commit: u64) -> Result<Vec<RawBlock>, ReadError> {
    let mut cursor = (stored(commit), -1);
    let mut blocks = Vec::new();
    loop {
        let page = page_after(queries, cursor)?;
        let is_last = page.last().is_none_or(|block| block.position != stored(commit));
        for block in page.into_iter().filter(|block| block.position == stored(commit)) {
            cursor = (block.position, block.block_index);
            blocks.push(block.into_raw());
        }
        if is_last {
            return Ok(blocks);
        }
    }
}

fn page_after(queries: &Queries, (position, index): (i64, i64)) -> Result<Vec<StoredBlock>, ReadError> {
    let parameters = || vec![bigint(position), bigint(index), bigint(PAGE_ROWS_MAX), bigint(PAGE_BYTES_MAX)];
    queries.query(AFTER, parameters)?.iter().map(StoredBlock::read).collect()
}

/// The reason why the next commit cannot be passed on.
enum CommitError {
    Read(ReadError),
    Fault(StreamKey, ChainFault),
}

impl From<ReadError> for CommitError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

/// Passes the commits after `heads` to `each` and advances `heads` after each one.
pub(super) fn read(
    source: &PostgresBlocks,
    heads: &RwLock<Heads>,
    each: &mut dyn FnMut(CommittedBatch),
) -> Result<Position, ReplayError> {
    let read = follow(source.queries(), heads, each);
    read.map_err(|error| match error {
        CommitError::Read(ReadError::Failed(reason)) => ReplayError::Storage(reason),
        CommitError::Read(ReadError::Corrupt(reason)) => {
            ReplayError::Damaged(format!("the journal is damaged: {reason}; restore it with `lienbook restore`"))
        }
        CommitError::Fault(stream, fault) => {
            let damage = Damage::quarantined(source, stream, fault);
            tracing::error!("{damage}");
            ReplayError::Damaged(damage.to_string())
        }
    })
}

fn follow(
    queries: &Queries,
    heads: &RwLock<Heads>,
    each: &mut dyn FnMut(CommittedBatch),
) -> Result<Position, CommitError> {
    let durable = position(queries)?;
    let mut read = heads.read_unpoisoned().commit;
    if durable < read {
        let reason = format!("it ends with commit {durable}, and commit {read} was read from it before");
        return Err(ReadError::Corrupt(reason).into());
    }
    // Whatever was committed before the position was read is visible to every later query.
    let mut rows = Rows { queries, cursor: (stored(read), i64::MAX), page: VecDeque::new() };
    while read < durable {
        let blocks = rows.commit(read + 1)?;
        let (commit, ends) = checked(read + 1, &blocks, &heads.read_unpoisoned())?;
        heads.write_unpoisoned().advance(read + 1, ends);
        read += 1;
        each(commit);
    }
    Ok(Position(read))
}

/// The rows after a cursor, page by page.
struct Rows<'a> {
    queries: &'a Queries,
    cursor: (i64, i64),
    page: VecDeque<StoredBlock>,
}

impl Rows<'_> {
    /// Reads all rows of one commit.
    fn commit(&mut self, commit: u64) -> Result<Vec<RawBlock>, ReadError> {
        let mut blocks = Vec::new();
        loop {
            while let Some(block) = self.page.pop_front_if(|block| block.position == stored(commit)) {
                blocks.push(block.into_raw());
            }
            if !self.page.is_empty() {
                return Ok(blocks);
            }
            self.page = page_after(self.queries, self.cursor)?.into();
            match self.page.back() {
                Some(last) => self.cursor = (last.position, last.block_index),
                None => return Ok(blocks),
            }
        }
    }
}

/// Checks that blocks are all of a commit and follow from `heads`; returns their events and the ends after them.
fn checked(
    commit: u64,
    blocks: &[RawBlock],
    heads: &Heads,
) -> Result<(CommittedBatch, Vec<(domain::Stream, Head)>), CommitError> {
    let Some(last) = blocks.last().map(|raw| raw.key) else {
        return Err(ReadError::Corrupt(format!("the blocks of commit {commit} are missing")).into());
    };
    let mut batch = CommittedBatch { position: Position(commit), appends: Vec::new() };
    let mut ends = Vec::new();
    let mut count = 0;
    for of_stream in blocks.chunk_by(|left, right| left.key.stream == right.key.stream) {
        let Some(BlockKey { stream: key, first }) = of_stream.first().map(|raw| raw.key) else { continue };
        let fault = |problem| CommitError::Fault(key, ChainFault { sequence: first.max(1), problem });
        let Some(stream) = key.stream() else { return Err(fault(unknown_stream(of_stream))) };
        if ends.last().is_some_and(|(earlier, _)| *earlier >= stream) {
            return Err(fault(Problem::Misplaced));
        }
        let mut chain = Chain::from_head(key, heads.get(stream), heads.commit);
        let mut events = Vec::<Recorded>::new();
        for raw in of_stream {
            let header = chain
                .verify_next(raw, &mut |recorded| events.push(recorded))
                .map_err(|fault| CommitError::Fault(key, fault))?;
            if header.digest != heads.digest {
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
        ends.push((stream, chain.head()));
        batch.appends.push(CommittedEvents { stream, events });
    }
    Ok((batch, ends))
}

/// The fault of a block whose stream has no name in this version.
fn unknown_stream(blocks: &[RawBlock]) -> Problem {
    let parsed = blocks.first().map(RawBlock::parse);
    parsed.and_then(Result::err).unwrap_or(Problem::NewerStream)
}
