//! A recorded acceptance.

use domain::{
    Bundle, GroupId, InterestRate, LoanEnd, LoanId, OfferId, ProcessType, Quantity, Sats, SubCollectionId, TermDays,
    UnitPrice, UnixMs,
};

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

/// A recorded acceptance of an offer that anyone could take, with the state of the book at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    pub(crate) when: Moment,
    pub(crate) process: ProcessType,
    pub(crate) sub_collection: SubCollectionId,
    pub(crate) bundle: Bundle,
    pub(crate) term: TermDays,
    pub(crate) interest: InterestRate,
    pub(crate) price: UnitPrice,
    pub(crate) pledged: Quantity,
    /// The offer that was taken.
    pub(crate) taken: OfferId,
    pub(crate) taken_quote: UnitPrice,
    /// The id after that of the latest offer: a new offer of a rule is placed just before it.
    pub(crate) next_offer: OfferId,
    /// The time at which it ended without a loan.
    pub(crate) released: Option<Moment>,
    /// The loan, and those that extended it.
    pub(crate) loans: Vec<LoanRecord>,
    pub(crate) end: Option<EndRecord>,
}

impl Acceptance {
    /// The loan, and those that extended it.
    pub fn loans(&self) -> impl Iterator<Item = LoanId> {
        self.loans.iter().map(|record| record.loan)
    }

    /// Whether nothing about it can change any more.
    pub(crate) const fn is_over(&self) -> bool {
        self.released.is_some() || self.end.is_some()
    }
}

/// An acceptance that a rule's offer could have got: its offer outranks the one that was taken, or equals it in its quote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) acceptance: &'a Acceptance,
    /// The principal and the quote of the rule's offer at the time.
    pub(crate) principal: Sats,
    pub(crate) quote: UnitPrice,
}

impl Candidate<'_> {
    /// The time at which its loan began, or without one that of the acceptance.
    pub(crate) fn began_at(&self) -> UnixMs {
        self.acceptance.loans.first().map_or(self.acceptance.when.at, |record| record.began.at)
    }
}
