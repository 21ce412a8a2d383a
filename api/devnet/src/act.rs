//! What a lender does.

use domain::{GroupId, Ltv, OfferId, ProcessType, Quantity, Sats, SubCollectionId, TermChangeId};

/// One thing that a lender does through the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Quotes new offers.
    Quote(Quote),
    /// Replaces an offer.
    Edit {
        /// The offer that goes.
        offer: OfferId,
        /// The offer that comes, one of them.
        quote: Quote,
    },
    /// Takes an offer back.
    Cancel(OfferId),
    /// Takes an offer out of the ranking.
    Pause(OfferId),
    /// Puts a paused offer back.
    Resume(OfferId),
    /// Accepts changed terms for an offer that is paused by them.
    AcceptTerm(OfferId, TermChangeId),
}

/// What is quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// In which group.
    pub(crate) group: GroupId,
    /// In which sub-collection.
    pub(crate) sub: SubCollectionId,
    /// Manual or instant.
    pub(crate) process: ProcessType,
    /// What is lent.
    pub(crate) principal: Sats,
    /// Against how much.
    pub(crate) quantity: Quantity,
    /// Above which LTV an instant offer pauses.
    pub(crate) max_ltv: Option<Ltv>,
    /// Whether a change of terms is accepted in advance.
    pub(crate) accepts_next_term: bool,
    /// How many such offers.
    pub(crate) count: u32,
}
