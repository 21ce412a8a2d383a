//! One lender's side of a book, and the vault behind it.

use crate::{OfferId, Sats, offer::ListPlace};

use super::ordered_index::Key;

/// What a book knows of a lender.
#[derive(Clone, Debug, Default)]
pub(super) struct LenderOffers {
    /// The lender's number in this book.
    pub(super) ordinal: u32,
    /// Every offer, live or not, each at its [`ListPlace`]; bounded by
    /// [`crate::Limits::offers_per_lender_max`].
    pub(super) offers: Vec<OfferId>,
    /// What is usable in the vault, as last heard; `None` when there is no vault.
    pub(super) usable: Option<Sats>,
    /// Live manual offers.
    pub(super) live_manual: usize,
    /// Live instant offers.
    pub(super) live_instant: usize,
    /// What live instant offers add up to.
    pub(super) live_instant_sats: Sats,
}

impl LenderOffers {
    /// Bits of a score that hold a need; those above hold the ordinal, so one index serves all lenders of a book.
    const NEED_BITS: u32 = 36;

    /// The greatest need that can be told apart, about 687 BTC; the offer rules keep every principal below it.
    pub(super) const NEED_MAX: Sats = Sats::new((1 << Self::NEED_BITS) - 2);

    /// What this lender adds to the liquidity that can be borrowed at once.
    pub(super) fn liquidity(&self) -> Sats {
        self.usable.unwrap_or_default().min(self.live_instant_sats)
    }

    /// Where an instant offer stands among the needs of all lenders.
    pub(super) fn need_key(&self, need: Sats, offer: OfferId) -> Key {
        Key::new(self.need_score(need), offer)
    }

    /// The greatest key of a need.
    pub(super) fn end_of_need(&self, need: Sats) -> Key {
        Key::end_of(self.need_score(need))
    }

    fn need_score(&self, need: Sats) -> u64 {
        // A balance may exceed every need; then all needs are below it.
        let need = need.get().min(Self::NEED_MAX.get() + 1);
        u64::from(self.ordinal) << Self::NEED_BITS | need
    }

    /// Whether there is nothing left to know.
    pub(super) fn is_idle(&self) -> bool {
        self.offers.is_empty() && self.usable.is_none()
    }

    /// Adds an offer; returns its place.
    pub(super) fn add(&mut self, offer: OfferId) -> ListPlace {
        self.offers.push(offer);
        // The limit on a lender's offers has the same type.
        ListPlace(u16::try_from(self.offers.len() - 1).unwrap_or(u16::MAX))
    }

    /// Takes out the offer at a place; returns the one that has moved there.
    pub(super) fn take(&mut self, place: ListPlace) -> Option<OfferId> {
        let place = usize::from(place.0);
        if place < self.offers.len() {
            self.offers.swap_remove(place);
        }
        self.offers.get(place).copied()
    }
}
