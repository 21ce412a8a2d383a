//! Tests of the configuration file in the Debian package, which shows every setting with its default.

use std::path::Path;

use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde_json::{Map, Value};

use super::layers;
use super::settings::Settings;

/// The file as it is installed.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/lienbook.toml");

/// The file with every setting and example in effect: a `#` without a space precedes them, prose has one.
fn uncommented() -> String {
    let text = std::fs::read_to_string(FILE).unwrap();
    let line = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|first: char| first.is_ascii_lowercase() || first == '[') => rest.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Every value below `value` by its dotted key; groups are entered, lists are not.
fn leaves(prefix: &str, value: &Map<String, Value>) -> Vec<(String, Value)> {
    let key = |name: &str| if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
    let inner = |(name, value): (&String, &Value)| match value {
        Value::Object(group) => leaves(&key(name), group),
        other => vec![(key(name), other.clone())],
    };
    value.iter().flat_map(inner).collect()
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("no object: {value}") };
    object
}

#[test]
fn the_file_as_installed_changes_nothing_but_the_data_folder() {
    let read = layers::read(&Settings::default(), Some(Path::new(FILE)), &[]).unwrap();
    assert_eq!(read, Settings { data: "/var/lib/lienbook".into(), ..Settings::default() });
}

#[test]
fn the_settings_of_three_nodes_are_accepted_and_complete() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/three-nodes/etc/lienbook/lienbook.toml");
    let read = layers::read(&Settings::default(), Some(&file), &[]).unwrap();
    let journal = read.journal.as_ref().map(ToString::to_string).unwrap();
    assert_eq!(journal, "postgres://lienbook@/run/postgresql:5432,/run/postgresql:5433/lienbook");
    assert_eq!(read.session_key_file.as_deref(), Some(Path::new("/var/lib/lienbook/session.key")));
    assert!(read.behind_proxy && read.nats_url.is_some() && read.signer_socket.is_some(), "{read:?}");
    assert_eq!(read.journal_standbys, 1);
}

#[test]
fn the_file_shows_every_setting_with_its_default() {
    let shown = Figment::from(Toml::string(&uncommented())).extract::<Value>().unwrap();
    let shown: std::collections::BTreeMap<_, _> = leaves("", &object(shown)).into_iter().collect();
    for (key, default) in leaves("", &object(serde_json::to_value(Settings::default()).unwrap())) {
        let value = shown.get(&key).unwrap_or_else(|| panic!("{key} is not in the file"));
        let has_default = !default.is_null() && default != Value::Array(Vec::new()) && key != "data";
        assert!(!has_default || *value == default, "{key} is {default} by default, the file shows {value}");
    }
}

#[test]
fn every_example_in_the_file_is_accepted_and_complete() {
    let read: Settings = Figment::from(Toml::string(&uncommented())).extract().unwrap();
    let shown = object(serde_json::to_value(&read).unwrap());
    for (key, value) in leaves("", &shown) {
        assert!(!value.is_null(), "{key} has no example");
    }
    assert_eq!((read.upstreams.len(), read.prices.collections.len()), (1, 1));
    let upstream = object(serde_json::to_value(&read.upstreams[0]).unwrap());
    assert!(upstream.values().all(|value| !value.is_null()), "an upstream's setting has no example: {upstream:?}");
}
