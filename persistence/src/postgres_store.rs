//! The journal on PostgreSQL: one writer, fenced by an epoch, and any number of readers.

mod address;
mod begin_error;
mod blocks;
mod commits;
mod connector;
mod durability;
mod fence;
mod journal;
mod lease;
mod monitor;
mod number;
mod options;
mod queries;
mod restore;
mod runtime;
mod schema;
mod session;
mod store;
mod tls;
mod verify;

pub use address::PostgresAddress;
pub use begin_error::BeginError;
pub use durability::Durability;
pub use fence::{Fence, Resolution};
pub use journal::PostgresJournal;
pub use lease::{Claim, LeaseError, LeaseState, WriterLease};
pub use monitor::{JournalFigures, JournalMonitor};
pub use options::{PostgresOptions, SynchronousStandbys};
pub use restore::restore_postgres;
pub(crate) use restore::restore_postgres_with;
pub use verify::verify_postgres;
