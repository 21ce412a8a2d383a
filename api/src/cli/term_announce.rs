//! `lienbook term announce`: announces a term change.

use super::arguments::TermSubcommand;
use super::operate;
use super::terminal::{say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::operator::request::{Reply, Request};

/// Announces a term change and prints when it takes effect.
pub(super) fn run(settings: &Settings, act: TermSubcommand) -> Result<(), Failure> {
    let TermSubcommand::Announce { sub_collection, term_days, interest_basis_points, in_days } = act;
    let request =
        Request::AnnounceTerm { sub_collection: sub_collection.clone(), term_days, interest_basis_points, in_days };
    let if_unanswered = "they may be announced or not; announce them again, which is refused if they are";
    match operate::execute(settings, request, if_unanswered)? {
        Reply::TermAnnounced { id, .. } => {
            say(format_args!("Announced new terms for {sub_collection}"));
            let percent = format!("{}.{:02} %", interest_basis_points / 100, interest_basis_points % 100);
            let days = |count: u16| if count == 1 { "1 day".to_owned() } else { format!("{count} days") };
            let rows = [
                ("change", id),
                ("term", days(term_days)),
                ("interest", percent),
                ("from", format!("in {}", days(in_days))),
            ];
            say(table(&rows).trim_end());
            Ok(())
        }
        other => Err(operate::failure(other)),
    }
}
