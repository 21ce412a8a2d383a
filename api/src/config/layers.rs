//! The four layers of settings: defaults, then the file, then the environment, then flags.

use std::path::Path;

use figment::Figment;
use figment::error::Kind;
use figment::providers::{Data, Env, Format as _, Serialized, Toml};
use figment::value::Value;

use super::settings::Settings;
use crate::failure::Failure;

/// The prefix of every environment variable.
const PREFIX: &str = "LIENBOOK_";

/// One setting given on the command line, such as `("limits.max_offer_sats", "1000000")`.
pub type Flag = (String, String);

/// Reads the settings.
///
/// Variables are `LIENBOOK_LISTEN`, or `LIENBOOK_LIMITS__MAX_OFFER_SATS` for a setting in a group. Variables with other
/// names are ignored, since an orchestrator may set some of its own; an unknown key in the file or on the command line
/// is an error that names it.
///
/// # Errors
/// One line that names the key and its source.
pub fn read(defaults: &Settings, file: Option<&Path>, flags: &[Flag]) -> Result<Settings, Failure> {
    if let Some(path) = file.filter(|path| !path.is_file()) {
        return Err(Failure::new(format!("the configuration file {} cannot be read", path.display())));
    }
    merge(defaults, file.map(Toml::file_exact), flags)
}

/// Merges the layers, as [`read`] does.
///
/// # Errors
/// As [`read`].
pub fn merge(defaults: &Settings, file: Option<Data<Toml>>, flags: &[Flag]) -> Result<Settings, Failure> {
    let known = known_keys(defaults)?;
    let mut figment = Figment::from(Serialized::defaults(defaults));
    if let Some(file) = file {
        figment = figment.merge(file);
    }
    figment = figment.merge(Env::prefixed(PREFIX).split("__").filter(move |key| {
        let key = key.as_str().to_ascii_lowercase().replace("__", ".");
        known.contains(&key)
    }));
    for (key, value) in flags {
        figment = figment.merge((key.as_str(), parse_flag(value)));
    }
    figment.extract().map_err(|error| Failure::new(describe(error)))
}

/// Every key that a variable can set, nested ones with a dot.
fn known_keys(defaults: &Settings) -> Result<Vec<String>, Failure> {
    let shape = serde_json::to_value(defaults).map_err(Failure::new)?;
    let mut keys = Vec::new();
    for (key, value) in shape.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(group) => keys.extend(group.keys().map(|inner| format!("{key}.{inner}"))),
            None => keys.push(key.clone()),
        }
    }
    Ok(keys)
}

/// Parses a flag, from which figment reads numbers, booleans and lists as it does for variables.
fn parse_flag(text: &str) -> Value {
    // Parsing a figment value from text cannot fail: text that is nothing else is a string.
    text.parse::<Value>().unwrap_or_else(|_| Value::from(text))
}

/// Returns the error, the key and its source.
fn describe(error: figment::Error) -> String {
    let one = |error: figment::Error| {
        let place = match error.metadata.as_ref().map(|found| (&found.source, found.name.as_ref())) {
            Some((Some(source), _)) => format!(" in {source}"),
            Some((None, name)) if name.contains("environment") => " in the environment".to_owned(),
            _ => " on the command line".to_owned(),
        };
        if let Kind::UnknownField(_, known) = &error.kind {
            return format!("no setting is called {}{place}: choose among {}", error.path.join("."), known.join(", "));
        }
        let key =
            if error.path.is_empty() { String::new() } else { format!(" for the setting {}", error.path.join(".")) };
        format!("{}{key}{place}", error.kind)
    };
    error.into_iter().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let file = file("seed = 5\nworkers = 3\n[limits]\nmax_offer_sats = 1000000\n");
        let flags = [("seed".to_owned(), "9".to_owned()), ("quotas.sockets_max".to_owned(), "7".to_owned())];
        let settings = read(&Settings::default(), Some(file.path()), &flags).unwrap();
        assert_eq!((settings.seed, settings.workers, settings.quotas.sockets_max), (9, 3, 7));
        assert_eq!(settings.limits.max_offer_sats.get(), 1_000_000);
        assert_eq!(settings.limits.count_max, 5);
    }

    #[test]
    fn an_unknown_key_in_the_file_is_named() {
        for (text, key, neighbour) in [
            ("lissten = \"a\"", "lissten", "listen, data, "),
            ("[limits]\nmax_ofer_sats = 1", "limits.max_ofer_sats", "max_offer_sats, "),
        ] {
            let file = file(text);
            let failure = read(&Settings::default(), Some(file.path()), &[]).unwrap_err().to_string();
            assert!(failure.contains(&format!("no setting is called {key} in ")), "{failure}");
            assert!(failure.contains(neighbour) && !failure.contains(['\n', '`']), "{failure}");
        }
    }

    #[test]
    fn a_wrong_value_and_a_missing_file_are_one_line_each() {
        let failure = read(&Settings::default(), None, &[("listen".to_owned(), "nowhere".to_owned())]).unwrap_err();
        assert!(failure.to_string().contains("listen"), "{failure}");
        let failure = read(&Settings::default(), Some(Path::new("/nonexistent.toml")), &[]).unwrap_err();
        assert!(failure.to_string().contains("/nonexistent.toml"), "{failure}");
    }

    #[test]
    fn every_setting_is_known_to_the_environment() {
        let keys = known_keys(&Settings::default()).unwrap();
        for key in ["listen", "data", "public_url", "limits.max_offer_sats", "quotas.reads_per_minute"] {
            assert!(keys.iter().any(|known| known == key), "{key} is missing");
        }
    }
}
