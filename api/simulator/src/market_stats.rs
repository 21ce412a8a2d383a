//! The simulated sales volumes of a collection on other markets.

use domain::Sats;
use rand::{Rng, RngExt as _};

use crate::float_conversion::{to_f64, to_u64};

/// The sales volume of a simulated collection over four spans. A longer span never shows less than a shorter one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketStats {
    /// All sales ever (`totalVolume`).
    pub total: Sats,
    /// Sales of the last 24 hours (`volume24h`).
    pub day: Sats,
    /// Sales of the last 7 days (`volume7d`).
    pub week: Sats,
    /// Sales of the last 30 days (`volume30d`).
    pub month: Sats,
}

impl MarketStats {
    /// Draws the four figures around a `usual_month` of sales.
    pub(crate) fn draw(usual_month: Sats, rng: &mut impl Rng) -> Self {
        let share = |whole_span: Sats, part: f64| Sats::new(to_u64(to_f64(whole_span.get()) * part).unwrap_or(0));
        let month = share(usual_month, rng.random_range(0.45..2.1));
        let week = share(month, rng.random_range(0.11..0.42));
        let day = share(week, rng.random_range(0.04..0.36));
        Self { total: share(month, rng.random_range(5.0..42.0)), day, week, month }
    }
}
