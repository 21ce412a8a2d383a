//! Offers as their lender sees them.

use domain::{GroupId, OfferId, ProcessType, Quantity, Sats, SubCollectionId, TermChangeId, UnitPrice, UnixMs};

/// An offer of the deciding lender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnOffer {
    pub(crate) id: OfferId,
    pub(crate) group: GroupId,
    pub(crate) sub: SubCollectionId,
    pub(crate) process: ProcessType,
    pub(crate) principal: Sats,
    /// The part of it that is lent already.
    pub(crate) used: Sats,
    /// The quantity of collateral.
    pub(crate) quantity: Quantity,
    /// Whether its principal follows the floor.
    pub(crate) is_pegged: bool,
    /// Whether its lender paused it.
    pub(crate) is_paused_by_hand: bool,
    /// The change of terms that pauses it until its lender accepts.
    pub(crate) new_terms: Option<TermChangeId>,
    /// Whether a borrower reserves it.
    pub(crate) is_reserved: bool,
    /// The price at quoting, as far as it is remembered.
    pub(crate) quoted_at: Option<UnitPrice>,
    pub(crate) created_at: UnixMs,
}

impl OwnOffer {
    /// The unit price that it is ranked by.
    pub(crate) fn quote(&self) -> UnitPrice {
        UnitPrice::quoted(self.principal, self.quantity)
    }
}
