//! The configuration.

use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde::Deserialize;

use super::decision::Rule;

/// The configuration file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The collection, by its slug or id. All manual offers of the lender in it are managed.
    pub(crate) collection: String,
    /// The file with the lender's addresses and public keys, as `lienbook wallet show` prints them.
    pub(crate) wallet: PathBuf,
    /// The part by which an offer may lend less than it should before it is replaced, in hundredths of a percent.
    pub(crate) tolerance: u32,
    /// The time between two decisions, at the most, in milliseconds.
    pub(crate) interval_ms: u64,
    /// The shortest record of the floor that says something about its volatility, in milliseconds.
    pub(crate) history_min_ms: u64,
    /// The quoting rule.
    pub(crate) rule: Rule,
}

impl Config {
    /// Reads a TOML file.
    pub(crate) fn read(path: &Path) -> Result<Self, Box<figment::Error>> {
        Figment::new().merge(Toml::file_exact(path)).extract().map_err(Box::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_valid() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/market_maker/market_maker.toml");
        let config = Config::read(&path).unwrap();
        assert!(config.rule.ltv_min < config.rule.ltv && config.interval_ms < config.rule.stale_after_ms);
    }
}
