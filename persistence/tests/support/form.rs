//! The forms of a journal, for tests that hold for each of them.

use std::{
    io::BufRead,
    sync::{Arc, LazyLock},
    time::Duration,
};

use engine::journal::Journal;
use persistence::{
    CommitLimits, CommitSource, JournalStats, JournalTotals, OpenError, Options, Pieces, PostgresAddress,
    PostgresJournal, PostgresOptions, RestoreError, RestoredBackup, SledJournal, SynchronousStandbys, Until,
    VerifyReport, WholeJournal, WriterLease, restore, restore_backup, restore_backup_postgres, restore_postgres,
    verify, verify_postgres,
};
use postgres_testkit::Server;
use tempfile::TempDir;

/// A place for one journal of a form.
pub(crate) trait Form {
    /// The journal of the form.
    type Journal: Journal + WholeJournal + CommitSource;

    /// A new place without a journal.
    fn empty() -> Self;

    /// Opens the journal for writing; creates it if it is missing.
    fn open(&self, limits: CommitLimits) -> Result<Self::Journal, OpenError>;

    /// Checks the journal.
    fn verify(&self) -> Result<VerifyReport, OpenError>;

    /// Restores an export.
    fn restore(&self, input: &mut impl BufRead, progress: &mut dyn FnMut(u64)) -> Result<JournalTotals, RestoreError>;

    /// Restores a backup.
    fn restore_backup(&self, pieces: &mut Pieces<'_>, until: Until) -> Result<RestoredBackup, RestoreError>;

    /// Whether an error says that there is no journal.
    fn is_absent(error: &OpenError) -> bool;

    /// Whether an error says that there is a journal already.
    fn is_not_empty(error: &OpenError) -> bool;

    /// The counters of a journal.
    fn stats(journal: &Self::Journal) -> &JournalStats;

    /// Closes a journal.
    fn close(journal: &Self::Journal);
}

/// A data folder.
pub(crate) struct SledForm(pub(crate) TempDir);

impl Form for SledForm {
    type Journal = SledJournal;

    fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn open(&self, limits: CommitLimits) -> Result<SledJournal, OpenError> {
        SledJournal::open(self.0.path(), Options { limits, on_failure: Arc::new(panics), ..Options::default() })
    }

    fn verify(&self) -> Result<VerifyReport, OpenError> {
        verify(self.0.path(), &Options::default())
    }

    fn restore(&self, input: &mut impl BufRead, progress: &mut dyn FnMut(u64)) -> Result<JournalTotals, RestoreError> {
        restore(self.0.path(), &Options::default(), input, progress)
    }

    fn restore_backup(&self, pieces: &mut Pieces<'_>, until: Until) -> Result<RestoredBackup, RestoreError> {
        restore_backup(self.0.path(), &Options::default(), pieces, until, &mut |_events| {})
    }

    fn is_absent(error: &OpenError) -> bool {
        matches!(error, OpenError::Absent { .. })
    }

    fn is_not_empty(error: &OpenError) -> bool {
        matches!(error, OpenError::NotEmpty { .. })
    }

    fn stats(journal: &SledJournal) -> &JournalStats {
        journal.stats()
    }

    fn close(journal: &SledJournal) {
        journal.close();
    }
}

/// A server for all tests of a program; each has a schema of its own.
pub(crate) static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start(&[]));

/// The time that tests claim a lease for, unless they are about its end.
pub(crate) const LEASE_TTL: Duration = Duration::from_mins(10);

/// A schema of a server.
pub(crate) struct PostgresForm {
    /// The address of the schema.
    pub(crate) address: PostgresAddress,
    /// Its name.
    pub(crate) schema: String,
}

impl PostgresForm {
    /// The options of a single server, whose failures fail the test.
    pub(crate) fn options(limits: CommitLimits) -> PostgresOptions {
        PostgresOptions { limits, standbys: SynchronousStandbys::NotRequired, on_failure: Arc::new(panics) }
    }

    /// Runs SQL in the schema.
    pub(crate) fn sql(&self, sql: &str) -> String {
        SERVER.sql(&format!("SET search_path = {}; {sql}", self.schema))
    }

    /// The lease of the journal.
    pub(crate) fn lease(&self) -> WriterLease {
        WriterLease::open(&self.address, SynchronousStandbys::NotRequired, Duration::from_mins(1)).unwrap()
    }

    /// Claims the lease, of which the holder has gone, and returns the epoch.
    pub(crate) fn claim(&self) -> u64 {
        let lease = self.lease();
        lease.release(lease.observe().unwrap().epoch, None).unwrap();
        lease.claim("test", "127.0.0.1", LEASE_TTL).unwrap().unwrap().epoch
    }
}

impl Form for PostgresForm {
    type Journal = PostgresJournal;

    fn empty() -> Self {
        let url = SERVER.new_schema_url();
        let (_, schema) = url.rsplit_once("%3D").unwrap();
        Self { address: url.parse().unwrap(), schema: schema.to_owned() }
    }

    fn open(&self, limits: CommitLimits) -> Result<PostgresJournal, OpenError> {
        let epoch = self.claim();
        let journal = PostgresJournal::open(&self.address, Self::options(limits))?;
        journal.begin_writing(epoch).unwrap();
        Ok(journal)
    }

    fn verify(&self) -> Result<VerifyReport, OpenError> {
        Ok(verify_postgres(&self.address)?)
    }

    fn restore(&self, input: &mut impl BufRead, progress: &mut dyn FnMut(u64)) -> Result<JournalTotals, RestoreError> {
        restore_postgres(&self.address, &Self::options(CommitLimits::default()), input, progress)
    }

    fn restore_backup(&self, pieces: &mut Pieces<'_>, until: Until) -> Result<RestoredBackup, RestoreError> {
        let options = Self::options(CommitLimits::default());
        restore_backup_postgres(&self.address, &options, pieces, until, &mut |_events| {})
    }

    fn is_absent(error: &OpenError) -> bool {
        matches!(error, OpenError::Database(persistence::DatabaseError::Absent { .. }))
    }

    fn is_not_empty(error: &OpenError) -> bool {
        matches!(error, OpenError::Database(persistence::DatabaseError::NotEmpty { .. }))
    }

    fn stats(journal: &PostgresJournal) -> &JournalStats {
        journal.stats()
    }

    fn close(journal: &PostgresJournal) {
        journal.close();
    }
}

fn panics(line: &str) {
    panic!("{line}");
}
