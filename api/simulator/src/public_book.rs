//! Offers as the public book shows them.

use std::collections::HashMap;

use domain::{OfferId, ProcessType, Quantity, Sats, SubCollectionId, UnitPrice};

/// An offer in a public book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PublicOffer {
    pub(crate) offer: OfferId,
    pub(crate) sub: SubCollectionId,
    pub(crate) process: ProcessType,
    pub(crate) principal: Sats,
    /// The quantity of collateral.
    pub(crate) quantity: Quantity,
    /// Whether a borrower reserves it.
    pub(crate) is_reserved: bool,
}

impl PublicOffer {
    /// The unit price that it is ranked by.
    pub(crate) fn quote(&self) -> UnitPrice {
        UnitPrice::quoted(self.principal, self.quantity)
    }
}

/// The known state of one book.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublicBook {
    /// The floor or unit price, once it is known.
    pub(crate) price: Option<UnitPrice>,
    /// Whether new offers are accepted.
    pub(crate) is_open: bool,
    /// The offers that are not paused.
    pub(crate) offers: HashMap<OfferId, PublicOffer>,
}

impl PublicBook {
    /// The offers of one ranking, best first; reserved ones are not ranked.
    pub(crate) fn ranking(&self, sub: SubCollectionId, process: ProcessType) -> Vec<PublicOffer> {
        let ranked = |offer: &&PublicOffer| offer.sub == sub && offer.process == process && !offer.is_reserved;
        let mut ranking: Vec<PublicOffer> = self.offers.values().filter(ranked).copied().collect();
        ranking.sort_by(|a, b| b.quote().cmp(&a.quote()).then(a.offer.cmp(&b.offer)));
        ranking
    }
}
