//! The full check of a journal in a database.

use super::{
    address::PostgresAddress,
    blocks::PostgresBlocks,
    commits,
    connector::{Connector, Purpose},
    queries::Queries,
    schema,
};
use crate::{
    database_error::DatabaseError,
    verify::{VerifyReport, verify_blocks},
};

/// Checks every block of the journal at an address, and reads every event, in one snapshot. Changes nothing.
///
/// # Errors
/// [`DatabaseError`] if there is no journal or it cannot be read; damage is in the report.
pub fn verify_postgres(address: &PostgresAddress) -> Result<VerifyReport, DatabaseError> {
    let connector = Connector::new(address)?;
    if !schema::exists(&connector, &connector.connect(Purpose::Read)?)? {
        return Err(DatabaseError::Absent { address: connector.address() });
    }
    let source = PostgresBlocks::new(Queries::snapshot(connector.clone())?);
    let recorded = commits::position(source.queries()).map_err(|error| connector.failed(&error))?;
    let mut report = verify_blocks(&source, recorded);
    // A commit and the writer's row change in one transaction, so there is nothing that was never acknowledged.
    let last = report.unacknowledged_commit.take().unwrap_or_default().max(report.last_commit);
    if last > recorded {
        report.problem(format!("there are blocks of commit {last}, but the writer's row ends with commit {recorded}"));
    }
    Ok(report)
}
