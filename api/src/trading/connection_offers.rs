//! The offers that a connection has placed.

use std::collections::BTreeSet;

use domain::OfferId;

use super::answer::{CommandResult, OfferChange};
use super::client_frame::Order;

/// The number of offers from which on those that have left the books are looked for.
const PRUNE_MIN: usize = 1_024;

/// Offers that are cancelled when the connection is lost.
#[derive(Debug, Default)]
pub(super) struct ConnectionOffers {
    offers: BTreeSet<OfferId>,
    prune_at: usize,
}

impl ConnectionOffers {
    /// Records the result of an order.
    pub(super) fn record(&mut self, order: &Order, result: &CommandResult) {
        let ids = |change: &OfferChange| -> Vec<OfferId> {
            change.offer_ids.iter().filter_map(|id| id.parse().ok()).collect()
        };
        match (order, result) {
            (Order::Edit(edit), CommandResult::Edited(change)) => {
                if let Ok(replaced) = edit.offer_id.parse() {
                    self.offers.remove(&replaced);
                }
                self.offers.extend(ids(change));
            }
            (_, CommandResult::Placed(change)) => self.offers.extend(ids(change)),
            (_, CommandResult::Cancelled(change)) => {
                for id in ids(change) {
                    self.offers.remove(&id);
                }
            }
            _ => {}
        }
    }

    /// Whether there are so many that those that have left the books should be removed.
    pub(super) fn is_prunable(&self) -> bool {
        self.offers.len() >= self.prune_at.max(PRUNE_MIN)
    }

    /// Removes all that are not in `open`.
    pub(super) fn retain(&mut self, open: &BTreeSet<OfferId>) {
        self.offers.retain(|offer| open.contains(offer));
        self.prune_at = self.offers.len() * 2;
    }

    /// Returns all of them.
    pub(super) fn all(&self) -> Vec<OfferId> {
        self.offers.iter().copied().collect()
    }
}
