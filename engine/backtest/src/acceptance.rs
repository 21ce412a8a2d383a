//! A recorded acceptance that the rule's offer could have got.

use domain::{GroupId, InterestRate, LoanEnd, LoanId, OfferId, Sats, SubCollectionId, UnitPrice, UnixMs};

/// A point in the record: the time, and the number of the event in its book where times are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) at: UnixMs,
    pub(crate) group: GroupId,
    pub(crate) sequence: u64,
}

/// A loan as far as it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoanRecord {
    pub(crate) loan: LoanId,
    pub(crate) began: Moment,
}

/// The end of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndRecord {
    pub(crate) when: Moment,
    pub(crate) end: LoanEnd,
    /// The value of the collateral at the floor then.
    pub(crate) collateral: Sats,
}

/// A recorded acceptance of an offer that the rule's offer outranks, or equals in its quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Acceptance {
    pub(crate) when: Moment,
    pub(crate) sub_collection: SubCollectionId,
    /// The rule's principal and quote at the time.
    pub(crate) principal: Sats,
    pub(crate) quote: UnitPrice,
    /// The offer that was taken.
    pub(crate) taken: OfferId,
    pub(crate) taken_quote: UnitPrice,
    /// The id after that of the latest offer: a new offer of the rule is placed just before it.
    pub(crate) next_offer: OfferId,
    /// The interest of the sub-collection at the time.
    pub(crate) interest: InterestRate,
    /// The time at which it ended without a loan.
    pub(crate) released: Option<Moment>,
    /// The loan, and those that extended it.
    pub(crate) loans: Vec<LoanRecord>,
    pub(crate) end: Option<EndRecord>,
}
