//! `lienbook check`: verifies the journal, and tests mail server, Telegram and all configured upstream services.

use actix_web::rt::System;
use persistence::VerifyReport;

use super::check_upstreams;
use super::journal_place::JournalPlace;
use super::terminal::{print, table};
use crate::config::delivery_settings::DeliverySetup;
use crate::config::server_key::ServerKey;
use crate::config::settings::Settings;
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::number::grouped;

/// Verifies every record and prints a summary of the journal, tests whether mail server and Telegram accept messages,
/// and tests every upstream service.
pub(super) fn run(settings: &Settings) -> Result<(), Failure> {
    let place = JournalPlace::of(settings);
    let report = place.verify()?;
    print(&described(&report, &place))?;
    if report.is_sound() {
        let faults = [check_delivery(settings), check_upstreams::run(settings)].into_iter().filter_map(Result::err);
        let lines: Vec<String> =
            faults.flat_map(|failure| failure.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        if lines.is_empty() { Ok(()) } else { Err(Failure::all(lines)) }
    } else {
        let count = grouped(report.problems_found);
        Err(Failure::new(format!(
            "the journal has {count} problem(s); restore it from an export with `lienbook restore`"
        )))
    }
}

fn check_delivery(settings: &Settings) -> Result<(), Failure> {
    // Nothing is issued here, so any key will do.
    let delivery = Delivery::new(settings, DeliverySetup::from_env()?, None, &ServerKey::new([0; 32]))?;
    let (mut sound, mut faults) = (Vec::new(), Vec::new());
    for line in System::new().block_on(delivery.check()) {
        match line {
            Ok(line) => sound.push(line + "\n"),
            Err(line) => faults.push(line),
        }
    }
    print(&sound.concat())?;
    if faults.is_empty() { Ok(()) } else { Err(Failure::all(faults)) }
}

fn described(report: &VerifyReport, place: &JournalPlace) -> String {
    let rows = [
        ("streams", report.streams),
        ("events", report.events),
        ("blocks", report.blocks),
        ("bytes", report.bytes),
        ("last commit", report.last_commit),
    ];
    let rows = table(&rows.map(|(name, count)| (name, grouped(count))));
    let mut lines = vec![format!("Journal in {place}\n{}", rows.trim_end())];
    if let Some(commit) = report.unacknowledged_commit {
        lines.push(format!("Commit {commit} is incomplete and was never acknowledged; the next start cuts it."));
    }
    lines.extend(report.problems.iter().map(|problem| format!("  problem: {problem}")));
    if report.is_sound() {
        lines.push("Every record is as it was written.".to_owned());
    }
    lines.join("\n") + "\n"
}
