//! The times at which the watches last completed a round, for monitoring.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::UnixMs;

/// A watch over a part of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The watch over loans.
    Loans,
    /// The watch over vaults.
    Vaults,
    /// The watch over the coins behind manual offers.
    Funding,
}

impl Watch {
    /// Every watch.
    pub const ALL: [Self; 3] = [Self::Loans, Self::Vaults, Self::Funding];

    /// Returns its name in metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loans => "loans",
            Self::Vaults => "vaults",
            Self::Funding => "funding",
        }
    }
}

/// The time of the last completed round of each watch; before the first, the time of the start.
#[derive(Debug)]
pub struct WatchTimes {
    loans: AtomicU64,
    vaults: AtomicU64,
    funding: AtomicU64,
}

impl WatchTimes {
    /// Returns the times of watches that start now.
    pub(crate) fn starting_at(now: UnixMs) -> Self {
        let [loans, vaults, funding] = [now.0; 3].map(AtomicU64::new);
        Self { loans, vaults, funding }
    }

    /// Records a completed round.
    pub(crate) fn record(&self, watch: Watch, now: UnixMs) {
        self.of(watch).store(now.0, Ordering::Relaxed);
    }

    /// Returns the time of the last completed round.
    #[must_use]
    pub fn last_round(&self, watch: Watch) -> UnixMs {
        UnixMs(self.of(watch).load(Ordering::Relaxed))
    }

    const fn of(&self, watch: Watch) -> &AtomicU64 {
        match watch {
            Watch::Loans => &self.loans,
            Watch::Vaults => &self.vaults,
            Watch::Funding => &self.funding,
        }
    }
}
