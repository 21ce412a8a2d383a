//! The commits that another process has appended, in their order and with all checks.

use std::{collections::VecDeque, sync::RwLock};

use engine::journal::{CommittedBatch, Position, ReplayError};
use engine::locks::RwLockExt as _;

use super::{
    blocks::{PAGE_BYTES_MAX, PAGE_ROWS_MAX, PostgresBlocks, StoredBlock, page},
    number::{loaded, stored},
    queries::Queries,
    session::bigint,
};
use crate::{
    block_source::ReadError,
    commit_check::{Before, CheckedCommit, CommitError, check_commit},
    heads::Heads,
    raw_block::RawBlock,
};

/// The query of the last commit according to the writer's row.
pub(super) const POSITION: &str = "SELECT position FROM lienbook_writer WHERE id = 1";

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

/// Passes the commits after `heads` to `each` and advances `heads` after each one.
pub(super) fn read(
    source: &PostgresBlocks,
    heads: &RwLock<Heads>,
    each: &mut dyn FnMut(CommittedBatch),
) -> Result<Position, ReplayError> {
    follow(source.queries(), heads, each).map_err(|error| error.into_replay_error(source))
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
    let mut rows = Rows::after(queries, read);
    while read < durable {
        let blocks = rows.commit(read + 1)?;
        let CheckedCommit { batch, ends, .. } = check_commit(&blocks, &Before::Heads(&heads.read_unpoisoned()))?;
        heads.write_unpoisoned().advance(read + 1, ends);
        read += 1;
        each(batch);
    }
    Ok(Position(read))
}

/// The rows after a cursor, page by page.
pub(super) struct Rows<'a> {
    queries: &'a Queries,
    cursor: (i64, i64),
    page: VecDeque<StoredBlock>,
}

impl<'a> Rows<'a> {
    /// The rows of the commits after one.
    pub(super) fn after(queries: &'a Queries, commit: u64) -> Self {
        Self { queries, cursor: (stored(commit), i64::MAX), page: VecDeque::new() }
    }

    /// Reads all rows of one commit.
    pub(super) fn commit(&mut self, commit: u64) -> Result<Vec<RawBlock>, ReadError> {
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
