//! The offers of a book that not every borrower can take.

use std::{collections::BTreeSet, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{NumberRange, OfferConditions, OfferId, UserId};

/// The conditions of offers, and an index by the borrowers in them.
#[derive(Clone, Debug, Default)]
pub(super) struct ConditionalOffers {
    conditions: FxHashMap<OfferId, Arc<OfferConditions>>,
    by_borrower: BTreeSet<(UserId, OfferId)>,
}

impl ConditionalOffers {
    /// The conditions of an offer.
    pub(super) fn get(&self, id: OfferId) -> Option<&Arc<OfferConditions>> {
        self.conditions.get(&id)
    }

    /// All offers with conditions, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (OfferId, &Arc<OfferConditions>)> {
        self.conditions.iter().map(|(id, conditions)| (*id, conditions))
    }

    /// The offers that name a borrower, ascending.
    pub(super) fn naming(&self, borrower: UserId) -> impl Iterator<Item = OfferId> {
        let all = (borrower, OfferId(0))..=(borrower, OfferId(u64::MAX));
        self.by_borrower.range(all).map(|(_, id)| *id)
    }

    /// All borrowers named by offers, ascending.
    pub(super) fn borrowers(&self) -> BTreeSet<UserId> {
        self.by_borrower.iter().map(|(borrower, _)| *borrower).collect()
    }

    /// Sets the conditions of an offer.
    pub(super) fn insert(&mut self, id: OfferId, conditions: Arc<OfferConditions>) {
        self.remove(id);
        self.by_borrower.extend(conditions.borrower_id().map(|borrower| (borrower, id)));
        self.conditions.insert(id, conditions);
    }

    /// Adds ranges of inscription numbers to the conditions of an offer.
    pub(super) fn choose_numbers(&mut self, id: OfferId, numbers: &[NumberRange]) {
        if let Some(conditions) = self.conditions.get_mut(&id) {
            Arc::make_mut(conditions).numbers = numbers.to_vec();
        }
    }

    /// Removes an offer.
    pub(super) fn remove(&mut self, id: OfferId) {
        if let Some(borrower) = self.conditions.remove(&id).and_then(|conditions| conditions.borrower_id()) {
            self.by_borrower.remove(&(borrower, id));
        }
    }
}
