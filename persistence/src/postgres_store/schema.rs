//! The tables of the journal. Plain SQL, which the distributed engines that speak PostgreSQL's protocol accept, too.
//!
//! | table | rows |
//! | --- | --- |
//! | `lienbook_schema` | one: the version of these tables, and the random identity of the journal in them |
//! | `lienbook_block` | one per block; `block` are exactly the bytes that sled has for it |
//! | `lienbook_writer` | one: the epoch of the writer and the last commit; every append updates it, which is the fence |
//! | `lienbook_lease` | one: the node that may write, and until when |
//!
//! The column is `block_index`, because `index` is a reserved word of CockroachDB.

use tokio_postgres::error::SqlState;

use super::{
    connector::Connector,
    session::{Session, StatementError},
};
use crate::database_error::DatabaseError;

/// The version of the tables.
const VERSION: i64 = 1;

const SELECT_VERSION: &str = "SELECT version FROM lienbook_schema";
const SELECT_IDENTITY: &str = "SELECT journal FROM lienbook_schema ORDER BY version DESC LIMIT 1";

/// Gives the journal another identity. Its positions begin anew after a restore.
pub(super) const RENEW_IDENTITY: &str =
    "UPDATE lienbook_schema SET journal = substr(md5(random()::text || clock_timestamp()::text), 1, 16)";

const CREATE: &str = "BEGIN;
CREATE TABLE IF NOT EXISTS lienbook_schema (version bigint PRIMARY KEY, journal text NOT NULL);
CREATE TABLE IF NOT EXISTS lienbook_block (
    stream bytea NOT NULL,
    first bigint NOT NULL,
    position bigint NOT NULL,
    block_index bigint NOT NULL,
    block bytea NOT NULL,
    PRIMARY KEY (stream, first)
);
CREATE UNIQUE INDEX IF NOT EXISTS lienbook_block_position ON lienbook_block (position, block_index);
CREATE TABLE IF NOT EXISTS lienbook_writer (
    id bigint PRIMARY KEY CHECK (id = 1),
    epoch bigint NOT NULL,
    position bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS lienbook_lease (
    id bigint PRIMARY KEY CHECK (id = 1),
    epoch bigint NOT NULL,
    holder text,
    address text,
    expires timestamptz NOT NULL,
    reserved_for text,
    reserved_until timestamptz NOT NULL
);
INSERT INTO lienbook_writer (id, epoch, position) VALUES (1, 0, 0) ON CONFLICT DO NOTHING;
INSERT INTO lienbook_lease (id, epoch, expires, reserved_until)
    VALUES (1, 0, clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING;
INSERT INTO lienbook_schema (version, journal)
    VALUES (1, substr(md5(random()::text || clock_timestamp()::text), 1, 16)) ON CONFLICT DO NOTHING;
COMMIT;";

/// Has PostgreSQL keep a block within its row as it is. By default it tries to compress every row of more than 2 kB, which
/// takes longer than all else in a commit. Other engines have no such setting.
const KEEP_BLOCKS_PLAIN: &str =
    "ALTER TABLE lienbook_block ALTER COLUMN block SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160)";

/// The number of attempts to create the tables: of two nodes that do so at once, one fails.
const ATTEMPTS_MAX: u32 = 5;

/// Creates the tables if they are missing, and refuses those of a newer version.
pub(super) fn prepare(connector: &Connector, session: &Session) -> Result<(), DatabaseError> {
    for attempt in 1..=ATTEMPTS_MAX {
        if exists(connector, session)? {
            return Ok(());
        }
        match session.run(CREATE.to_owned()) {
            Ok(()) => keep_blocks_plain(session),
            Err(error) if attempt < ATTEMPTS_MAX && is_concurrent(&error) => {
                session.run("ROLLBACK".to_owned()).map_err(|error| connector.failed(&error))?;
            }
            Err(error) => return Err(connector.failed(&format!("cannot create its tables: {error}"))),
        }
    }
    Err(connector.failed(&"its tables cannot be created"))
}

/// Only the speed depends on it, so that an engine may refuse.
fn keep_blocks_plain(session: &Session) {
    if let Err(error) = session.run(KEEP_BLOCKS_PLAIN.to_owned()) {
        tracing::info!(%error, "the journal's database may compress blocks");
    }
}

/// Whether the tables exist, in a version that this program knows.
pub(super) fn exists(connector: &Connector, session: &Session) -> Result<bool, DatabaseError> {
    let rows = match session.query(SELECT_VERSION, Vec::new()) {
        Ok(rows) => rows,
        Err(error) if error.state() == Some(&SqlState::UNDEFINED_TABLE) => return Ok(false),
        Err(error) => return Err(connector.failed(&error)),
    };
    let mut newest = 0;
    for row in rows {
        newest = newest.max(row.try_get(0).map_err(|error| connector.failed(&error))?);
    }
    if newest > VERSION {
        return Err(DatabaseError::NewerSchema { address: connector.address(), found: newest, known: VERSION });
    }
    Ok(newest == VERSION)
}

/// Returns the identity of the journal.
pub(super) fn identity(connector: &Connector, session: &Session) -> Result<String, DatabaseError> {
    let rows = session.query(SELECT_IDENTITY, Vec::new()).map_err(|error| connector.failed(&error))?;
    let row = rows.first().ok_or_else(|| connector.failed(&"the row of the schema is missing"))?;
    row.try_get(0).map_err(|error| connector.failed(&error))
}

fn is_concurrent(error: &StatementError) -> bool {
    let states = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    error.state().is_some_and(|state| states.contains(state))
}
