//! The demo's market as a whole.

use domain::{GroupId, UnixMs};

use crate::catalogue::groups;
use crate::demo_group::DemoGroup;
use crate::pace::Pace;
use crate::price_feed::PriceFeed;

/// Everything that the demo invents, drawn from one seed.
#[derive(Clone, Debug)]
pub struct DemoMarket {
    /// Where all of it comes from. The same seed gives the same market.
    pub seed: u64,
    /// What is listed, in the order of the ids.
    pub groups: Vec<DemoGroup>,
    /// How fast the simulated people live.
    pub pace: Pace,
    /// How many of them lend.
    pub lenders: usize,
    /// How many of them borrow.
    pub borrowers: usize,
}

impl DemoMarket {
    /// How many lenders quote in a usual demo.
    pub const LENDERS: usize = 60;

    /// The market of a seed, lively, with [`Self::LENDERS`] lenders and half as many borrowers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let (pace, lenders) = (Pace::LIVELY, Self::LENDERS);
        Self { seed, groups: groups(seed), pace, lenders, borrowers: lenders.div_ceil(2) }
    }

    /// The same market with other people: fewer and slower ones for tests, and always half as many borrowers as lenders.
    #[must_use]
    pub fn with_lenders(self, lenders: usize, pace: Pace) -> Self {
        Self { pace, lenders, borrowers: lenders.div_ceil(2), ..self }
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

    /// The prices of all groups: their last 90 days up to `now`, and what comes after.
    #[must_use]
    pub fn price_feed(&self, now: UnixMs) -> PriceFeed {
        PriceFeed::start(&self.groups, self.seed, now)
    }
}
