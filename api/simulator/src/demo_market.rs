//! The demo's market as a whole.

use domain::{GroupId, UnixMs};

use crate::catalogue::groups;
use crate::demo_group::DemoGroup;
use crate::pace::Pace;
use crate::price_feed::PriceFeed;

/// The simulated market, drawn from one seed.
#[derive(Clone, Debug)]
pub struct DemoMarket {
    /// The seed. The same seed gives the same market.
    pub seed: u64,
    /// The listed groups, in the order of their ids.
    pub groups: Vec<DemoGroup>,
    /// The pace of the simulated users.
    pub pace: Pace,
    /// The number of simulated lenders.
    pub lenders: usize,
    /// The number of simulated borrowers.
    pub borrowers: usize,
    /// Whether prices and terms stay, lenders keep their initial offers and quote only where there is none, and no
    /// simulated borrower takes one. Lenders still sign and claim their loans.
    pub is_static: bool,
}

impl DemoMarket {
    /// The number of lenders in a usual demo.
    pub const LENDERS: usize = 60;

    /// Returns the market of a seed, at a lively pace, with [`Self::LENDERS`] lenders and half as many borrowers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let (pace, lenders) = (Pace::LIVELY, Self::LENDERS);
        Self { seed, groups: groups(seed), pace, lenders, borrowers: lenders.div_ceil(2), is_static: false }
    }

    /// Returns the same market with other users: fewer and slower ones for tests, and always half as many borrowers as
    /// lenders.
    #[must_use]
    pub fn with_lenders(self, lenders: usize, pace: Pace) -> Self {
        Self { pace, lenders, borrowers: lenders.div_ceil(2), ..self }
    }

    /// Returns the same market, static or not: see [`Self::is_static`].
    #[must_use]
    pub fn with_static(self, is_static: bool) -> Self {
        Self { is_static, ..self }
    }

    /// The group with that id.
    #[must_use]
    pub fn group(&self, id: GroupId) -> Option<&DemoGroup> {
        self.groups.iter().find(|demo| demo.group.id == id)
    }

    /// The picture of the group with that slug.
    #[must_use]
    pub fn picture(&self, slug: &str) -> Option<String> {
        self.groups.iter().find(|group| group.group.slug.as_str() == slug).map(|group| group.picture(self.seed))
    }

    /// The prices of all groups: their last 90 days up to `now`, and their further course.
    #[must_use]
    pub fn price_feed(&self, now: UnixMs) -> PriceFeed {
        PriceFeed::start(&self.groups, self.seed, now)
    }
}
