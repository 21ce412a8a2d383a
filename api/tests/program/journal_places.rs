//! Tests of the commands on a journal in a database, and of copies between it and a data folder.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use domain::{BookEvent, Event, GroupId, Stream, UnitPrice, UnixMs};
use engine::journal::{Append, Batch, Journal, SharedJournal as _};
use lienbook::config::server_key::SESSION;
use persistence::{
    Options, PostgresAddress, PostgresJournal, PostgresOptions, SledJournal, SynchronousStandbys, WriterLease,
};
use postgres_testkit::{Server, wait_until};
use tempfile::TempDir;

use super::process::{Served, failure, lienbook, prepare};

/// The server of all tests; each has schemas of its own.
static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start(&[]));

/// A password that the server does not ask for, and that no output contains.
const PASSWORD: &str = "hunter2";

/// More than a pipe holds, so that neither side of a copy can end before the other.
const BATCHES: u32 = 30;
const EVENTS_OF_BATCH: u64 = 500;

/// The timeout of statements on the lease, and the time that it is claimed for.
const LEASE_TIMEOUT: Duration = Duration::from_mins(1);
const LEASE_TTL: Duration = Duration::from_mins(10);

/// An empty schema of the server.
struct Schema {
    /// Its URL, with the password.
    url: String,
    name: String,
}

impl Schema {
    fn empty() -> Self {
        let url = SERVER.new_schema_url();
        let (_, name) = url.rsplit_once("%3D").unwrap();
        let name = name.to_owned();
        Self { url: url.replacen("postgres@", &format!("postgres:{PASSWORD}@"), 1), name }
    }

    fn sql(&self, sql: &str) -> String {
        SERVER.sql(&format!("SET search_path = {}; {sql}", self.name))
    }

    /// The arguments of a command on its journal.
    fn journal(&self) -> [&str; 4] {
        ["--journal", &self.url, "--journal-standbys", "0"]
    }

    fn printed(&self) -> Vec<u8> {
        succeeded(run(&[&["export"], &self.journal()[..]].concat())).stdout
    }
}

/// A folder for data folders and exports.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).into_os_string().into_string().unwrap()
    }

    /// A data folder with many events in three streams.
    fn filled(&self, name: &str) -> String {
        let path = self.path(name);
        let journal = SledJournal::open(&path, Options::default()).unwrap();
        for batch in 0..BATCHES {
            append(&journal, batch);
        }
        journal.close();
        path
    }

    fn has_journal(&self, name: &str) -> bool {
        self.0.path().join(name).join("journal").exists()
    }
}

/// Appends one batch, to one of three streams in turn.
fn append(journal: &impl Journal, batch: u32) {
    let events = (0..EVENTS_OF_BATCH).map(|index| {
        Event::Book(BookEvent::PriceMoved {
            price: UnitPrice::from_scaled(u64::from(batch) + 1),
            observed_at: UnixMs(index),
        })
    });
    let (stream, after) = (Stream::Book(GroupId(batch % 3 + 1)), u64::from(batch / 3) * EVENTS_OF_BATCH);
    let append = Append { stream, after, events: events.collect() };
    journal.append(Batch { at: UnixMs(batch.into()), appends: vec![append] }).blocking_recv().unwrap().unwrap();
}

/// Runs the binary, whose output never contains the password.
fn run(arguments: &[&str]) -> Output {
    hidden(lienbook(arguments).output().unwrap())
}

#[track_caller]
fn hidden(output: Output) -> Output {
    for text in [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)) {
        assert!(!text.contains(PASSWORD), "{text}");
    }
    output
}

fn copy(from: &str, to: &str) -> Output {
    run(&["journal", "copy", "--from", from, "--to", to, "--journal-standbys", "0"])
}

#[track_caller]
fn succeeded(output: Output) -> Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Expects a failure of one line that contains a text.
#[track_caller]
fn refused(output: &Output, text: &str) {
    let line = failure(output);
    assert!(line.contains(text), "{line}");
}

fn exported(data: &str) -> Vec<u8> {
    succeeded(run(&["export", "--data", data])).stdout
}

#[test]
fn a_journal_is_copied_into_a_database_and_back_unchanged() {
    let (place, schema) = (Place::new(), Schema::empty());
    let first = place.filled("first");
    let original = exported(&first);

    let copied = succeeded(copy(&first, &schema.url));
    let (said, noted) = [copied.stdout, copied.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).into();
    let end: serde_json::Value =
        serde_json::from_slice(original.trim_ascii_end().rsplit(|b| *b == b'\n').next().unwrap()).unwrap();
    for text in [end["end"]["blake3"].as_str().unwrap(), "15,000", "--journal", "session.key", &first] {
        assert!(said.contains(text), "{text} is missing: {said}");
    }
    assert!(noted.contains("15,000 events copied") && noted.contains("15,000 events compared"), "{noted}");
    assert!(schema.printed() == original, "the export of the database differs");

    // The URL in a variable of its own.
    let second = place.path("second");
    let arguments = ["journal", "copy", "--from", "env:OTHER_JOURNAL", "--to", &second];
    let back = hidden(lienbook(&arguments).env("OTHER_JOURNAL", &schema.url).output().unwrap());
    let said = String::from_utf8(succeeded(back).stdout).unwrap();
    assert!(said.contains(&format!("--data {second}")) && said.contains("without --journal"), "{said}");
    assert!(exported(&second) == original, "the export of the copy differs");
    assert!(exported(&first) == original, "the original is unchanged");
}

#[test]
fn an_export_is_restored_into_a_database_and_checked() {
    let (place, schema) = (Place::new(), Schema::empty());
    let original = exported(&place.filled("data"));
    let file = place.path("export.jsonl");
    fs::write(&file, &original).unwrap();

    refused(&run(&["check", "--journal", &schema.url]), "has no journal");
    refused(&run(&["export", "--journal", &schema.url]), "has no journal");
    // By default a server without a standby is refused.
    refused(&run(&["restore", &file, "--journal", &schema.url]), "could lose acknowledged commits");
    let restore = [&["restore", &file], &schema.journal()[..]].concat();
    let restored = String::from_utf8(succeeded(run(&restore)).stderr).unwrap();
    assert!(restored.contains("15,000 events restored") && restored.contains("every line verified"), "{restored}");
    assert!(schema.printed() == original, "the export of the database differs");

    let checked = succeeded(run(&["check", "--journal", &schema.url]));
    let report = String::from_utf8(checked.stdout).unwrap();
    assert!(report.contains("Journal in postgres://postgres@127.0.0.1:"), "{report}");
    assert!(report.contains("15,000") && report.contains("Every record is as it was written."), "{report}");
    refused(&run(&restore), "has a journal already");
    let altered = String::from_utf8(original).unwrap().replacen("\"observed_at\":7", "\"observed_at\":8", 1);
    fs::write(&file, altered).unwrap();
    let other = Schema::empty();
    refused(&run(&[&["restore", &file], &other.journal()[..]].concat()), "was altered");
    assert_eq!(other.sql("SELECT count(*) FROM lienbook_block"), "0");
}

#[test]
fn a_copy_of_or_into_what_is_in_use_missing_or_taken_is_refused() {
    let (place, schema) = (Place::new(), Schema::empty());
    let (first, second) = (place.filled("first"), place.path("second"));
    refused(&copy(&place.path("nothing"), &second), "nothing has no journal");
    refused(&copy(&schema.url, &second), "has no journal");
    let alias = place.path("alias");
    symlink(&first, &alias).unwrap();
    refused(&copy(&first, &alias), "are the same folder");
    refused(&copy("mysql://ana:hunter2@db/book", &second), "--from: ");
    refused(&copy(&first, "env:NOT_SET_ANYWHERE"), "--to: there is no variable NOT_SET_ANYWHERE");
    let unsafe_copy = run(&["journal", "copy", "--from", &first, "--to", &schema.url]);
    refused(&unsafe_copy, "could lose acknowledged commits");
    assert!(!place.has_journal("nothing") && !place.has_journal("second"));

    succeeded(copy(&first, &schema.url));
    let before = schema.printed();
    refused(&copy(&first, &schema.url), "has a journal already");
    let taken = place.path("taken");
    Served::start(Path::new(&taken), &[]).terminate();
    refused(&copy(&schema.url, &taken), "has a journal already");
    let served = Served::start(Path::new(&taken), &[]);
    refused(&copy(&taken, &Schema::empty().url), "another lienbook is running on");
    refused(&copy(&first, &taken), "another lienbook is running on");
    served.terminate();
    assert!(schema.printed() == before, "the journal of the target is unchanged");
}

#[actix_web::test]
async fn a_database_is_exported_and_checked_while_a_node_serves_and_copied_once_it_has_stopped() {
    let (place, schema) = (Place::new(), Schema::empty());
    let first = place.path("first");
    prepare(&PathBuf::from(&first)).await;
    succeeded(copy(&first, &schema.url));
    let node = place.path("node");
    let common = ["serve", "--data", &node, "--listen", "127.0.0.1:0", "--log", "warn"];
    let mut serve = lienbook(&[&common, &schema.journal()[..]].concat());
    let (served, _) = Served::launch_command(serve.env(SESSION.variable, "5a".repeat(32)), "Serving ");
    wait_until("the node holds the lease", || schema.sql("SELECT holder IS NOT NULL FROM lienbook_lease") == "t");

    let export = String::from_utf8(schema.printed()).unwrap();
    assert!(export.contains("paper-frogs") && export.lines().last().unwrap().starts_with("{\"end\":"));
    succeeded(run(&["check", "--journal", &schema.url]));
    let second = place.path("second");
    refused(&copy(&schema.url, &second), "stop all nodes first");
    assert!(!place.has_journal("second"));
    served.terminate();
    succeeded(copy(&schema.url, &second));
    assert!(exported(&second) == schema.printed(), "the export of the copy differs");
}

#[test]
fn a_tampered_row_is_reported_and_neither_exported_nor_copied() {
    let (place, schema) = (Place::new(), Schema::empty());
    succeeded(copy(&place.filled("first"), &schema.url));
    let changed = schema.sql(
        "UPDATE lienbook_block SET block = set_byte(block, 150, get_byte(block, 150) # 1) WHERE (stream, first) IN \
         (SELECT stream, first FROM lienbook_block ORDER BY stream, first OFFSET 2 LIMIT 1) RETURNING 'changed'",
    );
    assert_eq!(changed, "changed");
    let checked = run(&["check", "--journal", &schema.url]);
    refused(&checked, "problem(s); restore it from an export");
    let report = String::from_utf8(checked.stdout).unwrap();
    assert!(report.contains("  problem: stream book g_1 at sequence ") && report.contains("checksum"), "{report}");
    assert!(!report.contains("Every record is as it was written."), "{report}");

    let file = place.path("export.jsonl");
    refused(&run(&[&["export", &file], &schema.journal()[..]].concat()), "the journal is damaged in stream book g_1");
    refused(&copy(&schema.url, &place.path("second")), "nothing was copied: the journal is damaged in stream book g_1");
    assert!(!place.has_journal("second") && !Path::new(&file).exists());
}

#[test]
fn a_copy_of_a_database_that_has_grown_meanwhile_is_reported() {
    let (place, source, target) = (Place::new(), Schema::empty(), Schema::empty());
    succeeded(copy(&place.filled("first"), &source.url));
    let address: PostgresAddress = source.url.parse().unwrap();
    let standbys = SynchronousStandbys::NotRequired;
    // This makes the tables of the target.
    let lease = WriterLease::open(&target.url.parse().unwrap(), standbys, LEASE_TIMEOUT).unwrap();
    assert!(lease.observe().unwrap().is_expired());

    // The restore waits for this lock until the source has grown.
    let sleep = format!("LOCK TABLE {}.lienbook_lease; SELECT pg_sleep(3600)", target.name);
    let asleep = format!("FROM pg_stat_activity WHERE query LIKE '%{}.lienbook_lease; %pg_sleep%'", target.name);
    let asleep = format!("{asleep} AND pid <> pg_backend_pid()");
    let holding = thread::spawn(move || SERVER.try_sql(&sleep));
    let is_locked =
        format!("SELECT count(*) FROM pg_locks WHERE relation = '{}.lienbook_lease'::regclass", target.name);
    wait_until("the target is locked", || SERVER.sql(&format!("{is_locked} AND mode = 'AccessExclusiveLock'")) == "1");
    let arguments = ["journal", "copy", "--from", &source.url, "--to", &target.url, "--journal-standbys", "0"];
    let copying = lienbook(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the copy waits", || SERVER.sql(&format!("{is_locked} AND NOT granted")) == "1");

    let lease = WriterLease::open(&address, standbys, LEASE_TIMEOUT).unwrap();
    let claim = lease.claim("another", "http://127.0.0.1:1", LEASE_TTL).unwrap().unwrap();
    let options = PostgresOptions { standbys, ..PostgresOptions::default() };
    let journal = PostgresJournal::open(&address, options).unwrap();
    journal.begin_writing(claim.epoch).unwrap();
    append(&journal, BATCHES);
    assert!(journal.position().0 > claim.position);
    journal.close();
    assert!(lease.release(claim.epoch, None).unwrap());
    assert_eq!(SERVER.sql(&format!("SELECT pg_terminate_backend(pid) {asleep}")), "t");
    assert_eq!(holding.join().unwrap(), None);

    let output = hidden(copying.wait_with_output().unwrap());
    refused(&output, "has appended to the journal in postgres://postgres@127.0.0.1:");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}
