//! `lienbook export` and `lienbook restore`: the whole journal as JSON lines.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;

use super::export_target::{ExportTarget, cannot_write};
use super::journal_place::JournalPlace;
use super::progress::{CountedLines, Progress};
use super::terminal::note;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::journal::ServerJournal;
use crate::number::grouped;

/// Writes the journal to a file, a pipe or standard output; an existing file is replaced only if forced.
pub(super) fn export(settings: &Settings, to: Option<&Path>, is_forced: bool) -> Result<(), Failure> {
    let place = JournalPlace::of(settings);
    let target = ExportTarget::choose(to, is_forced)?;
    let journal = place.open()?;
    note(format_args!("Exporting the journal in {place} ..."));
    match &target {
        ExportTarget::Stdout => return export_into(&journal, BufWriter::new(io::stdout().lock())).map(|_| ()),
        ExportTarget::Stream(path) => {
            let opened = OpenOptions::new().write(true).open(path);
            let stream = opened.map_err(|error| cannot_write(path, &error))?;
            export_into(&journal, BufWriter::new(stream))?;
        }
        ExportTarget::File(file) => file.fill(|file| {
            let written = export_into(&journal, BufWriter::new(file))?;
            written.into_inner().map_err(|error| Failure::new(error.error()).while_doing("cannot write the export"))
        })?,
    }
    if let Some(path) = to {
        note(format_args!("Written to {}.", path.display()));
    }
    Ok(())
}

fn export_into<W: io::Write>(journal: &ServerJournal, out: W) -> Result<W, Failure> {
    let mut counted = CountedLines::new(out, Progress::new("events exported"));
    let extent = persistence::export(journal, &mut counted).map_err(Failure::new)?;
    counted.flush().map_err(Failure::new)?;
    let (out, progress) = counted.into_parts();
    progress.finish(extent.events);
    Ok(out)
}

/// Creates a journal from a file, or from standard input.
pub(super) fn restore(settings: &Settings, from: Option<&Path>) -> Result<(), Failure> {
    let place = JournalPlace::of(settings);
    note(format_args!("Restoring into {place} ..."));
    let mut progress = Progress::new("events restored");
    let standbys = settings.journal_standbys;
    let mut on_progress = |count| progress.at(count);
    let extent = match from {
        None => place.restore(standbys, &mut io::stdin().lock(), &mut on_progress),
        Some(path) => {
            let file = File::open(path)
                .map_err(|error| Failure::new(format!("cannot read the export {}: {error}", path.display())))?;
            place.restore(standbys, &mut BufReader::new(file), &mut on_progress)
        }
    };
    let extent = extent.map_err(Failure::new)?;
    progress.finish(extent.events);
    note(format_args!("{} streams restored, every line verified.", grouped(extent.streams)));
    Ok(())
}
