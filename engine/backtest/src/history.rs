//! The record that a rule is tested on.

use domain::{BookEvent, CollectionGroup, GroupId, LoanDeal, LoanId, UnixMs};

/// The record of a market.
pub trait History {
    /// The reason why it cannot be read.
    type Error;

    /// The collections, as listed, ascending by id.
    ///
    /// # Errors
    /// [`Self::Error`].
    fn groups(&self) -> Result<Vec<CollectionGroup>, Self::Error>;

    /// Passes the events of a collection's book to `each`, in order, with their times.
    ///
    /// # Errors
    /// [`Self::Error`]; events passed before it are valid.
    fn book_events(&self, group: GroupId, each: &mut dyn FnMut(&BookEvent, UnixMs)) -> Result<(), Self::Error>;

    /// The agreement of a loan; `None` if there is no record of one.
    ///
    /// # Errors
    /// [`Self::Error`].
    fn deal(&self, loan: LoanId) -> Result<Option<LoanDeal>, Self::Error>;
}
