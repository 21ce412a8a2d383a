//! The parts of the server that the delivery uses.

use std::sync::Arc;

use domain::UnixMs;
use engine::Market;

use super::Delivery;
use crate::clock;
use crate::config::public_url::PublicUrl;
use crate::metrics::Metrics;

/// The parts of the server that the delivery uses.
pub struct DeliveryContext {
    /// The market with the outbox.
    pub market: Market,
    /// The channels.
    pub delivery: Arc<Delivery>,
    /// The address that links in messages begin with.
    pub public_url: PublicUrl,
    /// The counters of messages.
    pub metrics: Arc<Metrics>,
}

impl DeliveryContext {
    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> UnixMs {
        clock::now()
    }
}
