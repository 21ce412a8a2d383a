//! `lienbook check`: is the journal as it was left?

use std::path::Path;

use persistence::{Options, Report};

use super::terminal::{grouped, print, table};
use crate::config::settings::Settings;
use crate::failure::Failure;

/// Verifies every record and prints what the journal holds.
pub(super) fn run(settings: &Settings) -> Result<(), Failure> {
    let report = persistence::verify(&settings.data, &Options::default()).map_err(Failure::new)?;
    let told = print(&described(&report, &settings.data));
    if report.is_sound() {
        told
    } else {
        let count = grouped(report.problems_found);
        Err(Failure::new(format!(
            "the journal has {count} problem(s); restore it from an export with `lienbook restore`"
        )))
    }
}

fn described(report: &Report, data: &Path) -> String {
    let rows = [
        ("streams", report.streams),
        ("events", report.events),
        ("blocks", report.blocks),
        ("bytes", report.bytes),
        ("last commit", report.last_commit),
    ];
    let rows = table(&rows.map(|(name, count)| (name, grouped(count))));
    let mut lines = vec![format!("Journal in {}\n{}", data.display(), rows.trim_end())];
    if let Some(commit) = report.unacknowledged_commit {
        lines.push(format!("Commit {commit} is incomplete and was never acknowledged; the next start cuts it."));
    }
    lines.extend(report.problems.iter().map(|problem| format!("  problem: {problem}")));
    if report.is_sound() {
        lines.push("Every record is as it was written.".to_owned());
    }
    lines.join("\n") + "\n"
}
