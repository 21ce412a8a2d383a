//! The market-data port: prices and volumes from the marketplaces.

use std::future::Future;

use domain::{GroupId, UnitPrice, UnixMs};

use crate::wire::Volumes;

/// An observed price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceTick {
    /// The group.
    pub group: GroupId,
    /// Sats per whole unit.
    pub price: UnitPrice,
    /// The time of the observation.
    pub observed_at: UnixMs,
}

/// An update from the marketplaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarketUpdate {
    /// A price.
    Price(PriceTick),
    /// Trading volumes elsewhere. Not persisted: they are requested again after a restart.
    Volumes {
        /// The group.
        group: GroupId,
        /// The volumes.
        volumes: Volumes,
    },
}

/// A source of [`MarketUpdate`]; see [`crate::Market::follow`].
pub trait MarketData: Send + 'static {
    /// Waits for the next update; `None` when the source has ended. Dropping the future loses nothing.
    fn next(&mut self) -> impl Future<Output = Option<MarketUpdate>> + Send;
}
