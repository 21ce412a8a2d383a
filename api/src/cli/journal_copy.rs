//! `lienbook journal copy`: a journal moves between a data folder and a database, and is compared afterwards.

use std::io::{self, BufReader, BufWriter, PipeReader, PipeWriter};
use std::path::Path;
use std::time::Duration;
use std::{fs, panic, thread};

use engine::journal::SharedJournal as _;
use persistence::{ExportError, SynchronousStandbys, WriterLease, export};

use super::export_end::{ExportEnd, LastLine};
use super::journal_place::JournalPlace;
use super::progress::{CountedLines, Progress};
use super::terminal::{note, print, table};
use crate::config::server_key;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::journal::ServerJournal;
use crate::number::grouped;

/// The timeout for reading the lease.
const LEASE_TIMEOUT: Duration = Duration::from_secs(10);

/// Copies the journal, compares the exports of both places, and prints the totals and the next step.
pub(super) fn run(settings: &Settings, from: &str, to: &str) -> Result<(), Failure> {
    let (from, to) = (JournalPlace::parse("--from", from)?, JournalPlace::parse("--to", to)?);
    refuse_same_folder(&from, &to)?;
    // A folder is locked from here on; a database is read up to what was committed now.
    let source = from.open()?;
    refuse_served(&from)?;
    note(format_args!("Copying the journal in {from} to {to} ..."));
    let sent = transfer(&source, &to, settings.journal_standbys)?;
    note(format_args!("Comparing both ..."));
    let copied = read_back(&to)?;
    if copied != sent {
        return Err(Failure::new(format!(
            "the copy in {to} differs from the journal in {from} (blake3 {} and {}): remove the copy",
            copied.blake3, sent.blake3
        )));
    }
    refuse_grown(&source, &from, &to)?;
    let ExportEnd { events, streams, blake3 } = sent;
    let rows = table(&[("streams", grouped(streams)), ("events", grouped(events)), ("blake3", blake3)]);
    print(&format!("Copied the journal in {from} to {to}; both have the same export.\n{rows}{}", next(&from, &to)))
}

/// Writes the export of one end of a pipe while it is restored from the other, so that nothing of it is stored between.
fn transfer(source: &ServerJournal, to: &JournalPlace, standbys: u32) -> Result<ExportEnd, Failure> {
    let (reader, writer) = io::pipe().map_err(|error| Failure::new(error).while_doing("cannot create a pipe"))?;
    let mut progress = Progress::new("events copied");
    let mut restore = |reader: PipeReader| {
        // The reader is dropped at the end, which ends an export that waits for it.
        to.restore(standbys, &mut BufReader::new(reader), &mut |count| progress.at(count))
    };
    let (sent, restored) = thread::scope(|scope| {
        let sending = scope.spawn(|| send(source, writer));
        let restored = restore(reader);
        (sending.join().unwrap_or_else(|payload| panic::resume_unwind(payload)), restored)
    });
    match (sent, restored) {
        // The restore has failed as well: its input ended early.
        (Err(ExportError::Replay(error)), _) => Err(Failure::new(error).while_doing("nothing was copied")),
        (_, Err(error)) => Err(Failure::new(error)),
        (Err(error @ ExportError::Write(_)), Ok(_)) => Err(Failure::new(error)),
        (Ok(end), Ok(totals)) => {
            progress.finish(totals.events);
            end.ok_or_else(|| Failure::new("the export has no end"))
        }
    }
}

fn send(source: &ServerJournal, pipe: PipeWriter) -> Result<Option<ExportEnd>, ExportError> {
    let mut lines = LastLine::new(BufWriter::new(pipe));
    export(source, &mut lines)?;
    Ok(lines.end())
}

/// Exports the copy, with all checks, and keeps its end alone.
fn read_back(place: &JournalPlace) -> Result<ExportEnd, Failure> {
    let mut lines = CountedLines::new(LastLine::new(io::sink()), Progress::new("events compared"));
    let totals = export(&place.open()?, &mut lines).map_err(Failure::new)?;
    let (lines, progress) = lines.into_parts();
    progress.finish(totals.events);
    lines.end().ok_or_else(|| Failure::new("the export of the copy has no end"))
}

fn refuse_same_folder(from: &JournalPlace, to: &JournalPlace) -> Result<(), Failure> {
    let (JournalPlace::Folder(a), JournalPlace::Folder(b)) = (from, to) else { return Ok(()) };
    let is_same = a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b);
    if is_same { Err(Failure::new(format!("--from and --to are the same folder {from}"))) } else { Ok(()) }
}

/// Refuses a database on which a node decides, as the lock of a folder refuses one that a server uses: what it commits
/// later would be missing from the copy.
fn refuse_served(from: &JournalPlace) -> Result<(), Failure> {
    let JournalPlace::Database(url) = from else { return Ok(()) };
    let lease = WriterLease::open(url.address(), SynchronousStandbys::NotRequired, LEASE_TIMEOUT);
    let state = lease.map_err(Failure::new)?.observe().map_err(Failure::new)?;
    match &state.holder {
        Some(holder) if !state.is_expired() => Err(Failure::new(format!(
            "the node {holder} serves the journal in {from}: stop all nodes first (one that was killed holds it for {} s \
             more); an export can be taken while they serve",
            state.remaining.as_secs() + 1
        ))),
        _ => Ok(()),
    }
}

/// Refuses the copy of a database to which a node has appended meanwhile. A folder was locked.
fn refuse_grown(source: &ServerJournal, from: &JournalPlace, to: &JournalPlace) -> Result<(), Failure> {
    let ServerJournal::Postgres(journal) = source else { return Ok(()) };
    let before = journal.position();
    let now = journal.read_commits(&mut |_commit| {}).map_err(Failure::new)?;
    if now == before {
        return Ok(());
    }
    Err(Failure::new(format!(
        "a node has appended to the journal in {from} while it was copied: stop all nodes, remove the copy in {to}, and copy \
         again"
    )))
}

/// The next step, for the operator.
fn next(from: &JournalPlace, to: &JournalPlace) -> String {
    let key = |folder: &Path| folder.join(server_key::SESSION.file_name).display().to_string();
    let start = match to {
        JournalPlace::Folder(folder) => format!(
            "Start one server with --data {to} and without --journal. Put the session key into {} first, or all users sign \
             in again.",
            key(folder)
        ),
        JournalPlace::Database(_) => {
            let place = match from {
                JournalPlace::Folder(folder) => format!(", such as that of {}", key(folder)),
                JournalPlace::Database(_) => String::new(),
            };
            format!(
                "Start the nodes with the URL of the copy in --journal, or with its password in LIENBOOK_JOURNAL, and with one \
                 session key for all{place}."
            )
        }
    };
    format!("{start}\nStart none on {from} again: it would go on without what the others commit.\n")
}
