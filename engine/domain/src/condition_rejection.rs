//! The refusals of conditions that a lender asked for.

use thiserror::Error;

use crate::NumberRange;

/// A refusal of conditions for borrowers; the book is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ConditionRejection {
    /// A lender named themselves as the borrower.
    #[error("an offer cannot be for its own lender")]
    ForOwnLender,
    /// An offer names a borrower and is unlisted, of which each alone is enough.
    #[error("an offer for one borrower needs no link")]
    BorrowerWithLink,
    /// Too many offers of the collection name the borrower.
    #[error("at most {max} offers of a collection are for one borrower")]
    TooManyForBorrower {
        /// The maximum.
        max: usize,
    },
    /// An offer names too many inscriptions.
    #[error("an offer names at most {max} inscriptions")]
    TooManyInscriptions {
        /// The maximum.
        max: usize,
    },
    /// An offer has too many ranges of inscription numbers.
    #[error("at most {max} ranges of numbers")]
    TooManyNumberRanges {
        /// The maximum.
        max: usize,
    },
    /// The last number of a range is below the first one.
    #[error("there is no number from {} to {}", .0.first, .0.last)]
    EmptyNumberRange(NumberRange),
    /// An offer against tokens names inscriptions.
    #[error("an offer against tokens cannot name inscriptions")]
    TokensAreNotChosen,
    /// A number in the conditions is too large.
    #[error("a condition asks for {asked}, which is more than {max}")]
    AboveMax {
        /// The number asked for.
        asked: u16,
        /// The maximum.
        max: u16,
    },
}
