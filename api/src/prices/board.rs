//! What is known of the prices out of marketplaces, for whoever asks why one is as it is.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use domain::{GroupId, UnitPrice, UnixMs};

use super::judge::{Hold, Sample};

/// What a source told in the last round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceReport {
    /// How it is called.
    pub name: String,
    /// What it told last, if it ever did.
    pub sample: Option<Sample>,
    /// Why it told nothing in the last round.
    pub trouble: Option<String>,
}

/// How a collection's price stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceStanding {
    /// When the last round was.
    pub asked_at: UnixMs,
    /// The last price that was believed, since the start.
    pub taken: Option<(UnitPrice, UnixMs)>,
    /// Why the last round led to none.
    pub hold: Option<Hold>,
    /// Who was asked.
    pub sources: Vec<SourceReport>,
    /// Whether one source alone tells a price that is not old.
    pub is_one_source: bool,
}

/// The prices of all collections that marketplaces are asked about. Clones show the same.
#[derive(Clone, Debug, Default)]
pub struct PriceBoard(Arc<RwLock<BTreeMap<GroupId, PriceStanding>>>);

impl PriceBoard {
    /// How a collection's price stands; `None` when nobody is asked about it.
    #[must_use]
    pub fn of(&self, group: GroupId) -> Option<PriceStanding> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&group).cloned()
    }

    /// How many collections marketplaces are asked about, and which of them keep their last price, and why.
    #[must_use]
    pub fn held(&self) -> (usize, Vec<(GroupId, Hold)>) {
        let standings = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let held = standings.iter().filter_map(|(group, standing)| Some((*group, standing.hold?)));
        (standings.len(), held.collect())
    }

    /// Puts up what the last round led to.
    pub fn set(&self, group: GroupId, standing: PriceStanding) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(group, standing);
    }
}
