//! `lienbook collection add`: lists a collection.

use std::path::Path;

use super::named_input::NamedInput;
use super::operate;
use super::terminal::{say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::operator::collection_draft::CollectionDraft;
use crate::operator::request::{Reply, Request};

/// Lists the collection that a file describes, and prints the next steps.
pub(super) fn run(settings: &Settings, from: Option<&Path>) -> Result<(), Failure> {
    let NamedInput { place, text } = NamedInput::read(from)?;
    let draft = CollectionDraft::from_toml(&text).map_err(|failure| failure.while_doing(&place))?;
    let (slug, name, subs) = (draft.slug.clone(), draft.name.clone(), draft.sub_collections.len());
    let if_unanswered = "it may be listed or not; add it again, which is refused if it is";
    match operate::execute(settings, Request::AddCollection { collection: draft }, if_unanswered)? {
        Reply::Listed { id } => {
            say(format_args!("Listed {name}"));
            let rows = [("collection", slug.to_string()), ("id", id), ("terms or bundles", subs.to_string())];
            say(table(&rows).trim_end());
            say(format_args!("It takes offers once it has a price: lienbook price set {slug} SATS"));
            Ok(())
        }
        other => Err(operate::failure(other).while_doing(place)),
    }
}
