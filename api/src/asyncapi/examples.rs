//! The examples of the messages.

use std::collections::BTreeMap;

use serde_json::Value;

/// Returns the payloads of each message in JSON, by the name of the message.
pub(super) fn payloads() -> BTreeMap<String, Vec<Value>> {
    // A test compares the names with those of the messages.
    serde_json::from_str(include_str!("examples.json")).unwrap_or_default()
}
