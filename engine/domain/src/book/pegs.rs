//! The pegged offers of a book, found by the prices at which their principal changes.

use rustc_hash::FxHashMap;

use crate::{OfferId, Peg, PegLevel, UnitPrice};

use super::ordered_index::{Key, OfferIds, OrderedIndex};

/// A pegged offer, and its keys while its principal follows the floor: it does not while a borrower signs for it.
#[derive(Clone, Copy, Debug)]
struct PeggedOffer {
    peg: Peg,
    keys: Option<Keys>,
}

/// The positions of an offer in the two indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Keys {
    falls_below: Option<Key>,
    rises_at: Option<Key>,
}

/// All pegged offers, and indices of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pegs {
    offers: FxHashMap<OfferId, PeggedOffer>,
    /// By the price below which the principal is less.
    falls: OrderedIndex,
    /// By the price from which it is more.
    rises: OrderedIndex,
}

impl Pegs {
    /// The peg of an offer.
    pub(super) fn get(&self, id: OfferId) -> Option<Peg> {
        self.offers.get(&id).map(|pegged| pegged.peg)
    }

    /// Adds an offer, whose principal does not follow the floor yet.
    pub(super) fn insert(&mut self, id: OfferId, peg: Peg) {
        self.offers.insert(id, PeggedOffer { peg, keys: None });
    }

    /// Removes an offer.
    pub(super) fn remove(&mut self, id: OfferId) {
        self.stop(id);
        self.offers.remove(&id);
    }

    /// Lets the principal of an offer follow the floor from a level on.
    pub(super) fn follow(&mut self, id: OfferId, level: &PegLevel) {
        let key = |price: UnitPrice| Key::new(price.scaled(), id);
        let keys = Keys { falls_below: level.falls_below.map(key), rises_at: level.rises_at.map(key) };
        let Some(pegged) = self.offers.get_mut(&id) else { return };
        let before = pegged.keys.replace(keys);
        move_key(&mut self.falls, before.and_then(|before| before.falls_below), keys.falls_below);
        move_key(&mut self.rises, before.and_then(|before| before.rises_at), keys.rises_at);
    }

    /// Leaves the principal of an offer as it is, until it follows again.
    pub(super) fn stop(&mut self, id: OfferId) {
        let Some(keys) = self.offers.get_mut(&id).and_then(|pegged| pegged.keys.take()) else { return };
        move_key(&mut self.falls, keys.falls_below, None);
        move_key(&mut self.rises, keys.rises_at, None);
    }

    /// The offers whose principal changes when the price moves.
    pub(super) fn moved(&self, before: UnitPrice, price: UnitPrice) -> OfferIds {
        let score = |price: UnitPrice| Key::max_of_score(price.scaled());
        if price < before {
            self.falls.between(score(price), score(before))
        } else {
            self.rises.between(score(before), score(price))
        }
    }
}

fn move_key(index: &mut OrderedIndex, before: Option<Key>, now: Option<Key>) {
    if before == now {
        return;
    }
    if let Some(before) = before {
        let place = index.seek(before);
        index.remove(&place);
    }
    if let Some(now) = now {
        let place = index.seek(now);
        index.insert(&place);
    }
}
