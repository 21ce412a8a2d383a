//! One collection group of the demo.

use domain::{CollectionGroup, UnitPrice};

use crate::market_stats::MarketStats;
use crate::motif::Motif;
use crate::picture::picture;
use crate::temper::{Bustle, Temper};

/// A listed group together with how it behaves in the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoGroup {
    /// What the market lists.
    pub group: CollectionGroup,
    /// Where its price walk starts, 90 days ago.
    pub start_price: UnitPrice,
    /// What it is said to have traded elsewhere.
    pub stats: MarketStats,
    /// What its picture is composed of.
    pub motif: Motif,
    /// How far its price strays.
    pub temper: Temper,
    /// How often lenders turn to it.
    pub bustle: Bustle,
}

impl DemoGroup {
    /// Its picture: an SVG document of 256 by 256 units and less than 6 KiB.
    #[must_use]
    pub fn picture(&self, seed: u64) -> String {
        let tint = usize::try_from(self.group.id.0).unwrap_or_default();
        picture(self.motif, tint, self.group.slug.as_str(), seed)
    }
}
