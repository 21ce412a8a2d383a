//! Restoration of an export into a database.

use std::io::BufRead;

use tokio_postgres::types::Type;

use super::{
    address::PostgresAddress,
    connector::{Connector, Purpose},
    durability::ServerSettings,
    number::stored,
    options::PostgresOptions,
    schema,
    session::{Parameter, Session, bigint},
};
use crate::{
    commit_builder::Commit,
    database_error::DatabaseError,
    export::JournalTotals,
    open_error::OpenError,
    restore::{RestoreError, RestoreTarget, restore_lines},
};

/// Locks the rows of lease and writer, and deposes a writer of the empty journal.
const DEPOSE: &str =
    "UPDATE lienbook_lease SET epoch = epoch + 1, holder = NULL, expires = clock_timestamp() WHERE id = 1";
const BEGIN_WRITER: &str = "UPDATE lienbook_writer SET epoch = epoch + 1 WHERE id = 1 RETURNING position";
const SELECT_ANY: &str = "SELECT first FROM lienbook_block LIMIT 1";
const INSERT: &str = "INSERT INTO lienbook_block (stream, first, position, block_index, block) \
    SELECT stream, first, $1::bigint, block_index, block \
    FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bytea[]) AS b(stream, first, block_index, block)";
const SET_POSITION: &str = "UPDATE lienbook_writer SET position = $1 WHERE id = 1";

/// Restores an export into a database or schema without a journal, in one transaction. `progress` is called with the
/// number of events at intervals.
///
/// # Errors
/// [`RestoreError`]; then there is still no journal.
pub fn restore_postgres(
    address: &PostgresAddress,
    options: &PostgresOptions,
    input: &mut impl BufRead,
    progress: &mut dyn FnMut(u64),
) -> Result<JournalTotals, RestoreError> {
    restore_postgres_with(address, options, |target| restore_lines(input, options.limits, target, progress))
}

/// Creates a journal of what `fill` writes, in a database or schema without one. `fill` returns its result and the last
/// commit.
pub(crate) fn restore_postgres_with<T>(
    address: &PostgresAddress,
    options: &PostgresOptions,
    fill: impl FnOnce(&mut dyn RestoreTarget) -> Result<(T, u64), RestoreError>,
) -> Result<T, RestoreError> {
    let connector = Connector::new(address).map_err(OpenError::from)?;
    let session = begin(&connector, options).map_err(OpenError::from)?;
    let (filled, commit) = fill(&mut Transaction(&session))?;
    let warnings = session.warnings();
    let write_error = |error: &dyn std::fmt::Display| RestoreError::Write(error.to_string());
    session.query(SET_POSITION, vec![bigint(stored(commit))]).map_err(|error| write_error(&error))?;
    session.query(schema::RENEW_IDENTITY, Vec::new()).map_err(|error| write_error(&error))?;
    session.run("COMMIT".to_owned()).map_err(|error| write_error(&error))?;
    if session.warnings() != warnings {
        tracing::warn!(
            "the wait for the synchronous standby was cancelled; the restored journal may not have reached it"
        );
    }
    Ok(filled)
}

/// Begins the transaction, which holds the rows of lease and writer until its end.
fn begin(connector: &Connector, options: &PostgresOptions) -> Result<Session, DatabaseError> {
    let failed = |error| connector.failed(&error);
    let session = connector.connect(Purpose::Restore)?;
    let level = ServerSettings::read(&session).map_err(failed)?.check(options.standbys);
    let level = level.map_err(|reason| DatabaseError::Unsafe { address: connector.address(), reason })?;
    schema::prepare(connector, &session)?;
    session.run(format!("{}; BEGIN", level.set())).map_err(failed)?;
    session.query(DEPOSE, Vec::new()).map_err(failed)?;
    let rows = session.query(BEGIN_WRITER, Vec::new()).map_err(failed)?;
    let position: i64 = match rows.first() {
        Some(row) => row.try_get(0).map_err(|error| connector.failed(&error))?,
        None => return Err(connector.failed(&"the row of the writer is missing")),
    };
    if position != 0 || !session.query(SELECT_ANY, Vec::new()).map_err(failed)?.is_empty() {
        return Err(DatabaseError::NotEmpty { address: connector.address() });
    }
    Ok(session)
}

/// The transaction of a journal that is being restored. It is rolled back with its connection.
struct Transaction<'a>(&'a Session);

impl RestoreTarget for Transaction<'_> {
    fn write(&mut self, commit: Commit) -> Result<(), String> {
        let streams: Vec<_> = commit.blocks.iter().map(|block| block.key.stream.0.to_vec()).collect();
        let firsts: Vec<_> = commit.blocks.iter().map(|block| stored(block.key.first)).collect();
        let count = i64::try_from(commit.blocks.len()).map_err(|error| error.to_string())?;
        let indexes: Vec<_> = (0..count).collect();
        let blocks: Vec<_> = commit.blocks.into_iter().map(|block| block.bytes).collect();
        let parameters: Vec<Parameter> = vec![
            bigint(stored(commit.number)),
            (Box::new(streams), Type::BYTEA_ARRAY),
            (Box::new(firsts), Type::INT8_ARRAY),
            (Box::new(indexes), Type::INT8_ARRAY),
            (Box::new(blocks), Type::BYTEA_ARRAY),
        ];
        self.0.query(INSERT, parameters).map(drop).map_err(|error| error.to_string())
    }
}
