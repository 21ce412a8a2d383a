//! A collection group of the demo.

use domain::{CollectionGroup, UnitPrice};

use crate::market_stats::MarketStats;
use crate::market_traits::{Activity, Volatility};
use crate::motif::Motif;
use crate::picture::picture;

/// A listed group with its behaviour in the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoGroup {
    /// The group as the market lists it.
    pub group: CollectionGroup,
    /// The price at the start of its walk, 90 days ago.
    pub start_price: UnitPrice,
    /// The simulated sales volume elsewhere.
    pub stats: MarketStats,
    /// The motif of its picture.
    pub motif: Motif,
    /// The volatility of its price.
    pub volatility: Volatility,
    /// The activity of lenders in its book.
    pub activity: Activity,
}

impl DemoGroup {
    /// Returns its picture: an SVG document of 256 by 256 units and less than 6 KiB.
    #[must_use]
    pub fn picture(&self, seed: u64) -> String {
        let tint = usize::try_from(self.group.id.0).unwrap_or_default();
        picture(self.motif, tint, self.group.slug.as_str(), seed)
    }
}
