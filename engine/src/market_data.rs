//! The market-data port: prices and volumes from the marketplaces.

use std::future::Future;

use domain::{GroupId, UnitPrice, UnixMs};

use crate::wire::Volumes;

/// A price that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceTick {
    /// Of which group.
    pub group: GroupId,
    /// Sats per whole unit.
    pub price: UnitPrice,
    /// When.
    pub observed_at: UnixMs,
}

/// News from the marketplaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarketNews {
    /// A price.
    Price(PriceTick),
    /// What was traded elsewhere. Not kept: it is asked for again after a restart.
    Volumes {
        /// Of which group.
        group: GroupId,
        /// How much.
        volumes: Volumes,
    },
}

/// A source of [`MarketNews`]; see [`crate::Market::follow`].
pub trait MarketData: Send + 'static {
    /// Waits for the next news; `None` when there will be no more. Dropping the future loses nothing.
    fn next(&mut self) -> impl Future<Output = Option<MarketNews>> + Send;
}
