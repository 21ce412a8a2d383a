//! The book as a table of `SQLite`, with one writer in the process.

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{contestant::Round, table::filling};
use crate::{
    latency::Latencies,
    orders::{Order, OrderSource, Shares},
};

/// Commits reach the disk: a write-ahead log that is synchronized at each.
const SETTINGS: &str = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-262144; \
    PRAGMA mmap_size=1073741824; PRAGMA temp_store=MEMORY;";

/// The index has all that counting needs.
const SCHEMA: &str = "
CREATE TABLE offers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lender INTEGER NOT NULL,
    sub_collection INTEGER NOT NULL,
    process INTEGER NOT NULL,
    principal INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    is_open INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX offers_ranked ON offers (sub_collection, process, principal DESC, turn, is_open) WHERE is_open;
CREATE INDEX offers_of_lender ON offers (lender) WHERE is_open;
";

const INSERT: &str = "INSERT INTO offers (lender, sub_collection, process, principal, turn) VALUES (?1, ?2, 0, ?3, ?4)";
const EDIT: &str = "UPDATE offers SET principal = ?3, turn = ?4 WHERE id = ?2 AND lender = ?1 AND is_open \
    RETURNING sub_collection";
const CANCEL: &str = "UPDATE offers SET is_open = 0 WHERE id = ?2 AND lender = ?1 AND is_open RETURNING sub_collection";
const RANK: &str = "SELECT 1 + (SELECT count(*) FROM offers WHERE is_open AND sub_collection = ?1 AND process = 0 \
    AND principal > ?2) + (SELECT count(*) FROM offers WHERE is_open AND sub_collection = ?1 AND process = 0 \
    AND principal = ?2 AND turn < ?3)";
const BEST: &str = "SELECT id, principal FROM offers WHERE is_open AND sub_collection = ?1 AND process = 0 \
    ORDER BY principal DESC, turn LIMIT 1";

/// The only lender of this contestant.
const LENDER: i64 = 1;

/// A database with one writer, which commits after `batch` commands.
pub(super) struct Sqlite {
    connection: Connection,
    source: OrderSource<i64>,
    batch: usize,
    /// The next place in time.
    turn: i64,
}

impl Sqlite {
    /// Creates and fills a database in a folder.
    pub(super) fn create(folder: &Path, seed: u64, offers: usize, batch: usize) -> io::Result<Self> {
        let connection = Connection::open(folder.join(format!("{batch}.sqlite"))).map_err(io::Error::other)?;
        connection.execute_batch(SETTINGS).map_err(io::Error::other)?;
        connection.execute_batch(SCHEMA).map_err(io::Error::other)?;
        connection.set_prepared_statement_cache_capacity(16);
        let source = OrderSource::new(seed, 0, Shares::STEADY, usize::MAX);
        let mut sqlite = Self { connection, source, batch, turn: 0 };
        sqlite.fill(seed, offers).map_err(io::Error::other)?;
        Ok(sqlite)
    }

    fn fill(&mut self, seed: u64, offers: usize) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached(INSERT)?;
            for row in filling(seed, offers) {
                self.turn += 1;
                insert.execute(params![row.lender, row.sub_collection, row.principal, self.turn])?;
            }
        }
        transaction.commit()?;
        self.connection.execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);")
    }

    /// Executes orders for this long; the table has its size again afterwards.
    pub(super) fn round(&mut self, duration: Duration) -> io::Result<Round> {
        let (mut latencies, mut commands) = (Latencies::default(), 0);
        let start = Instant::now();
        while start.elapsed() < duration {
            let orders: Vec<Order<i64>> = self.draw();
            commands += orders.len();
            let begun = Instant::now();
            self.commit(orders).map_err(io::Error::other)?;
            latencies.record(begun.elapsed());
        }
        let round = Round::of_batches(start, latencies, commands);
        let orders: Vec<Order<i64>> = std::iter::from_fn(|| self.source.trim(0)).collect();
        self.commit(orders).map_err(io::Error::other)?;
        Ok(round)
    }

    /// The next orders, which are about different offers.
    fn draw(&mut self) -> Vec<Order<i64>> {
        (0..self.batch).map(|_| self.source.draw()).collect()
    }

    /// Executes orders in one transaction.
    fn commit(&mut self, orders: Vec<Order<i64>>) -> rusqlite::Result<()> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for order in orders {
            self.turn += 1;
            let opened = execute(&self.connection, order, self.turn)?;
            self.source.opened(opened);
        }
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }
}

/// Executes an order and reads its rank and the best offer; returns the offer that is open now.
fn execute(connection: &Connection, order: Order<i64>, turn: i64) -> rusqlite::Result<Option<i64>> {
    let sats = |amount: u64| i64::try_from(amount).unwrap_or(i64::MAX);
    let (sub_collection, ranked, offer) = match order {
        Order::Place { sub_collection, principal } => {
            let (place, principal) = (i64::try_from(sub_collection).unwrap_or(i64::MAX), sats(principal));
            connection.prepare_cached(INSERT)?.execute(params![LENDER, place, principal, turn])?;
            (place, Some(principal), Some(connection.last_insert_rowid()))
        }
        Order::Edit { offer, principal } => {
            let principal = sats(principal);
            let mut edit = connection.prepare_cached(EDIT)?;
            let place = edit.query_row(params![LENDER, offer, principal, turn], |row| row.get(0))?;
            (place, Some(principal), Some(offer))
        }
        Order::Cancel { offer } => {
            let place = connection.prepare_cached(CANCEL)?.query_row(params![LENDER, offer], |row| row.get(0))?;
            (place, None, None)
        }
    };
    if let Some(principal) = ranked {
        let mut rank = connection.prepare_cached(RANK)?;
        rank.query_row(params![sub_collection, principal, turn], |row| row.get::<_, i64>(0))?;
    }
    let mut best = connection.prepare_cached(BEST)?;
    best.query_row(params![sub_collection], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).optional()?;
    Ok(offer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_leaves_the_table_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut sqlite = Sqlite::create(folder.path(), 1, 200, 8).unwrap();
        for _ in 0..20 {
            let orders = sqlite.draw();
            sqlite.commit(orders).unwrap();
        }
        assert!(sqlite.source.open() > 0);
        let round = sqlite.round(Duration::ZERO).unwrap();
        assert!(round.latencies.is_empty());
        let open = "SELECT count(*) FROM offers WHERE is_open";
        let count: i64 = sqlite.connection.query_row(open, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 200);
        let rank = |principal: i64| -> i64 {
            sqlite.connection.query_row(RANK, params![0, principal, i64::MAX], |row| row.get(0)).unwrap()
        };
        assert_eq!(rank(i64::MAX), 1);
        assert!(rank(0) > 10);
    }
}
