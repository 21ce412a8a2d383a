//! `lienbook drill`: restores a backup into a temporary folder, and starts a market from it.

mod backup_age;
mod restored_journal;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::rt::System;
use clap::Args;
use domain::UnixMs;
use engine::clock::SystemClock;
use engine::{Market, Settings as EngineSettings};
use persistence::{
    CaughtUp, CommitSource as _, FeedStart, Options, RestoredBackup, SledJournal, Until, VerifyReport, restore_backup,
    verify,
};

use self::restored_journal::RestoredJournal;
use super::moment;
use super::progress::Progress;
use super::restore_backup::{described, open};
use super::terminal::{note, print, table};
use crate::clock;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::number::grouped;

/// The backup, and its age.
#[derive(Debug, Args)]
pub struct DrillArguments {
    /// The folder of a backup, or - for its pieces on standard input, one after the other.
    #[arg(long, value_name = "FOLDER")]
    pub from: PathBuf,
    /// The seconds after which a backup is too old. A folder notes when it was last known to have everything; the age of
    /// other backups is that of their last commit.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub age_max: Option<u64>,
    /// Check the age alone, by what `lienbook backup` has noted in its folder or --state, and restore nothing.
    #[arg(long, requires = "age_max", conflicts_with = "scratch")]
    pub age_only: bool,
    /// The folder for the restored journal, which is removed at the end; by default that of temporary files.
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
}

/// Restores, verifies and replays the backup, and fails if anything differs from what it says.
pub(super) fn run(settings: &Settings, arguments: &DrillArguments) -> Result<(), Failure> {
    let (began_at, now) = (Instant::now(), clock::now());
    if let Some(age_max) = arguments.age_max.filter(|_| arguments.age_only) {
        return backup_age::check(&arguments.from, now, Duration::from_secs(age_max));
    }
    // Before the restore, which takes a while.
    let caught_up = CaughtUp::read(&arguments.from);
    let scratch = match &arguments.scratch {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    let scratch = scratch.map_err(|error| Failure::new(error).while_doing("cannot create a temporary folder"))?;
    let data = scratch.path().join("data");
    let mut pieces = open(&arguments.from)?;
    note(format_args!("Restoring {} into {} ...", arguments.from.display(), data.display()));
    let mut progress = Progress::new("events restored");
    let options = Options::default();
    let restored = restore_backup(&data, &options, &mut pieces, Until::End, &mut |count| progress.at(count));
    let restored = restored.map_err(Failure::new)?;
    progress.finish(restored.events);
    let restored_in = began_at.elapsed();

    let mut faults = Vec::new();
    let report = verify(&data, &options).map_err(Failure::new)?;
    faults.extend(differences(&restored, &report));
    let books = replayed(settings, &data, &restored, &mut faults)?;
    let caught_up = caught_up.filter(|caught_up| caught_up.position <= restored.point.position);
    let seen_at = caught_up.map(|caught_up| caught_up.at);
    let newest = UnixMs(seen_at.unwrap_or_default().0.max(restored.at.0));
    faults.extend(arguments.age_max.and_then(|age_max| backup_age::fault(newest, now, Duration::from_secs(age_max))));

    let mut rows = described(&restored);
    rows.push(("collections", grouped(u64::try_from(books).unwrap_or(u64::MAX))));
    rows.push(("complete at", moment::shown(newest)));
    print(&table(&rows))?;
    if !faults.is_empty() {
        return Err(Failure::all(faults).while_doing("the drill has failed"));
    }
    print(&format!(
        "The drill passed: {} pieces, commit {}, restored in {:.1} s, verified and replayed in {:.1} s.\n",
        grouped(restored.pieces),
        grouped(restored.point.position),
        restored_in.as_secs_f64(),
        began_at.elapsed().saturating_sub(restored_in).as_secs_f64()
    ))
}

/// The differences between a backup and the journal that was restored from it.
fn differences(restored: &RestoredBackup, report: &VerifyReport) -> Vec<String> {
    let figures = [
        ("commits", restored.point.position, report.last_commit),
        ("events", restored.events, report.events),
        ("blocks", restored.blocks, report.blocks),
        ("streams", restored.streams, report.streams),
    ];
    let figures = figures.into_iter().filter(|(_, backup, journal)| backup != journal);
    let mut faults: Vec<_> = report.problems.iter().map(|problem| format!("the restored journal: {problem}")).collect();
    faults.extend(figures.map(|(what, backup, journal)| {
        format!("the backup has {} {what}, and the restored journal {}", grouped(backup), grouped(journal))
    }));
    faults
}

/// Starts a market from the restored journal, which nothing is appended to. Returns the number of its collections.
fn replayed(
    settings: &Settings,
    data: &Path,
    restored: &RestoredBackup,
    faults: &mut Vec<String>,
) -> Result<usize, Failure> {
    let journal = Arc::new(SledJournal::open(data, Options::default()).map_err(Failure::new)?);
    let (start, _) = journal.start_feed(restored.point.position).map_err(Failure::new)?;
    let expected = FeedStart {
        journal: Some(restored.journal),
        end: restored.point.position,
        digest: Some(restored.point.digest),
    };
    if start != expected {
        faults.push(format!("the restored journal has another state: {start:?} in place of {expected:?}"));
    }
    let market_settings = EngineSettings { limits: Arc::new(settings.limits.clone()), ..EngineSettings::default() };
    let frozen = Arc::new(RestoredJournal(Arc::clone(&journal)));
    let books = System::new().block_on(async {
        let market = Market::start_following(frozen, Arc::new(SystemClock), market_settings)?;
        let books = market.groups().len();
        market.stop().await;
        Ok::<_, engine::StartError>(books)
    });
    journal.close();
    Ok(books.unwrap_or_else(|error| {
        faults.push(format!("a market cannot be started from the backup: {error}"));
        0
    }))
}
