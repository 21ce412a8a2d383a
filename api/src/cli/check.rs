//! `lienbook check`: is the journal as it was left?

use persistence::Options;

use super::terminal::{grouped, say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;

/// Verifies every record and prints what the journal holds.
pub(super) fn run(settings: &Settings) -> Result<(), Failure> {
    let report = persistence::verify(&settings.data, &Options::default()).map_err(Failure::new)?;
    say(format_args!("Journal in {}", settings.data.display()));
    table(&[
        ("streams".to_owned(), grouped(report.streams)),
        ("events".to_owned(), grouped(report.events)),
        ("blocks".to_owned(), grouped(report.blocks)),
        ("bytes".to_owned(), grouped(report.bytes)),
        ("last commit".to_owned(), grouped(report.last_commit)),
    ]);
    if let Some(commit) = report.unacknowledged_commit {
        say(format_args!("Commit {commit} is incomplete and was never acknowledged; the next start cuts it."));
    }
    for problem in &report.problems {
        say(format_args!("  problem: {problem}"));
    }
    if report.is_sound() {
        say("Every record is as it was written.");
        Ok(())
    } else {
        let count = grouped(report.problems_found);
        Err(Failure::new(format!(
            "the journal has {count} problem(s); restore it from an export with `lienbook restore`"
        )))
    }
}
