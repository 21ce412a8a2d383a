//! Actions of a simulated lender.

use domain::{GroupId, Ltv, OfferId, ProcessType, Quantity, Sats, SubCollectionId, TermChangeId};

/// An action that a lender takes through the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OfferAction {
    /// Quotes new offers.
    Quote(Quote),
    /// Replaces an offer.
    Edit {
        /// The offer to replace.
        offer: OfferId,
        /// The new offer; its `count` is one.
        quote: Quote,
    },
    /// Cancels an offer.
    Cancel(OfferId),
    /// Pauses an offer, which takes it out of the ranking.
    Pause(OfferId),
    /// Resumes a paused offer.
    Resume(OfferId),
    /// Accepts changed terms for an offer that is paused by them.
    AcceptTerm(OfferId, TermChangeId),
}

/// The terms of an offer to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) group: GroupId,
    pub(crate) sub: SubCollectionId,
    pub(crate) process: ProcessType,
    pub(crate) principal: Sats,
    /// The least principal, if it follows the floor from the LTV that `principal` has now.
    pub(crate) least: Option<Sats>,
    /// The quantity of collateral that is asked for.
    pub(crate) quantity: Quantity,
    /// The LTV above which an instant offer pauses.
    pub(crate) max_ltv: Option<Ltv>,
    /// Whether a change of terms is accepted in advance.
    pub(crate) accepts_next_term: bool,
    /// The number of identical offers to create.
    pub(crate) count: u32,
}
