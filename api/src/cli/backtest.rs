//! `lienbook backtest`: the return that a rule for quoting would have had on the recorded market.

pub(super) mod arguments;
mod journal_history;
mod report_text;

use serde_json::json;

use super::journal_place::JournalPlace;
use super::terminal::{note, print};
use crate::config::settings::Settings;
use crate::failure::Failure;

use arguments::BacktestArguments;
use journal_history::JournalHistory;

/// Tests the rule on the journal of the settings, and prints a table or JSON.
pub(super) fn run(settings: &Settings, arguments: &BacktestArguments) -> Result<(), Failure> {
    let place = JournalPlace::of(settings);
    let rule = arguments.rule()?;
    let journal = place.open()?;
    note(format_args!("Reading the journal in {place} ..."));
    let report = backtest::run(&rule, &JournalHistory::new(journal.port())).map_err(Failure::new)?;
    if arguments.json {
        let report = serde_json::to_value(&report).map_err(Failure::new)?;
        let text = json!({"assumption": report_text::ASSUMPTION, "report": report});
        print(&format!("{text:#}\n"))
    } else {
        print(&report_text::text(&report))
    }
}
