//! The files of an operator: settings, and the description of a collection.

use domain::GroupId;
use figment::Figment;
use figment::providers::{Format as _, Serialized, Toml};

use crate::config::layers;
use crate::config::settings::Settings;
use crate::operator::collection_draft::CollectionDraft;

/// A file in TOML: the first byte selects settings or a collection.
///
/// A file is refused with a reason, or its content is the same once it was written and read again.
#[must_use]
pub fn configuration_file(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    let text = String::from_utf8_lossy(rest);
    if selector % 2 == 0 { settings(&text) } else { collection(&text) }
}

fn settings(text: &str) -> bool {
    let settings = match layers::merge(&Settings::default(), Some(Toml::string(text)), &[]) {
        Ok(settings) => settings,
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty());
            return false;
        }
    };
    let again: Settings = Figment::from(Serialized::defaults(&settings)).extract().unwrap();
    assert_eq!(again, settings);
    settings.validate().inspect_err(|refusal| assert!(!refusal.to_string().is_empty())).is_ok()
}

fn collection(text: &str) -> bool {
    let draft = match CollectionDraft::from_toml(text) {
        Ok(draft) => draft,
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty());
            return false;
        }
    };
    // As the command sends it to the server.
    let sent = serde_json::to_vec(&draft).unwrap();
    let received: CollectionDraft = serde_json::from_slice(&sent).unwrap();
    assert_eq!(received, draft);
    let (count, slug) = (draft.sub_collections.len(), draft.slug.clone());
    match draft.into_group(GroupId(1)) {
        Ok(group) => {
            assert_eq!((group.sub_collections.len(), group.slug), (count, slug));
            true
        }
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty());
            false
        }
    }
}
