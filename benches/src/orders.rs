//! The orders of a lender: new offers, replaced ones and cancelled ones, drawn from a seed.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::market::{MANUAL_RANKINGS, manual_principal};

/// An order; `K` is the name of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order<K> {
    /// Creates an offer in a sub-collection by its place.
    Place {
        /// The place of the sub-collection.
        sub_collection: usize,
        /// The principal in sats.
        principal: u64,
    },
    /// Replaces an offer by one with another principal, which ranks behind all others of that principal.
    Edit {
        /// The offer.
        offer: K,
        /// The new principal in sats.
        principal: u64,
    },
    /// Cancels an offer.
    Cancel {
        /// The offer.
        offer: K,
    },
}

/// The share of each kind of order.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// The weight of new offers.
    pub place: u32,
    /// The weight of replaced ones.
    pub edit: u32,
    /// The weight of cancelled ones.
    pub cancel: u32,
}

impl Shares {
    /// Those of the planner's mix of offers, six new ones to a replaced one; with as many cancelled ones, so that a book
    /// keeps its size, which the planner restores outside the clock.
    pub const STEADY: Self = Self { place: 60, edit: 10, cancel: 60 };
    /// Those of the lenders of `load`.
    pub const LOAD: Self = Self { place: 50, edit: 30, cancel: 20 };
}

/// Draws the orders of one lender.
#[derive(Debug)]
pub struct OrderSource<K> {
    rng: ChaCha8Rng,
    shares: Shares,
    /// The number of offers above which the lender only cancels.
    offers_max: usize,
    /// The open offers that no unanswered order is about.
    offers: Vec<K>,
}

impl<K> OrderSource<K> {
    /// The source of the lender with this number.
    #[must_use]
    pub fn new(seed: u64, lender: usize, shares: Shares, offers_max: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::try_from(lender).expect("few lenders"));
        Self { rng, shares, offers_max, offers: Vec::new() }
    }

    /// Draws an order. The offer that it is about is the source's no longer, until [`Self::opened`] returns it.
    pub fn draw(&mut self) -> Order<K> {
        let Shares { place, edit, cancel } = self.shares;
        let drawn = self.rng.random_range(0..place + edit + cancel);
        if self.offers.len() >= self.offers_max && !self.offers.is_empty() {
            return Order::Cancel { offer: self.any_offer() };
        }
        if self.offers.is_empty() || drawn < place {
            let sub_collection = self.rng.random_range(0..MANUAL_RANKINGS);
            return Order::Place { sub_collection, principal: manual_principal(&mut self.rng) };
        }
        let offer = self.any_offer();
        if drawn < place + edit {
            Order::Edit { offer, principal: manual_principal(&mut self.rng) }
        } else {
            Order::Cancel { offer }
        }
    }

    /// Draws a cancellation if more than `count` offers are open.
    pub fn trim(&mut self, count: usize) -> Option<Order<K>> {
        (self.offers.len() > count).then(|| Order::Cancel { offer: self.any_offer() })
    }

    /// Records offers that were opened, or still are open.
    pub fn opened(&mut self, offers: impl IntoIterator<Item = K>) {
        self.offers.extend(offers);
    }

    /// The number of open offers that no unanswered order is about.
    #[must_use]
    pub fn open(&self) -> usize {
        self.offers.len()
    }

    fn any_offer(&mut self) -> K {
        let place = self.rng.random_range(0..self.offers.len());
        self.offers.swap_remove(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_keep_to_the_open_offers_and_their_number() {
        let seed = 7;
        let mut source = OrderSource::new(seed, 1, Shares::LOAD, 20);
        let (mut open, mut next, mut kinds) = (std::collections::BTreeSet::new(), 0_u32, [0; 3]);
        for _ in 0..10_000 {
            match source.draw() {
                Order::Place { sub_collection, principal } => {
                    assert!(sub_collection < MANUAL_RANKINGS && principal > 0, "seed {seed}");
                    kinds[0] += 1;
                }
                Order::Edit { offer, .. } => {
                    assert!(open.remove(&offer), "seed {seed}: {offer} is open");
                    kinds[1] += 1;
                }
                Order::Cancel { offer } => {
                    assert!(open.remove(&offer), "seed {seed}: {offer} is open");
                    kinds[2] += 1;
                    continue;
                }
            }
            next += 1;
            open.insert(next);
            source.opened([next]);
            assert!(source.open() <= 20, "seed {seed}");
        }
        assert!(kinds.iter().all(|count| *count > 1_000), "seed {seed}: {kinds:?}");
        while source.trim(3).is_some() {}
        assert_eq!(source.open(), 3);
    }
}
