//! The commands of an order book.

use std::sync::Arc;

use crate::{
    Allowance, Inscription, LoanEnd, LoanId, Ltv, NamedBorrower, NegotiationId, OfferConditions, OfferId, ProcessType,
    ProposedTerms, Quantity, RequestId, RequestTerms, ReservationId, Sats, SubCollectionId, Taker, TermChange,
    TermChangeId, UnitPrice, UnixMs, UserId,
};

/// A lender's draft of an offer, before it is validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferDraft {
    /// The sub-collection.
    pub sub_collection: SubCollectionId,
    /// The process type.
    pub process: ProcessType,
    /// The principal; the largest one if it follows the floor.
    pub principal: Sats,
    /// The least principal of an offer whose principal follows the floor at `max_ltv` of it; `None` if it is fixed.
    pub principal_min: Option<Sats>,
    /// The collateral, where the sub-collection leaves it open (instant runes); `None` elsewhere.
    pub quantity: Option<Quantity>,
    /// The LTV above which an instant offer pauses, or at which a principal follows the floor; `None` for manual ones with
    /// a fixed principal.
    pub max_ltv: Option<Ltv>,
    /// Whether announced term changes are accepted in advance.
    pub accepts_next_term: bool,
    /// The time from which it cannot be taken; `None` if it is good until it is cancelled.
    pub good_until: Option<UnixMs>,
    /// The conditions for borrowers; `None` if anyone can take it.
    pub conditions: Option<Arc<OfferConditions>>,
    /// Whether it is cancelled when the connection that it is placed by is lost.
    pub cancels_on_disconnect: bool,
}

impl OfferDraft {
    /// A draft that anyone can take, of a fixed principal, good until it is cancelled.
    #[must_use]
    pub const fn plain(sub_collection: SubCollectionId, process: ProcessType, principal: Sats) -> Self {
        Self {
            sub_collection,
            process,
            principal,
            principal_min: None,
            quantity: None,
            max_ltv: None,
            accepts_next_term: false,
            good_until: None,
            conditions: None,
            cancels_on_disconnect: false,
        }
    }
}

/// A command to one order book. The caller has checked that the sender may issue it, except for the ownership of an
/// offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Enters `count` equal offers.
    Create {
        /// The lender.
        lender: UserId,
        /// The draft.
        draft: OfferDraft,
        /// The number of offers, 1 to [`crate::Limits::count_max`].
        count: u8,
        /// The usable balance of the lender's vault; `None` without one.
        usable: Option<Sats>,
    },
    /// Replaces an offer: cancels it and creates another in one event group.
    Edit {
        /// The lender.
        lender: UserId,
        /// The offer.
        offer: OfferId,
        /// The draft of the new offer.
        draft: OfferDraft,
        /// The usable balance of the lender's vault; `None` without one.
        usable: Option<Sats>,
    },
    /// Places a borrow request.
    PlaceRequest {
        /// The terms.
        terms: Arc<RequestTerms>,
        /// The amount of tokens that the borrower holds and no loan uses, in raw units: the requests of one borrower ask
        /// together for no more. `None` with inscriptions.
        held_raw: Option<u128>,
    },
    /// Removes a borrow request that no lender has filled, on behalf of its borrower.
    WithdrawRequest {
        /// The borrower.
        borrower: UserId,
        /// The request.
        request: RequestId,
    },
    /// Removes a borrow request whose collateral is not with its borrower any more.
    CloseRequest {
        /// The request.
        request: RequestId,
    },
    /// Fills a borrow request by an offer that only its borrower can take, for a limited time.
    FillRequest {
        /// The lender.
        lender: UserId,
        /// The request.
        request: RequestId,
        /// The draft, whose conditions follow from the request; its time to sign if it names none.
        draft: OfferDraft,
        /// The usable balance of the lender's vault; `None` without one.
        usable: Option<Sats>,
        /// The allowance of the lender.
        allowance: Allowance,
    },
    /// Removes every borrow request whose time is over.
    ExpireRequests,
    /// Opens a negotiation about an offer.
    NegotiateOffer {
        /// The borrower.
        borrower: NamedBorrower,
        /// The borrower as the conditions of the offer see it, with the inscription to pledge.
        taker: Taker,
        /// The offer.
        offer: OfferId,
        /// The collateral, where the offer is open in its amount; `None` elsewhere.
        quantity: Option<Quantity>,
        /// The proposed terms.
        terms: ProposedTerms,
        /// The time from which they cannot be accepted.
        good_until: UnixMs,
    },
    /// Opens a negotiation about a borrow request.
    NegotiateRequest {
        /// The lender.
        lender: UserId,
        /// The request.
        request: RequestId,
        /// The proposed terms.
        terms: ProposedTerms,
        /// The time from which they cannot be accepted.
        good_until: UnixMs,
    },
    /// Opens a negotiation about the extension of a running loan.
    NegotiateLoan {
        /// The user, one of the two sides of the loan.
        user: UserId,
        /// The loan.
        loan: LoanId,
        /// Its borrower.
        borrower: NamedBorrower,
        /// The inscriptions that secure it, ascending; none with tokens.
        inscriptions: Vec<Inscription>,
        /// The proposed terms, with the principal of the loan.
        terms: ProposedTerms,
        /// The time from which they cannot be accepted.
        good_until: UnixMs,
    },
    /// Answers the latest proposal of a negotiation by another one.
    Propose {
        /// The user, one of the two sides.
        user: UserId,
        /// The negotiation.
        negotiation: NegotiationId,
        /// The number of the proposal that is answered, from 1.
        round: usize,
        /// The proposed terms.
        terms: ProposedTerms,
        /// The time from which they cannot be accepted.
        good_until: UnixMs,
    },
    /// Accepts the latest proposal of a negotiation: creates an offer that only its borrower can take, for a limited
    /// time; or, about a running loan, agrees on the terms of its extension.
    AcceptProposal {
        /// The user, one of the two sides.
        user: UserId,
        /// The negotiation.
        negotiation: NegotiationId,
        /// The number of the proposal that is accepted, from 1.
        round: usize,
        /// The allowance of the lender.
        allowance: Allowance,
    },
    /// Declines the latest proposal of a negotiation, or withdraws the user's own.
    EndNegotiation {
        /// The user, one of the two sides.
        user: UserId,
        /// The negotiation.
        negotiation: NegotiationId,
        /// The number of its latest proposal, from 1, so that no proposal is declined that the user has not seen.
        round: usize,
    },
    /// Removes every negotiation whose time is over.
    ExpireNegotiations,
    /// Removes an offer.
    Cancel {
        /// The lender.
        lender: UserId,
        /// The offer.
        offer: OfferId,
    },
    /// Removes the offers of a lost connection: of these, the ones that are to be cancelled then. One that a borrower is
    /// signing for is paused, so that it cannot be taken again.
    EndConnection {
        /// The offers; those that are gone, or do not depend on a connection, are ignored.
        offers: Vec<OfferId>,
    },
    /// Pauses an offer on behalf of its lender.
    Pause {
        /// The lender.
        lender: UserId,
        /// The offer.
        offer: OfferId,
    },
    /// Ends a pause by the lender; other reasons stay.
    Resume {
        /// The lender.
        lender: UserId,
        /// The offer.
        offer: OfferId,
    },
    /// Sets, renews or removes the time until which an offer is good.
    SetGoodUntil {
        /// The lender.
        lender: UserId,
        /// The offer.
        offer: OfferId,
        /// The time; `None` makes it good until it is cancelled.
        good_until: Option<UnixMs>,
    },
    /// Pauses every offer whose time is over.
    ExpireOffers,
    /// The market's price moved.
    SetPrice {
        /// The new price.
        price: UnitPrice,
        /// The time of the observation.
        observed_at: UnixMs,
    },
    /// The usable balance of a vault changed.
    SetVaultBalance {
        /// The lender.
        lender: UserId,
        /// The new balance.
        usable: Sats,
    },
    /// The allowance of a lender changed.
    SetAllowance {
        /// The lender.
        lender: UserId,
        /// The new allowance.
        allowance: Allowance,
    },
    /// Observations of the coins behind manual offers. Offers that are gone, instant or reserved are ignored.
    SetFunding {
        /// Offers whose lender lacks the coins.
        unfunded: Vec<OfferId>,
        /// Offers whose lender has them.
        funded: Vec<OfferId>,
    },
    /// Reserves all or a part of an offer for a borrower.
    Reserve {
        /// The reservation's id.
        reservation: ReservationId,
        /// The offer.
        offer: OfferId,
        /// The borrower.
        taker: Taker,
        /// The collateral in raw units, where a part can be taken; `None` means all that is asked for.
        pledged_raw: Option<u128>,
        /// The expiry of the reservation.
        expires_at: UnixMs,
    },
    /// Turns a reservation into a loan.
    Confirm {
        /// The reservation.
        reservation: ReservationId,
        /// The loan's id.
        loan: LoanId,
    },
    /// Releases a reservation.
    Release {
        /// The reservation.
        reservation: ReservationId,
    },
    /// Extends a reservation: the borrower has signed, and the lender is next.
    ExtendReservation {
        /// The reservation.
        reservation: ReservationId,
        /// The new expiry.
        expires_at: UnixMs,
    },
    /// Ends every reservation whose time is over.
    ExpireReservations,
    /// Removes a loan that ended.
    EndLoan {
        /// The loan.
        loan: LoanId,
        /// The kind of end.
        end: LoanEnd,
    },
    /// Replaces an extended loan by the loan that follows it, of the same lender and borrower.
    ReplaceLoan {
        /// The extended loan.
        loan: LoanId,
        /// The loan that follows it.
        successor: LoanId,
    },
    /// Announces a change of terms.
    ScheduleTermChange {
        /// The sub-collection.
        sub_collection: SubCollectionId,
        /// The change.
        change: TermChange,
    },
    /// Puts every announced change whose time has come into effect.
    ActivateTermChanges,
    /// Accepts a change of terms for an offer.
    AcceptTerm {
        /// The lender.
        lender: UserId,
        /// The offer.
        offer: OfferId,
        /// The change.
        change: TermChangeId,
    },
}
