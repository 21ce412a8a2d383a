//! The rules by which prices from marketplaces are adopted, and the marketplaces' names of the collections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The settings of prices from upstream services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriceSettings {
    /// The interval between rounds of requests, in seconds.
    pub every_s: u32,
    /// The number of marketplaces that must agree; never fewer than two.
    pub sources_min: u8,
    /// The largest deviation from the median with which a price still agrees, in percent.
    pub spread_percent_max: u8,
    /// The largest move of a price that is adopted at once, in percent.
    pub jump_percent_max: u8,
    /// The number of consecutive rounds that must confirm a larger move.
    pub jump_rounds: u8,
    /// The largest age of a marketplace's price, in seconds.
    pub fresh_s: u32,
    /// The rule while only one marketplace reports a price.
    pub one_source: OneSource,
    /// With the wider guard: the largest move that one marketplace alone may cause from the last agreed price, in
    /// percent.
    pub one_source_move_percent_max: u8,
    /// With the wider guard: the number of consecutive rounds in which one marketplace alone must confirm a larger
    /// move, or a first price.
    pub one_source_rounds: u8,
    /// The collections of inscriptions that are priced, and other names of tokens.
    pub collections: Vec<PricedCollection>,
}

/// The rule for a collection of which only one marketplace reports a price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OneSource {
    /// The price stays at the last one on which several marketplaces agreed.
    #[default]
    Hold,
    /// The price of the one marketplace is adopted, within narrower bounds and after more rounds.
    WiderGuard,
}

/// The marketplaces' names of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PricedCollection {
    /// The slug of the collection in this market.
    pub collection: String,
    /// Its name at each upstream service, by the name of the service.
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
            one_source: OneSource::Hold,
            one_source_move_percent_max: 10,
            one_source_rounds: 12,
            collections: Vec::new(),
        }
    }
}

impl PriceSettings {
    /// Settings with which one false report could set a price, or no report could.
    pub(super) fn faults(&self) -> impl Iterator<Item = &'static str> {
        let is_guarded = self.one_source == OneSource::WiderGuard;
        [
            (self.sources_min < 2, "the setting prices.sources_min must be at least 2: one_source says what one may do"),
            (
                is_guarded && self.sources_min > 2,
                "the setting prices.one_source = \"wider_guard\" needs prices.sources_min = 2: one would count for more \
                 than two",
            ),
            (
                is_guarded && self.one_source_rounds <= self.jump_rounds,
                "the setting prices.one_source_rounds must be more than prices.jump_rounds",
            ),
            (
                is_guarded && !(1..self.jump_percent_max.max(1)).contains(&self.one_source_move_percent_max),
                "the setting prices.one_source_move_percent_max must be at least 1 and less than prices.jump_percent_max",
            ),
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
    fn one_marketplace_alone_sets_no_price() {
        assert_eq!(PriceSettings::default().faults().count(), 0);
        let alone = PriceSettings { sources_min: 1, jump_rounds: 1, jump_percent_max: 0, ..PriceSettings::default() };
        assert_eq!(alone.faults().count(), 3);
        let guarded = PriceSettings { one_source: OneSource::WiderGuard, ..PriceSettings::default() };
        assert_eq!(guarded.faults().count(), 0);
        for narrower in [
            PriceSettings { sources_min: 3, ..guarded.clone() },
            PriceSettings { one_source_rounds: 3, ..guarded.clone() },
            PriceSettings { one_source_move_percent_max: 0, ..guarded.clone() },
            PriceSettings { one_source_move_percent_max: 25, ..guarded.clone() },
        ] {
            assert_eq!(narrower.faults().count(), 1, "{narrower:?}");
            assert_eq!(PriceSettings { one_source: OneSource::Hold, ..narrower }.faults().count(), 0);
        }
        let stale = PriceSettings { fresh_s: 60, ..PriceSettings::default() };
        assert_eq!(stale.faults().count(), 1);
    }
}
