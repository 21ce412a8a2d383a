//! Servers that could lose an answered commit are refused.

use domain::{Event, Sats, Stream, UnixMs, UserId, VaultEvent};
use engine::journal::{Append, Batch, Journal as _};
use persistence::{DatabaseError, OpenError, PostgresAddress, PostgresJournal, PostgresOptions, SynchronousStandbys};
use postgres_testkit::Server;

use crate::{
    form::{Form as _, LEASE_TTL, PostgresForm, SERVER},
    load::{Failures, writer},
};

fn refused(url: &str, standbys: SynchronousStandbys) -> String {
    let address: PostgresAddress = url.parse().unwrap();
    let options = PostgresOptions { standbys, ..PostgresOptions::default() };
    let error = PostgresJournal::open(&address, options).unwrap_err();
    let line = error.to_string();
    assert!(!line.contains('\n') && !line.contains("secret"), "{line}");
    line
}

#[test]
fn an_unsafe_server_is_refused_with_its_remedy() {
    for (setting, remedy) in
        [("fsync=off", "set fsync = on in postgresql.conf"), ("full_page_writes=off", "set full_page_writes = on in")]
    {
        let line = refused(&Server::start(&[setting]).url(), SynchronousStandbys::NotRequired);
        assert!(line.contains(remedy), "{line}");
    }
    for level in ["off", "local", "remote_write"] {
        let url = format!("{}%20-csynchronous_commit%3D{level}", SERVER.new_schema_url());
        let line = refused(&url, SynchronousStandbys::NotRequired);
        assert!(line.contains(&format!("synchronous_commit is {level}: set synchronous_commit = on")), "{line}");
    }
    let line = refused(&SERVER.new_schema_url(), SynchronousStandbys::default());
    assert!(line.contains("a commit waits for 0 synchronous standbys, and 1 are required"), "{line}");
    let place = PostgresForm::empty();
    assert_eq!(
        place.sql("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"),
        "0",
        "nothing is created"
    );
}

#[test]
fn a_running_writer_notices_settings_that_became_unsafe() {
    let server = Server::start(&[]);
    let address: PostgresAddress = server.new_schema_url().parse().unwrap();
    let options = PostgresOptions { standbys: SynchronousStandbys::NotRequired, ..PostgresOptions::default() };
    let journal = PostgresJournal::open(&address, options).unwrap();
    assert_eq!(journal.durability().unwrap().unsafe_reason, None);
    server.sql("ALTER SYSTEM SET synchronous_commit = off");
    server.sql("SELECT pg_reload_conf()");
    postgres_testkit::wait_until("the change is noticed", || {
        let reason = journal.durability().unwrap().unsafe_reason;
        reason.is_some_and(|reason| reason.starts_with("synchronous_commit is off"))
    });
}

#[test]
fn an_unreachable_server_and_newer_tables_are_named() {
    let line = refused("postgres://postgres:secret@127.0.0.1:1/postgres", SynchronousStandbys::default());
    assert!(
        line.starts_with("cannot connect to the journal's database postgres://postgres@127.0.0.1:1/postgres: "),
        "{line}"
    );
    let place = PostgresForm::empty();
    let lease = place.lease();
    lease.claim("test", "", LEASE_TTL).unwrap();
    place.sql("UPDATE lienbook_schema SET version = 2");
    let options = PostgresForm::options(persistence::CommitLimits::default());
    let error = PostgresJournal::open(&place.address, options).unwrap_err();
    assert!(matches!(error, OpenError::Database(DatabaseError::NewerSchema { found: 2, known: 1, .. })), "{error}");
}

#[test]
fn tables_are_created_once_by_nodes_that_start_together() {
    let place = PostgresForm::empty();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| place.lease().observe().unwrap());
        }
    });
}

#[test]
fn blocks_are_stored_within_their_rows_as_they_are() {
    let place = PostgresForm::empty();
    let (journal, ..) = writer(&place.address, SynchronousStandbys::NotRequired, &Failures::default());
    // Equal events compress well.
    let events = vec![Event::Vault(VaultEvent::Credited { amount: Sats::new(1) }); 4_000];
    let batch = Batch { at: UnixMs(1), appends: vec![Append { stream: Stream::Vault(UserId(1)), after: 0, events }] };
    journal.append(batch).blocking_recv().unwrap().unwrap();
    let blocks: usize = place.sql("SELECT count(*) FROM lienbook_block").parse().unwrap();
    assert!(blocks > 1, "{blocks}");
    let altered = "pg_column_compression(block) IS NOT NULL OR pg_column_size(block) < length(block)";
    assert_eq!(place.sql(&format!("SELECT count(*) FROM lienbook_block WHERE {altered}")), "0");
    let outside = "SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'lienbook_block'::regclass";
    assert_eq!(place.sql(outside), "0");
}
