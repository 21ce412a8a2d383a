//! The state of the prices from marketplaces, for the page that explains them.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use domain::{GroupId, UnitPrice, UnixMs};
use engine::locks::RwLockExt as _;

use super::judge::{HoldReason, Sample};

/// The report of a source in the last round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceReport {
    /// The name of the source.
    pub name: String,
    /// Its last price, if it ever reported one.
    pub sample: Option<Sample>,
    /// The reason why it reported none in the last round.
    pub error: Option<String>,
}

/// The state of a collection's price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceStatus {
    /// The time of the last round.
    pub asked_at: UnixMs,
    /// The last price that was adopted since the start, and when.
    pub adopted: Option<(UnitPrice, UnixMs)>,
    /// The reason why the last round led to none.
    pub hold: Option<HoldReason>,
    /// The sources that were asked.
    pub sources: Vec<SourceReport>,
    /// Whether only one source has a price that is not too old.
    pub is_one_source: bool,
}

/// The state of the prices of all collections for which marketplaces are asked. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct PriceBoard(Arc<RwLock<BTreeMap<GroupId, PriceStatus>>>);

impl PriceBoard {
    /// Returns the state of a collection's price; `None` when no marketplace is asked.
    #[must_use]
    pub fn of(&self, group: GroupId) -> Option<PriceStatus> {
        self.0.read_unpoisoned().get(&group).cloned()
    }

    /// Returns the number of collections for which marketplaces are asked, and those that keep their last price, with
    /// the reason.
    #[must_use]
    pub fn held(&self) -> (usize, Vec<(GroupId, HoldReason)>) {
        let standings = self.0.read_unpoisoned();
        let held = standings.iter().filter_map(|(group, standing)| Some((*group, standing.hold?)));
        (standings.len(), held.collect())
    }

    /// Stores the result of the last round.
    pub fn set(&self, group: GroupId, standing: PriceStatus) {
        self.0.write_unpoisoned().insert(group, standing);
    }
}
