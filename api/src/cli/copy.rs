//! `lienbook export` and `lienbook restore`: the whole journal as JSON lines, out and in.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use persistence::{Options, SledJournal};

use super::progress::{CountedLines, Progress};
use super::terminal::{grouped, note};
use crate::config::settings::Settings;
use crate::failure::Failure;

/// Writes the journal to a file, or to standard output.
pub(super) fn export(settings: &Settings, to: Option<&Path>) -> Result<(), Failure> {
    if !settings.data.join("journal").exists() {
        return Err(Failure::new(format!("{} has no journal", settings.data.display())));
    }
    let journal = SledJournal::open(&settings.data, Options::default()).map_err(Failure::new)?;
    note(format_args!("Exporting the journal in {} ...", settings.data.display()));
    match to {
        None => export_into(&journal, BufWriter::new(io::stdout().lock())).map(|_| ()),
        Some(path) => {
            // A half-written export must not look like a whole one, so it gets its name at the end.
            let unfinished = unfinished(path);
            let made = OpenOptions::new().write(true).create_new(true).open(&unfinished);
            let file = made.map_err(|error| cannot_write(&unfinished, &error))?;
            let written = export_into(&journal, BufWriter::new(file)).and_then(|file| {
                let file = file.into_inner().map_err(|error| cannot_write(path, error.error()))?;
                file.sync_all().map_err(|error| cannot_write(path, &error))?;
                fs::rename(&unfinished, path).map_err(|error| cannot_write(path, &error))
            });
            if written.is_err() {
                // What failed is reported; the remains are only untidy.
                let _ = fs::remove_file(&unfinished);
            }
            written?;
            note(format_args!("Written to {}.", path.display()));
            Ok(())
        }
    }
}

fn export_into<W: io::Write>(journal: &SledJournal, out: W) -> Result<W, Failure> {
    let mut counted = CountedLines::new(out, Progress::new("events exported"));
    let extent = persistence::export(journal, &mut counted).map_err(Failure::new)?;
    counted.flush().map_err(Failure::new)?;
    let (out, progress) = counted.into_parts();
    progress.finish(extent.events);
    Ok(out)
}

/// Makes a journal from a file, or from standard input.
pub(super) fn restore(settings: &Settings, from: Option<&Path>) -> Result<(), Failure> {
    note(format_args!("Restoring into {} ...", settings.data.display()));
    let mut progress = Progress::new("events restored");
    let options = Options::default();
    let mut tell = |count| progress.at(count);
    let extent = match from {
        None => persistence::restore(&settings.data, &options, &mut io::stdin().lock(), &mut tell),
        Some(path) => {
            let file = File::open(path)
                .map_err(|error| Failure::new(format!("cannot read the export {}: {error}", path.display())))?;
            persistence::restore(&settings.data, &options, &mut BufReader::new(file), &mut tell)
        }
    };
    let extent = extent.map_err(Failure::new)?;
    progress.finish(extent.events);
    note(format_args!("{} streams restored, every line verified.", grouped(extent.streams)));
    Ok(())
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display()))
}
