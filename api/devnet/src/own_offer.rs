//! Offers as their lender sees them.

use domain::{GroupId, OfferId, ProcessType, Quantity, Sats, SubCollectionId, TermChangeId, UnitPrice, UnixMs};

/// An offer of the lender who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnOffer {
    /// Which offer.
    pub(crate) id: OfferId,
    /// In which group.
    pub(crate) group: GroupId,
    /// In which sub-collection.
    pub(crate) sub: SubCollectionId,
    /// Manual or instant.
    pub(crate) process: ProcessType,
    /// What it lends.
    pub(crate) principal: Sats,
    /// What of it is lent already.
    pub(crate) used: Sats,
    /// Against how much.
    pub(crate) quantity: Quantity,
    /// Paused by its lender.
    pub(crate) is_paused_by_hand: bool,
    /// The change of terms that it is paused by, until its lender accepts it.
    pub(crate) new_terms: Option<TermChangeId>,
    /// Somebody is signing for it.
    pub(crate) is_reserved: bool,
    /// The price it was quoted at, as far as its lender remembers.
    pub(crate) quoted_at: Option<UnitPrice>,
    /// When it was quoted.
    pub(crate) created_at: UnixMs,
}

impl OwnOffer {
    /// What it is ranked by.
    pub(crate) fn quote(&self) -> UnitPrice {
        UnitPrice::quoted(self.principal, self.quantity)
    }
}
