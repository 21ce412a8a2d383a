//! The refusals of an order book that are about negotiations.

use thiserror::Error;

use crate::{InterestRate, NegotiationId, OfferId, Sats, TermDays};

/// A refusal about a negotiation; the book is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NegotiationRejection {
    /// There is no such negotiation of the user (any more).
    #[error("no such negotiation")]
    Unknown(NegotiationId),
    /// It was accepted, declined or withdrawn, its subject left the book, or its latest proposal has expired.
    #[error("the negotiation is over")]
    Over(NegotiationId),
    /// There is a later proposal than the one answered.
    #[error("there is a newer proposal")]
    Replaced {
        /// The negotiation.
        id: NegotiationId,
        /// The number of its latest proposal.
        round: usize,
    },
    /// The user made the latest proposal.
    #[error("the other side has not answered yet")]
    NotYourTurn(NegotiationId),
    /// Nothing more can be proposed, only accepted or declined.
    #[error("a negotiation has at most {max} proposals")]
    TooManyRounds {
        /// The maximum.
        max: usize,
    },
    /// There are too many negotiations of one user, or in the book.
    #[error("at most {max} negotiations")]
    TooMany {
        /// The maximum.
        max: usize,
    },
    /// The user has an open negotiation about the same offer or request, or one of the two sides about the same loan.
    #[error("you negotiate this already")]
    AlreadyOpen(NegotiationId),
    /// The terms of the offer were agreed on with its borrower: it can be cancelled, and not changed.
    #[error("the terms of this offer were agreed on: cancel it, or make a counter-offer")]
    Agreed(OfferId),
    /// The lender's own limits do not cover the principal now.
    #[error("the lender does not lend this much at present")]
    LenderLimited(NegotiationId),
    /// An extension keeps the principal of the loan.
    #[error("an extension keeps the principal of {principal}")]
    PrincipalChanged {
        /// The principal of the loan.
        principal: Sats,
    },
    /// The interest is above the operator's limit, or none.
    #[error("the interest must be 0.01% to {max}%")]
    InterestOutOfRange {
        /// The highest interest.
        max: InterestRate,
    },
    /// The term is above the operator's limit, or no day.
    #[error("the term must be 1 to {max} days")]
    TermOutOfRange {
        /// The longest term.
        max: TermDays,
    },
}
