//! The ranges of the price chart.

use domain::{DAY_MS, UnixMs};

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// The span of a price chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PriceRange {
    /// 24 hours in steps of 10 minutes.
    Day,
    /// 7 days in steps of 2 hours.
    Week,
    /// 30 days in steps of 8 hours.
    Month,
    /// 90 days in steps of 24 hours.
    Quarter,
}

impl PriceRange {
    /// Every range, shortest first.
    pub const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Quarter];

    /// The length of a step in milliseconds.
    #[must_use]
    pub const fn step_ms(self) -> u64 {
        match self {
            Self::Day => 10 * MINUTE_MS,
            Self::Week => 2 * HOUR_MS,
            Self::Month => 8 * HOUR_MS,
            Self::Quarter => DAY_MS,
        }
    }

    /// The length of the range in milliseconds, a whole number of steps.
    #[must_use]
    pub const fn length_ms(self) -> u64 {
        match self {
            Self::Day => DAY_MS,
            Self::Week => 7 * DAY_MS,
            Self::Month => 30 * DAY_MS,
            Self::Quarter => 90 * DAY_MS,
        }
    }

    /// The beginning of the range that ends now.
    #[must_use]
    pub const fn start(self, now: UnixMs) -> UnixMs {
        UnixMs(now.0.saturating_sub(self.length_ms()))
    }
}
