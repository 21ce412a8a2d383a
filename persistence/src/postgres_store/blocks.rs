//! The blocks in PostgreSQL, to read from.

use std::{collections::VecDeque, path::PathBuf};

use engine::journal::Sequence;
use tokio_postgres::Row;

use super::{
    number::{loaded, stored},
    queries::Queries,
    session::{Parameter, bigint, bytea},
};
use crate::{
    block_key::BlockKey,
    block_source::{BlockSource, Blocks, ReadError},
    chain::ChainFault,
    problem::Problem,
    raw_block::{BlockBytes, RawBlock},
    stream_key::StreamKey,
};

/// The bounds of one page of blocks: rows, and bytes unless its first block alone is longer.
pub(super) const PAGE_ROWS_MAX: i64 = 1_024;
pub(super) const PAGE_BYTES_MAX: i64 = 1_024 * 1_024;

/// A page of the rows of `$rows` in `$order`: at most `$limit` rows, and no row after the one that reaches `$bytes`.
macro_rules! page {
    ($rows:literal, $order:literal, $limit:literal, $bytes:literal) => {
        concat!(
            "SELECT stream, first, position, block_index, block FROM (SELECT stream, first, position, block_index, block, ",
            "length(block) AS bytes, sum(length(block)) OVER (ORDER BY ", $order, ") AS total FROM (", $rows,
            " ORDER BY ", $order, " LIMIT ", $limit, ") AS page) AS summed WHERE total - bytes < ", $bytes,
            " ORDER BY ", $order
        )
    };
}
pub(super) use page;

const ALL: &str = page!(
    "SELECT stream, first, position, block_index, block FROM lienbook_block WHERE (stream, first) > ($1, $2)",
    "stream, first",
    "$3",
    "$4"
);
const OF_STREAM: &str = page!(
    "SELECT stream, first, position, block_index, block FROM lienbook_block WHERE stream = $1 AND first > $2",
    "first",
    "$3",
    "$4"
);
const TAILS: &str = page!(
    "SELECT b.stream, b.first, b.position, b.block_index, b.block FROM (SELECT stream, max(first) AS last \
     FROM lienbook_block WHERE stream > $1 GROUP BY stream ORDER BY stream LIMIT $2) AS tail \
     JOIN lienbook_block AS b ON b.stream = tail.stream AND b.first = tail.last",
    "stream",
    "$2",
    "$3"
);
const BEFORE: &str = "SELECT stream, first, position, block_index, block FROM lienbook_block \
    WHERE stream = $1 AND first <= $2 ORDER BY first DESC LIMIT 1";

/// [`BlockSource`] on PostgreSQL.
#[derive(Debug)]
pub(super) struct PostgresBlocks {
    queries: Queries,
}

impl PostgresBlocks {
    pub(super) const fn new(queries: Queries) -> Self {
        Self { queries }
    }

    pub(super) const fn queries(&self) -> &Queries {
        &self.queries
    }

    fn pages(&self, range: Range) -> Blocks<'_> {
        Box::new(Pages { queries: &self.queries, range, page: VecDeque::new(), is_finished: false })
    }
}

impl BlockSource for PostgresBlocks {
    fn all(&self) -> Blocks<'_> {
        self.pages(Range::All { stream: Vec::new(), first: -1 })
    }

    fn stream(&self, stream: StreamKey, first: Sequence) -> Blocks<'_> {
        self.pages(Range::Stream { stream, after: stored(first).saturating_sub(1) })
    }

    fn tails(&self) -> Blocks<'_> {
        self.pages(Range::Tails { after: Vec::new() })
    }

    fn block_before(&self, stream: StreamKey, sequence: Sequence) -> Result<Option<RawBlock>, ReadError> {
        let rows = self.queries.query(BEFORE, || vec![bytea(stream.0.to_vec()), bigint(stored(sequence))])?;
        Ok(rows.first().map(StoredBlock::read).transpose()?.map(StoredBlock::into_raw))
    }

    fn quarantine(&self, _stream: StreamKey, _fault: &ChainFault) -> Option<PathBuf> {
        // Nothing is ever changed in the table, so the damaged rows stay where they are.
        None
    }
}

/// A row of the table of blocks.
#[derive(Clone, Debug)]
pub(super) struct StoredBlock {
    pub(super) stream: Vec<u8>,
    pub(super) first: i64,
    pub(super) position: i64,
    pub(super) block_index: i64,
    block: Vec<u8>,
}

impl StoredBlock {
    pub(super) fn read(row: &Row) -> Result<Self, ReadError> {
        let read = || -> Result<Self, tokio_postgres::Error> {
            Ok(Self {
                stream: row.try_get(0)?,
                first: row.try_get(1)?,
                position: row.try_get(2)?,
                block_index: row.try_get(3)?,
                block: row.try_get(4)?,
            })
        };
        read().map_err(|error| ReadError::Failed(error.to_string()))
    }

    pub(super) fn into_raw(self) -> RawBlock {
        let stream = self.stream.as_slice().try_into().ok().map(StreamKey);
        let place = loaded(self.position).zip(u32::try_from(self.block_index).ok());
        match (stream, loaded(self.first), place) {
            (Some(stream), Some(first), Some(_)) => {
                RawBlock { key: BlockKey { stream, first }, place, bytes: Ok(BlockBytes::Owned(self.block)) }
            }
            (stream, first, _) => {
                let key =
                    BlockKey { stream: stream.unwrap_or(StreamKey([0; StreamKey::BYTES])), first: first.unwrap_or(0) };
                RawBlock { key, place, bytes: Err(Problem::Key) }
            }
        }
    }
}

/// The blocks that are still to be read, each from its cursor on.
enum Range {
    All { stream: Vec<u8>, first: i64 },
    Stream { stream: StreamKey, after: i64 },
    Tails { after: Vec<u8> },
}

impl Range {
    const fn sql(&self) -> &'static str {
        match self {
            Self::All { .. } => ALL,
            Self::Stream { .. } => OF_STREAM,
            Self::Tails { .. } => TAILS,
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let bounds = [bigint(PAGE_ROWS_MAX), bigint(PAGE_BYTES_MAX)];
        let cursor = match self {
            Self::All { stream, first } => vec![bytea(stream.clone()), bigint(*first)],
            Self::Stream { stream, after } => vec![bytea(stream.0.to_vec()), bigint(*after)],
            Self::Tails { after } => vec![bytea(after.clone())],
        };
        cursor.into_iter().chain(bounds).collect()
    }

    fn advance(&mut self, block: &StoredBlock) {
        match self {
            Self::All { stream, first } => (*stream, *first) = (block.stream.clone(), block.first),
            Self::Stream { after, .. } => *after = block.first,
            Self::Tails { after } => after.clone_from(&block.stream),
        }
    }
}

/// Blocks, read page by page.
struct Pages<'a> {
    queries: &'a Queries,
    range: Range,
    page: VecDeque<StoredBlock>,
    is_finished: bool,
}

impl Pages<'_> {
    fn read(&mut self) -> Result<(), ReadError> {
        let rows = self.queries.query(self.range.sql(), || self.range.parameters())?;
        for row in &rows {
            let block = StoredBlock::read(row)?;
            self.range.advance(&block);
            self.page.push_back(block);
        }
        self.is_finished = self.page.is_empty();
        Ok(())
    }
}

impl Iterator for Pages<'_> {
    type Item = Result<RawBlock, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty()
            && !self.is_finished
            && let Err(error) = self.read()
        {
            self.is_finished = true;
            return Some(Err(error));
        }
        self.page.pop_front().map(|block| Ok(block.into_raw()))
    }
}
