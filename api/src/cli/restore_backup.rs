//! `lienbook restore --from`: a journal from the pieces of a backup, up to a moment.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use domain::UnixMs;
use persistence::{Pieces, RestoredBackup, Until};

use super::journal_place::JournalPlace;
use super::moment;
use super::progress::Progress;
use super::terminal::{note, print, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::number::grouped;

/// The export or backup to restore.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// The export to read; standard input by default.
    #[arg(value_name = "FILE", conflicts_with = "from")]
    pub file: Option<PathBuf>,
    /// The folder of a backup, or - for its pieces on standard input, one after the other.
    #[arg(long, value_name = "FOLDER")]
    pub from: Option<PathBuf>,
    /// With --from: the moment up to which the journal is restored, such as 2026-11-27T10:00:00Z. The first commit that is
    /// later is not restored, nor any after it.
    #[arg(long, value_name = "TIME", requires = "from", value_parser = moment::parse, conflicts_with = "until_position")]
    pub until: Option<UnixMs>,
    /// With --from: the last commit that is restored.
    #[arg(long, value_name = "COMMIT", requires = "from", value_parser = clap::value_parser!(u64).range(1..))]
    pub until_position: Option<u64>,
}

impl RestoreArguments {
    fn until(&self) -> Until {
        match (self.until_position, self.until) {
            (Some(position), _) => Until::Position(position),
            (None, Some(moment)) => Until::Time(moment),
            (None, None) => Until::End,
        }
    }
}

/// Opens the pieces in a folder, or on standard input.
pub(super) fn open(from: &Path) -> Result<Pieces<'static>, Failure> {
    if from == Path::new("-") {
        return Ok(Pieces::of_stream(io::stdin().lock()));
    }
    Pieces::of_folder(from).map_err(Failure::new)
}

/// Creates a journal from a backup, and prints its end.
pub(super) fn run(settings: &Settings, from: &Path, arguments: &RestoreArguments) -> Result<(), Failure> {
    let place = JournalPlace::of(settings);
    let mut pieces = open(from)?;
    note(format_args!("Restoring into {place} ..."));
    let mut progress = Progress::new("events restored");
    let mut on_progress = |count| progress.at(count);
    let restored = place.restore_backup(settings.journal_standbys, &mut pieces, arguments.until(), &mut on_progress);
    let restored = restored.map_err(Failure::new)?;
    progress.finish(restored.events);
    let mut report = format!("Restored {place}; every block is as it was written.\n{}", table(&described(&restored)));
    if restored.is_whole && arguments.until.is_some() {
        report.push_str("This is the end of the backup: it has nothing later, up to that moment or after it.\n");
    }
    print(&report)
}

/// Describes the end of what was restored, in names and values.
pub(super) fn described(restored: &RestoredBackup) -> Vec<(&'static str, String)> {
    vec![
        ("journal", restored.journal.to_string()),
        ("last commit", grouped(restored.point.position)),
        ("time", moment::shown(restored.at)),
        ("digest", restored.point.digest.to_string()),
        ("streams", grouped(restored.streams)),
        ("events", grouped(restored.events)),
    ]
}
