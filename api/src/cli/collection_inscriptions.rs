//! `lienbook collection inscriptions`: adds inscriptions to a collection.

use std::path::Path;

use engine::asset_index::InscriptionId;

use super::named_input::NamedInput;
use super::operate;
use super::terminal::{note, say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::number::grouped;
use crate::operator::request::{INSCRIPTIONS_MAX, Reply, Request};

/// Adds inscriptions to the collection in several requests, and prints the number of new ones.
pub(super) fn run(settings: &Settings, collection: &str, from: Option<&Path>) -> Result<(), Failure> {
    let NamedInput { place, text } = NamedInput::read(from)?;
    let ids = ids(&text).map_err(|failure| failure.while_doing(&place))?;
    let mut count_new = 0;
    for (part, ids_of_part) in ids.chunks(INSCRIPTIONS_MAX).enumerate() {
        if part > 0 {
            note(format_args!("{} of {} ...", shown(part * INSCRIPTIONS_MAX), shown(ids.len())));
        }
        let inscriptions = ids_of_part.iter().map(ToString::to_string).collect();
        let request = Request::ListInscriptions { collection: collection.to_owned(), inscriptions };
        match operate::execute(settings, request, "a part of them may be listed; list them again")? {
            Reply::InscriptionsListed { new, .. } => count_new += new,
            other => return Err(operate::failure(other).while_doing(place)),
        }
    }
    say(format_args!("Listed the inscriptions of {collection}"));
    let rows = [("in the file", shown(ids.len())), ("new", shown(count_new))];
    say(table(&rows).trim_end());
    Ok(())
}

/// Parses one id per line; empty lines are ignored.
fn ids(text: &str) -> Result<Vec<InscriptionId>, Failure> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let ids: Result<Vec<InscriptionId>, Failure> = lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| line.parse().map_err(|error| Failure::new(format!("line {number}: {error}"))))
        .collect();
    match ids {
        Ok(none) if none.is_empty() => Err(Failure::new("it names no inscription")),
        found => found,
    }
}

fn shown(count: usize) -> String {
    u64::try_from(count).map_or_else(|_| count.to_string(), grouped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_line_is_named_by_its_number() {
        let good = format!("{}i0", "ab".repeat(32));
        assert_eq!(ids(&format!("{good}\r\n\n {good} \n")).unwrap().len(), 2);
        assert!(ids(&format!("{good}\n\n7\n")).unwrap_err().to_string().starts_with("line 3: "));
        assert_eq!(ids(" \n").unwrap_err().to_string(), "it names no inscription");
    }
}
