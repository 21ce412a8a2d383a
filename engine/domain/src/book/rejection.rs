//! The reasons why an order book refuses a command. Variants carry the values that decided them.

use thiserror::Error;

use crate::{
    ConditionRejection, InterestRate, LoanId, Ltv, NegotiationRejection, OfferId, PegRejection, ProcessType, Quantity,
    RequestId, ReservationId, Sats, SubCollectionId, TermChangeId, TermDays, UnixMs,
};

/// A refusal; the book is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Rejection {
    /// The group takes no new offers.
    #[error("this collection takes no new offers")]
    LendingNotAllowed,
    /// There is no such sub-collection.
    #[error("no such term or bundle")]
    UnknownSubCollection(SubCollectionId),
    /// The sub-collection takes no offers of this process type.
    #[error("this term or bundle takes no offers of this type")]
    ProcessNotTaken(ProcessType),
    /// No price is known yet, and so no LTV either.
    #[error("the price of this collection is not known yet")]
    NoPrice,
    /// The principal is too small.
    #[error("Below min offer of ₿{}", short_btc(*min))]
    BelowMinOffer {
        /// The minimum.
        min: Sats,
    },
    /// The principal is too large.
    #[error("Offer cannot be above ₿{}", short_btc(*max))]
    AboveMaxOffer {
        /// The maximum.
        max: Sats,
    },
    /// The collateral's amount is missing, zero, or not the one this sub-collection asks for.
    #[error("the collateral amount does not fit this term or bundle")]
    WrongQuantity,
    /// The offer's own LTV reaches 99 %.
    #[error("Offer cannot be above {}% LTV", Ltv::CEILING)]
    AboveCeiling {
        /// Its LTV.
        ltv: Ltv,
    },
    /// An instant offer names no cap.
    #[error("Enter a valid max LTV value")]
    NoMaxLtv,
    /// A manual offer names a cap, which only instant ones have.
    #[error("a manual offer has no max LTV")]
    ManualMaxLtv,
    /// The cap is below the offer's LTV.
    #[error("Below current LTV of {ltv}%")]
    MaxLtvBelowCurrent {
        /// Its LTV.
        ltv: Ltv,
    },
    /// The cap is above the ceiling.
    #[error("Offer cannot be above {}% LTV", Ltv::CEILING)]
    MaxLtvAboveCeiling {
        /// The cap.
        max_ltv: Ltv,
    },
    /// The lender has no vault.
    #[error("Vault not found")]
    NoVault,
    /// The vault's usable balance is below the principal.
    #[error("Insufficient vault balance")]
    InsufficientVault {
        /// The usable balance.
        usable: Sats,
    },
    /// The number of equal offers is zero or above the maximum.
    #[error("count must be 1 to {max}")]
    CountOutOfRange {
        /// The maximum.
        max: u8,
    },
    /// The lender has too many offers here.
    #[error("at most {max} offers of one lender in one collection")]
    TooManyOffers {
        /// The maximum.
        max: usize,
    },
    /// The group's ids are used up.
    #[error("this collection can take no more offers")]
    IdsExhausted,
    /// There is no such offer in the book (any more).
    #[error("Selected offer is no longer available")]
    UnknownOffer(OfferId),
    /// Only its lender may do this.
    #[error("this offer belongs to another lender")]
    NotOwner(OfferId),
    /// A borrower has a reservation of it.
    #[error("a borrower is signing for this offer")]
    UnderOffer(OfferId),
    /// It is paused by its lender already.
    #[error("the offer is paused already")]
    AlreadyPaused(OfferId),
    /// It is not paused by its lender.
    #[error("the offer is not paused by its lender")]
    NotPausedByLender(OfferId),
    /// The edit would change the process type of the offer.
    #[error("an edit keeps the process type of the offer")]
    EditChangesProcess,
    /// A price of zero or beyond the limit.
    #[error("price out of range")]
    PriceOutOfRange,
    /// A borrower must not take their own offer.
    #[error("this is your own offer")]
    OwnOffer(OfferId),
    /// It is paused.
    #[error("the offer is paused")]
    OfferPaused(OfferId),
    /// The time until which its lender made it good is over.
    #[error("the offer has expired")]
    OfferExpired(OfferId),
    /// The time until which an offer or a request is to be good is too early or too late.
    #[error("the time is less than 10 minutes from now, or too late")]
    GoodUntilOutOfRange {
        /// The earliest time.
        min: UnixMs,
        /// The latest time.
        max: UnixMs,
    },
    /// The lender signed an earlier time for the offer, or filled a borrow request with it.
    #[error("the offer cannot be good for longer than its lender has signed")]
    GoodUntilSigned {
        /// The time.
        until: UnixMs,
    },
    /// The lender named another borrower.
    #[error("this offer is for another borrower")]
    OfferForOtherBorrower(OfferId),
    /// The offer is unlisted, and the key of its link is missing or wrong.
    #[error("this offer can be taken only by its link")]
    OfferUnlisted(OfferId),
    /// The lender asks for more repaid loans.
    #[error("this offer is for borrowers with at least {min} repaid loans; you have {repaid}")]
    TooFewRepaidLoans {
        /// The number of loans that the borrower repaid.
        repaid: u32,
        /// The least number.
        min: u16,
    },
    /// A lender took the borrower's collateral too recently.
    #[error("this offer is for borrowers without a recent default")]
    DefaultTooRecent {
        /// The time from which the default does not count any more.
        until: UnixMs,
    },
    /// The lender named other inscriptions.
    #[error("this offer is for other inscriptions")]
    InscriptionNotChosen(OfferId),
    /// A refusal of conditions that a lender asked for.
    #[error(transparent)]
    Conditions(#[from] ConditionRejection),
    /// The other requests of the borrower are for too much of the tokens.
    #[error("of these tokens {free_raw} raw units are free of other requests")]
    TokensRequested {
        /// The amount that no other request is for, in raw units.
        free_raw: u128,
    },
    /// No term of the collection is within the interest, the terms and the collateral of the request.
    #[error("no term of this collection fits the request")]
    NoTermOfRequest,
    /// The borrower has too many requests in the book, or all borrowers together.
    #[error("at most {max} requests")]
    TooManyRequests {
        /// The maximum.
        max: usize,
    },
    /// There is a request for the inscription already.
    #[error("there is a request for this inscription already")]
    AlreadyRequested(RequestId),
    /// There is no such request in the book (any more).
    #[error("the request is no longer open")]
    UnknownRequest(RequestId),
    /// Only its borrower may do this.
    #[error("this request belongs to another borrower")]
    NotYourRequest(RequestId),
    /// A lender filled it, and its borrower can take that offer.
    #[error("a lender has filled this request")]
    RequestFilled(RequestId),
    /// The time until which its borrower made it good is over.
    #[error("the request has expired")]
    RequestExpired(RequestId),
    /// A lender must not fill their own request.
    #[error("this is your own request")]
    OwnRequest(RequestId),
    /// The principal is not the one asked for.
    #[error("the request asks for ₿{}", short_btc(*asked))]
    PrincipalOfRequest {
        /// The principal asked for.
        asked: Sats,
    },
    /// The interest is above the highest one of the request.
    #[error("the request takes at most {max}% of interest; this term has {interest}%")]
    InterestAboveRequest {
        /// The interest of the sub-collection.
        interest: InterestRate,
        /// The highest interest of the request.
        max: InterestRate,
    },
    /// The term is not one that the request takes.
    #[error("the request takes terms of {min} to {max} days, not {term}")]
    TermOutsideRequest {
        /// The term of the sub-collection.
        term: TermDays,
        /// The shortest term of the request.
        min: TermDays,
        /// The longest term of the request.
        max: TermDays,
    },
    /// The collateral is not the one of the request.
    #[error("the request pledges {asked}")]
    QuantityOfRequest {
        /// The collateral of the request.
        asked: Quantity,
    },
    /// A refusal about a negotiation.
    #[error(transparent)]
    Negotiation(#[from] NegotiationRejection),
    /// A refusal of bounds within which a principal was to follow the floor.
    #[error(transparent)]
    Peg(#[from] PegRejection),
    /// Another borrower was faster.
    #[error("Offer has already been used, refreshing offers...")]
    OfferUsed(OfferId),
    /// The lender's own limits do not cover the principal; nothing is available while the lender is absent.
    #[error("Your lending limits leave ₿{} here", short_btc(*available))]
    OverLendingLimits {
        /// The principal that they leave in this collection.
        available: Sats,
    },
    /// The requested part is below the smallest or above what is left.
    #[error("the part asked for does not fit the offer")]
    PartOutOfRange {
        /// The principal of that part.
        principal: Sats,
        /// The smallest part.
        min: Sats,
        /// The principal that is left.
        available: Sats,
    },
    /// The reservation would expire before it begins.
    #[error("the reservation would expire at once")]
    ExpiresInThePast(UnixMs),
    /// The id is in use.
    #[error("the reservation exists already")]
    DuplicateReservation(ReservationId),
    /// There are too many reservations in the book.
    #[error("at most {max} reservations in one collection")]
    TooManyReservations {
        /// The maximum.
        max: usize,
    },
    /// There is no such reservation (any more).
    #[error("no such reservation")]
    UnknownReservation(ReservationId),
    /// The reservation has expired.
    #[error("the reservation expired")]
    ReservationExpired(ReservationId),
    /// The id is in use.
    #[error("the loan exists already")]
    DuplicateLoan(LoanId),
    /// There is no such loan (any more).
    #[error("no such loan")]
    UnknownLoan(LoanId),
    /// A term change must take effect in the future.
    #[error("a term change must lie in the future")]
    ChangeInThePast(UnixMs),
    /// Another term change is announced; there can be only one at a time.
    #[error("a term change is announced already")]
    ChangePending(TermChangeId),
    /// No such change is announced or in effect for the offer.
    #[error("no such term change")]
    UnknownChange(TermChangeId),
    /// Only instant offers have term changes to accept.
    #[error("a manual offer has no terms to accept")]
    ManualTerms(OfferId),
}

/// An amount in BTC without trailing zeros, as error messages quote it.
fn short_btc(sats: Sats) -> String {
    let text = sats.to_string();
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_quote_values_as_the_screens_do() {
        assert_eq!(Rejection::BelowMinOffer { min: Sats::new(30_000) }.to_string(), "Below min offer of ₿0.0003");
        assert_eq!(Rejection::AboveMaxOffer { max: Sats::new(2_000_000_000) }.to_string(), "Offer cannot be above ₿20");
        let ltv = Ltv::from_basis_points(6_120);
        assert_eq!(Rejection::MaxLtvBelowCurrent { ltv }.to_string(), "Below current LTV of 61.2%");
        assert_eq!(Rejection::AboveCeiling { ltv }.to_string(), "Offer cannot be above 98% LTV");
    }
}
