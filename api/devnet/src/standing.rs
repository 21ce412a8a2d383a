//! Offers as everybody sees them.

use std::collections::HashMap;

use domain::{OfferId, ProcessType, Quantity, Sats, SubCollectionId, UnitPrice};

/// An offer in a public book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Which offer.
    pub(crate) offer: OfferId,
    /// Where it stands.
    pub(crate) sub: SubCollectionId,
    /// Manual or instant.
    pub(crate) process: ProcessType,
    /// What it lends.
    pub(crate) principal: Sats,
    /// Against how much.
    pub(crate) quantity: Quantity,
    /// Whether somebody is signing for it.
    pub(crate) is_reserved: bool,
}

impl Standing {
    /// What it is ranked by.
    pub(crate) fn quote(&self) -> UnitPrice {
        UnitPrice::quoted(self.principal, self.quantity)
    }
}

/// What is known of one book.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublicBook {
    /// The floor or unit price, once one was seen.
    pub(crate) price: Option<UnitPrice>,
    /// Whether new offers are taken.
    pub(crate) is_open: bool,
    /// The offers that are not paused.
    pub(crate) offers: HashMap<OfferId, Standing>,
}

impl PublicBook {
    /// The offers of one ranking, best first; what is reserved is not ranked.
    pub(crate) fn ranking(&self, sub: SubCollectionId, process: ProcessType) -> Vec<Standing> {
        let ranked = |standing: &&Standing| standing.sub == sub && standing.process == process && !standing.is_reserved;
        let mut ranking: Vec<Standing> = self.offers.values().filter(ranked).copied().collect();
        ranking.sort_by(|a, b| b.quote().cmp(&a.quote()).then(a.offer.cmp(&b.offer)));
        ranking
    }
}
