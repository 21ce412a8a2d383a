//! When a price that marketplaces tell is believed, and how they call what is listed here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Prices out of the upstreams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriceSettings {
    /// How often all are asked, in seconds.
    pub every_s: u32,
    /// How many must tell about the same; never fewer than two.
    pub sources_min: u8,
    /// How far a price may be from the median to be about the same, in percent.
    pub spread_percent_max: u8,
    /// How far a price may move at once, in percent.
    pub jump_percent_max: u8,
    /// How many rounds in a row must tell of a larger move before it is believed.
    pub jump_rounds: u8,
    /// How old what a marketplace told may be, in seconds.
    pub fresh_s: u32,
    /// Which collections of inscriptions are priced, and other names of tokens.
    pub collections: Vec<PricedCollection>,
}

/// How marketplaces call a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PricedCollection {
    /// Its slug here.
    pub collection: String,
    /// Its name there, by the name of the upstream.
    pub names: BTreeMap<String, String>,
}

impl Default for PriceSettings {
    fn default() -> Self {
        Self {
            every_s: 300,
            sources_min: 2,
            spread_percent_max: 20,
            jump_percent_max: 25,
            jump_rounds: 3,
            fresh_s: 900,
            collections: Vec::new(),
        }
    }
}

impl PriceSettings {
    /// What would let one liar set a price, or nobody.
    pub(super) fn faults(&self) -> impl Iterator<Item = &'static str> {
        [
            (self.sources_min < 2, "the setting prices.sources_min must be at least 2: one alone sets no price"),
            (self.every_s < 10, "the setting prices.every_s must be at least 10"),
            (self.fresh_s < self.every_s, "the setting prices.fresh_s must not be less than prices.every_s"),
            (self.jump_rounds < 2, "the setting prices.jump_rounds must be at least 2"),
            (!(1..=100).contains(&self.jump_percent_max), "the setting prices.jump_percent_max must be 1 to 100"),
            (!(1..=100).contains(&self.spread_percent_max), "the setting prices.spread_percent_max must be 1 to 100"),
        ]
        .into_iter()
        .filter_map(|(is_fault, line)| is_fault.then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_sets_no_price() {
        assert_eq!(PriceSettings::default().faults().count(), 0);
        let alone = PriceSettings { sources_min: 1, jump_rounds: 1, jump_percent_max: 0, ..PriceSettings::default() };
        assert_eq!(alone.faults().count(), 3);
        let stale = PriceSettings { fresh_s: 60, ..PriceSettings::default() };
        assert_eq!(stale.faults().count(), 1);
    }
}
