//! Tests of `backup`, `restore --from` and `drill`: the program, killed and continued, on a running server and a database.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use actix_web::rt::System;
use domain::{BookEvent, Event, GroupId, Stream, UnitPrice, UnixMs};
use engine::journal::{Append, Batch, Journal, SharedJournal as _};
use persistence::{
    Options, PostgresAddress, PostgresJournal, PostgresOptions, SledJournal, SynchronousStandbys, WriterLease,
};
use postgres_testkit::{Server, wait_until};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use tempfile::TempDir;

use super::process::{Served, failure, failures, lienbook, prepare, run};

/// The server of all tests; each has schemas of its own.
static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start(&[]));

/// The number of times that a backup is killed.
const KILLS: u32 = 8;
const LEASE_TIMEOUT: Duration = Duration::from_mins(1);
const LEASE_TTL: Duration = Duration::from_mins(30);

/// A folder for data folders and backups.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).into_os_string().into_string().unwrap()
    }
}

/// A backup in a process of its own, which ends with the test.
struct Backup(Child);

impl Backup {
    fn start(arguments: &[&str]) -> Self {
        let mut command = lienbook(&[&["backup", "--every", "1", "--piece-mb", "1"], arguments].concat());
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Stops it by a signal, after which it exits successfully.
    fn stop(mut self) {
        let status = std::process::Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap();
        assert!(status.success());
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        // A successful test has ended it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The output of a run that has succeeded.
#[track_caller]
fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Expects a failure of one line that contains a text.
#[track_caller]
fn refused(output: &Output, text: &str) {
    let line = failure(output);
    assert!(line.contains(text), "{line}");
}

/// Expects the same of a failure that no other attempt can mend, which has a status of its own.
#[track_caller]
fn refused_finally(output: &Output, text: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(65) && said.contains(text), "{}: {said}", output.status);
}

fn exported(place: &[&str]) -> String {
    said(&run(&[&["export"], place].concat()))
}

#[expect(clippy::print_stdout, reason = "the seed is what it takes to run a failure again")]
fn seeded() -> StdRng {
    let seed = rand::random();
    println!("seed {seed}");
    StdRng::seed_from_u64(seed)
}

/// The position up to which a backup has last caught up.
fn caught_up(folder: &str) -> Option<u64> {
    let noted: Value = serde_json::from_slice(&fs::read(Path::new(folder).join("caught-up.json")).ok()?).ok()?;
    noted["position"].as_u64()
}

/// The pieces in a folder, in their order.
fn pieces(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "lienbook-piece"));
    files.sort();
    files
}

/// Appends a batch of prices that hardly compress.
fn append(journal: &impl Journal, batch: u64, events: u64, random: &mut StdRng) {
    let stream = Stream::Book(GroupId(1));
    let after = journal.replay(stream, 0, &mut |_| {}).unwrap();
    let price = |_| {
        let price = UnitPrice::from_scaled(random.random_range(1..1 << 50));
        Event::Book(BookEvent::PriceMoved { price, observed_at: UnixMs(batch) })
    };
    let events = (0..events).map(price).collect();
    let batch = Batch { at: UnixMs(batch), appends: vec![Append { stream, after, events }] };
    journal.append(batch).blocking_recv().unwrap().unwrap();
}

/// A data folder whose commits are a second apart, from 1970 on.
fn filled(place: &Place, name: &str, commits: u64) -> String {
    let path = place.path(name);
    let journal = SledJournal::open(&path, Options::default()).unwrap();
    let mut random = StdRng::seed_from_u64(commits);
    for batch in 1..=commits {
        append(&journal, batch * 1_000, 2_000, &mut random);
    }
    journal.close();
    path
}

#[actix_web::test]
async fn a_killed_backup_of_a_running_server_continues_and_has_every_acknowledged_write() {
    let place = Place::new();
    let (data, folder) = (place.path("data"), place.path("backup"));
    prepare(Path::new(&data)).await;
    let served = Served::start(Path::new(&data), &[]);
    let mut random = seeded();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut sats = 1_000_000;
            while !is_done.load(Ordering::Acquire) {
                sats += 1;
                said(&run(&["price", "set", "--data", &data, "paper-frogs", &sats.to_string()]));
            }
        });
        for _ in 0..KILLS {
            let backup = Backup::start(&["--data", &data, "--to", &folder]);
            thread::sleep(Duration::from_millis(random.random_range(0..400)));
            backup.kill();
        }
        is_done.store(true, Ordering::Release);
    });
    // A last write, acknowledged.
    said(&run(&["price", "set", "--data", &data, "paper-frogs", "77"]));
    // A round of one of the killed ones may have left it.
    let _ = fs::remove_file(Path::new(&folder).join("caught-up.json"));
    let backup = Backup::start(&["--data", &data, "--to", &folder]);
    wait_until("the backup has completed a round", || caught_up(&folder).is_some());
    let second = run(&["backup", "--once", "--data", &data, "--to", &folder]);
    refused(&second, "another backup writes to");
    let end =
        said(&run(&["backup", "--once", "--data", &data, "--command", "cat >/dev/null", "--state", &place.path("s")]));
    assert!(end.is_empty(), "{end}");
    let shipped: Value = serde_json::from_slice(&fs::read(place.0.path().join("s/shipped.json")).unwrap()).unwrap();
    let position = shipped["point"]["position"].as_u64().unwrap();
    wait_until("the backup has everything", || caught_up(&folder) == Some(position));
    backup.stop();
    said(&run(&["drill", "--from", &folder, "--age-max", "3600"]));
    served.terminate();

    let copy = place.path("copy");
    let report = said(&run(&["restore", "--from", &folder, "--data", &copy]));
    assert!(report.contains(&format!("  digest       {}\n", shipped["point"]["digest"].as_str().unwrap())), "{report}");
    let text = exported(&["--data", &data]);
    assert!(text == exported(&["--data", &copy]), "the restored journal differs");
    assert!(text.contains(r#""price":"#) && text.lines().count() > 5, "{text}");
    // Without a server the folder itself is read, and has nothing more.
    let before = pieces(&folder).len();
    said(&run(&["backup", "--once", "--data", &data, "--to", &folder]));
    assert_eq!(pieces(&folder).len(), before);
    // The copy is the same journal, so it can be backed up in its place.
    said(&run(&["backup", "--once", "--data", &copy, "--to", &folder]));
}

#[test]
fn a_killed_backup_of_a_database_continues_while_a_node_writes() {
    let place = Place::new();
    let (source, target) = (SERVER.new_schema_url(), SERVER.new_schema_url());
    let (folder, standbys) = (place.path("backup"), SynchronousStandbys::NotRequired);
    let address: PostgresAddress = source.parse().unwrap();
    let lease = WriterLease::open(&address, standbys, LEASE_TIMEOUT).unwrap();
    let claim = lease.claim("writer", "http://127.0.0.1:1", LEASE_TTL).unwrap().unwrap();
    let options = PostgresOptions { standbys, ..PostgresOptions::default() };
    let journal = PostgresJournal::open(&address, options).unwrap();
    journal.begin_writing(claim.epoch).unwrap();
    let mut random = seeded();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut batch, mut prices) = (0, StdRng::seed_from_u64(1));
            while !is_done.load(Ordering::Acquire) {
                batch += 1;
                append(&journal, batch, 50, &mut prices);
            }
        });
        for _ in 0..KILLS {
            let backup = Backup::start(&["--journal", &source, "--to", &folder]);
            thread::sleep(Duration::from_millis(random.random_range(0..400)));
            backup.kill();
        }
        // The writer does not stop, and the round ends.
        said(&run(&["backup", "--once", "--journal", &source, "--to", &folder]));
        assert!(caught_up(&folder).is_some_and(|position| position > 0));
        is_done.store(true, Ordering::Release);
    });
    let backup = Backup::start(&["--journal", &source, "--to", &folder]);
    wait_until("the backup has everything", || caught_up(&folder) == Some(journal.position().0));
    backup.stop();
    journal.close();
    let place_of = |url| ["--journal", url, "--journal-standbys", "0"];
    said(&run(&[&["restore", "--from", &folder], &place_of(&target)[..]].concat()));
    assert!(exported(&place_of(&source)) == exported(&place_of(&target)), "the restored journal differs");
    refused(&run(&[&["restore", "--from", &folder], &place_of(&target)[..]].concat()), "has a journal already");
    // Either form restores it.
    let data = place.path("data");
    said(&run(&["restore", "--from", &folder, "--data", &data]));
    assert!(exported(&["--data", &data]) == exported(&place_of(&target)));
}

#[actix_web::test]
async fn a_round_ends_while_each_piece_is_followed_by_another_commit() {
    let place = Place::new();
    let (data, state, list) = (place.path("data"), place.path("state"), place.path("list"));
    prepare(Path::new(&data)).await;
    let served = Served::start(Path::new(&data), &[]);
    // The command changes the market before it has taken a piece, and gives up on a backup that never ends.
    let program = lienbook(&[]).get_program().to_owned().into_string().unwrap();
    let command = format!(
        r#"cat >/dev/null && echo "$LIENBOOK_PIECE_LAST" >>"{list}" && [ "$(wc -l <"{list}")" -lt 12 ] && \
           "{program}" price set --data "{data}" paper-frogs "7$LIENBOOK_PIECE_LAST""#
    );
    for round in 1..4 {
        said(&run(&["backup", "--once", "--data", &data, "--command", &command, "--state", &state]));
        let taken = fs::read_to_string(&list).unwrap();
        assert_eq!(taken.lines().count(), round, "a piece in each round: {taken}");
    }
    served.terminate();
}

#[test]
fn a_backup_is_restored_up_to_a_moment_or_a_commit() {
    let place = Place::new();
    let (data, folder) = (filled(&place, "data", 20), place.path("backup"));
    said(&run(&["backup", "--once", "--data", &data, "--to", &folder]));
    let restore = |name: &str, until: [&str; 2]| {
        let data = place.path(name);
        run(&["restore", "--from", &folder, "--data", &data, until[0], until[1]])
    };
    for (name, until) in [
        ("a", ["--until", "1970-01-01T00:00:07Z"]),
        ("b", ["--until", "1970-01-01T01:00:07.999+01:00"]),
        ("c", ["--until-position", "7"]),
    ] {
        let report = said(&restore(name, until));
        assert!(report.contains("  last commit  7\n  time         1970-01-01T00:00:07Z\n"), "{report}");
        assert!(report.contains("  events       14,000\n"), "{report}");
        assert_eq!(exported(&["--data", &place.path(name)]).lines().count(), 14_002);
    }
    let report = said(&restore("d", ["--until", "2026-11-27T10:00:00Z"]));
    assert!(report.contains("  last commit  20\n") && report.contains("This is the end of the backup"), "{report}");
    refused(&restore("e", ["--until", "1970-01-01T00:00:00Z"]), "the first commit of the backup is later");
    refused(&restore("e", ["--until-position", "21"]), "the backup ends with commit 20, before commit 21");
    assert!(!place.0.path().join("e/journal").exists());
    // What was restored to a moment goes on elsewhere, so its commits cannot join the backup.
    let journal = SledJournal::open(place.path("c"), Options::default()).unwrap();
    let again = run(&["backup", "--once", "--data", &place.path("c"), "--to", &folder]);
    refused(&again, "another lienbook is running on");
    journal.close();
    drop(journal);
    let again = run(&["backup", "--once", "--data", &place.path("c"), "--to", &folder]);
    refused_finally(&again, "the backup has commit 20, and the journal ends with commit 7");
    let piece = pieces(&folder).pop().unwrap();
    fs::write(&piece, "damaged").unwrap();
    refused_finally(&run(&["backup", "--once", "--data", &data, "--to", &folder]), "is damaged");
}

#[test]
fn a_command_takes_each_piece_once_it_succeeds() {
    let place = Place::new();
    let (data, state, taken) = (filled(&place, "data", 30), place.path("state"), place.path("taken"));
    fs::create_dir(&taken).unwrap();
    let backup = |command: &str, mib: &str| {
        let arguments =
            ["backup", "--once", "--data", &data, "--piece-mb", mib, "--state", &state, "--command", command];
        lienbook(&arguments).current_dir(&taken).output().unwrap()
    };
    refused(&backup("exit 0", "128"), "has not read the whole piece");
    refused(&backup("cat >half; exit 3", "128"), "exit status: 3");
    assert_eq!(fs::read_dir(&state).unwrap().count(), 2, "a lock, and the piece on its way");
    // The piece on its way is the same again, whatever is asked for now.
    let take =
        r#"cat >"$LIENBOOK_PIECE" && echo "$LIENBOOK_PIECE_FIRST $LIENBOOK_PIECE_LAST $LIENBOOK_PIECE_BYTES" >>list"#;
    said(&backup(take, "1"));
    let files = pieces(&taken);
    let half = fs::read(place.0.path().join("taken/half")).unwrap();
    assert!(files.len() == 1 && fs::read(&files[0]).unwrap() == half, "{files:?}");
    let list = fs::read_to_string(place.0.path().join("taken/list")).unwrap();
    assert_eq!(list, format!("1 30 {}\n", half.len()));
    said(&backup("exit 9", "1"));

    let journal = SledJournal::open(&data, Options::default()).unwrap();
    append(&journal, 40_000, 3, &mut StdRng::seed_from_u64(1));
    journal.close();
    drop(journal);
    said(&backup(take, "1"));
    let stream: Vec<u8> = pieces(&taken).iter().flat_map(|path| fs::read(path).unwrap()).collect();
    let file = place.path("stream");
    fs::write(&file, stream).unwrap();
    let copy = place.path("copy");
    let mut restore = lienbook(&["restore", "--from", "-", "--data", &copy]);
    said(&restore.stdin(fs::File::open(&file).unwrap()).output().unwrap());
    assert!(exported(&["--data", &copy]) == exported(&["--data", &data]));
}

#[test]
fn a_drill_passes_and_fails_with_the_reason() {
    let place = Place::new();
    let (data, folder) = (place.path("data"), place.path("backup"));
    System::new().block_on(prepare(Path::new(&data)));
    refused(&run(&["drill", "--from", &folder]), "cannot read");
    said(&run(&["backup", "--once", "--data", &data, "--to", &folder]));
    let scratch = place.path("scratch");
    fs::create_dir(&scratch).unwrap();
    let drill = |more: &[&str]| run(&[&["drill", "--from", &folder, "--scratch", &scratch], more].concat());
    let report = said(&drill(&["--age-max", "86400"]));
    assert!(report.contains("  collections  1\n"), "{report}");
    assert!(report.lines().last().unwrap().starts_with("The drill passed: 1 pieces, commit 2, "), "{report}");
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "nothing is left");

    let piece = pieces(&folder).pop().unwrap();
    let sound = fs::read(&piece).unwrap();
    let mut altered = sound.clone();
    altered[sound.len() / 2] ^= 1;
    fs::write(&piece, altered).unwrap();
    refused(&drill(&[]), "is damaged");
    fs::write(&piece, sound).unwrap();

    // A backup that is sound, of a journal that no market has written.
    let (other, folder) = (filled(&place, "other", 3), place.path("of-other"));
    said(&run(&["backup", "--once", "--data", &other, "--to", &folder]));
    let drill = || run(&["drill", "--from", &folder, "--age-max", "86400"]);
    refused(&drill(), "the drill has failed: a market cannot be started from the backup");
    // Its commits are of 1970, and that is its age, because what was noted is of a backup with more commits.
    fs::write(Path::new(&folder).join("caught-up.json"), r#"{"position":4,"at":1795773600000}"#).unwrap();
    let lines = failures(&drill());
    assert!(lines.len() == 2 && lines[1].contains(" s old, of 86400 s at most"), "{lines:?}");
}

#[test]
fn the_age_of_a_backup_is_checked_without_a_restore() {
    let place = Place::new();
    let (data, folder, state) = (filled(&place, "data", 3), place.path("backup"), place.path("state"));
    let age = |of: &str| run(&["drill", "--age-only", "--age-max", "86400", "--from", of]);
    refused(&age(&folder), "does not say when the backup had everything");
    said(&run(&["backup", "--once", "--data", &data, "--to", &folder]));
    said(&run(&["backup", "--once", "--data", &data, "--command", "cat >/dev/null", "--state", &state]));
    for folder in [&folder, &state] {
        let report = said(&age(folder));
        assert!(report.starts_with("The backup was complete up to commit 3 "), "{report}");
    }
    let piece = pieces(&folder).pop().unwrap();
    fs::rename(&piece, place.path("away")).unwrap();
    refused(&age(&folder), "the backup had commit 3, and ends with commit 0: pieces are missing");
    fs::rename(place.path("away"), &piece).unwrap();
    fs::write(Path::new(&folder).join("caught-up.json"), r#"{"position":3,"at":5000}"#).unwrap();
    refused(&age(&folder), " s old, of 86400 s at most");
}

#[test]
fn a_backup_that_goes_on_leaves_a_folder_without_a_server_alone() {
    let place = Place::new();
    let (data, folder) = (filled(&place, "data", 2), place.path("backup"));
    let mut backup = Backup::start(&["--data", &data, "--to", &folder]);
    wait_until("the backup has its folder", || Path::new(&folder).join("lock").exists());
    // A server can start at any time, and is then found.
    let journal = SledJournal::open(&data, Options::default()).unwrap();
    journal.close();
    drop(journal);
    assert!(backup.0.try_wait().unwrap().is_none() && pieces(&folder).is_empty());
    backup.stop();
    refused(&run(&["backup", "--once", "--data", &place.path("none"), "--to", &folder]), "has no journal");
    // A path that is too long for a socket.
    let data = filled(&place, &"long".repeat(40), 2);
    said(&run(&["backup", "--once", "--data", &data, "--to", &folder]));
    assert_eq!(pieces(&folder).len(), 1);
}
