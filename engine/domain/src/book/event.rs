//! The events of an order book.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::{
    Allowance, InterestRate, LoanId, NegotiatedLoan, NegotiationEnd, NegotiationId, NumberRange, OfferConditions,
    OfferId, OfferTerms, Proposal, RequestEnd, RequestId, RequestTerms, ReservationId, Sats, SubCollectionId,
    TermChangeId, TermDays, UnitPrice, UnixMs, UserId,
};

/// An announced change of a sub-collection's terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermChange {
    /// Its id (`newTermId`).
    pub id: TermChangeId,
    /// The interest after it.
    pub interest: InterestRate,
    /// The term after it.
    pub term: TermDays,
    /// The time at which it takes effect (`changeDate`).
    pub change_at: UnixMs,
}

/// Part or all of an offer, reserved for a borrower while the loan is being signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// Its id (`offerAcceptRequestId`).
    pub id: ReservationId,
    /// The offer.
    pub offer: OfferId,
    /// The borrower.
    pub borrower: UserId,
    /// The principal.
    pub principal: Sats,
    /// The collateral, in the offer's raw units.
    pub pledged_raw: u128,
    /// The expiry.
    pub expires_at: UnixMs,
}

/// The reason why an offer left the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CancelReason {
    /// Its lender cancelled it.
    ByLender,
    /// Its lender replaced it by the offer created in the next event.
    Edited,
    /// The connection that it was placed by was lost.
    Disconnected,
}

/// The reason why a reservation ended without a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReleaseReason {
    /// The borrower or the server released it.
    Released,
    /// It expired.
    Expired,
}

/// The end of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoanEnd {
    /// The borrower repaid.
    Repaid,
    /// The lender took the collateral.
    Claimed,
    /// It was never confirmed.
    Failed,
}

/// The events of one command; nearly always one or two, which then need no heap allocation.
pub type Events = SmallVec<[BookEvent; 2]>;

/// An event of one order book. Pauses by LTV, balance and terms are not events of their own: they follow from these, so
/// one price tick is one event however many offers it touches. The funding of manual offers by lenders' wallets is
/// observed outside and recorded per offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BookEvent {
    /// A lender's offer entered the book.
    OfferCreated {
        /// Its id.
        offer: OfferId,
        /// The lender.
        lender: UserId,
        /// The terms.
        terms: OfferTerms,
    },
    /// An offer left the book.
    OfferCancelled {
        /// The offer.
        offer: OfferId,
        /// The reason.
        reason: CancelReason,
    },
    /// Its lender paused it.
    OfferPaused {
        /// The offer.
        offer: OfferId,
    },
    /// Its lender resumed it.
    OfferResumed {
        /// The offer.
        offer: OfferId,
    },
    /// The market's price moved.
    PriceMoved {
        /// The new floor or unit price.
        price: UnitPrice,
        /// The time of the observation.
        observed_at: UnixMs,
    },
    /// The usable balance of a lender's vault changed.
    #[serde(rename = "VaultMoved")]
    VaultBalanceChanged {
        /// The lender.
        lender: UserId,
        /// The new balance.
        usable: Sats,
    },
    /// An offer was reserved for a borrower.
    OfferReserved(Reservation),
    /// A reservation became a loan.
    ReservationConfirmed {
        /// The reservation.
        reservation: ReservationId,
        /// The loan.
        loan: LoanId,
    },
    /// A reservation ended without a loan.
    ReservationReleased {
        /// The reservation.
        reservation: ReservationId,
        /// The reason.
        reason: ReleaseReason,
    },
    /// A loan ended.
    LoanEnded {
        /// The loan.
        loan: LoanId,
        /// The kind of end.
        end: LoanEnd,
    },
    /// A change of terms was announced.
    TermChangeScheduled {
        /// The sub-collection.
        sub_collection: SubCollectionId,
        /// The change.
        change: TermChange,
    },
    /// The announced change took effect.
    TermChangeActivated {
        /// The sub-collection.
        sub_collection: SubCollectionId,
        /// The change.
        change: TermChangeId,
    },
    /// A lender accepted a change of terms for an offer.
    TermAccepted {
        /// The offer.
        offer: OfferId,
        /// The change.
        change: TermChangeId,
    },
    /// A reservation was extended.
    ReservationExtended {
        /// The reservation.
        reservation: ReservationId,
        /// The new expiry.
        expires_at: UnixMs,
    },
    /// The loan that follows an extended loan, of the same lender and borrower, replaced it.
    #[serde(rename = "LoanFollowed")]
    LoanReplaced {
        /// The extended loan.
        loan: LoanId,
        /// The loan that follows it.
        #[serde(rename = "follower")]
        successor: LoanId,
    },
    /// Lenders lack the coins to fund these manual offers.
    OffersUnfunded {
        /// The offers.
        offers: Vec<OfferId>,
    },
    /// Lenders have the coins again.
    OffersFunded {
        /// The offers.
        offers: Vec<OfferId>,
    },
    /// Its lender set the time until which it is good, at its creation or later. An expired offer is renewed by it.
    GoodUntilSet {
        /// The offer.
        offer: OfferId,
        /// The time; `None` makes it good until it is cancelled.
        good_until: Option<UnixMs>,
    },
    /// The time until which these offers were good is over.
    OffersExpired {
        /// The offers.
        offers: Vec<OfferId>,
    },
    /// Its lender set conditions for borrowers, at its creation.
    ConditionsSet {
        /// The offer.
        offer: OfferId,
        /// The conditions; none of them only where [`BookEvent::NumbersChosen`] follows.
        conditions: Arc<OfferConditions>,
    },
    /// A borrow request entered the book.
    RequestPlaced {
        /// Its id.
        request: RequestId,
        /// The terms.
        terms: Arc<RequestTerms>,
    },
    /// A borrow request left the book before its time, other than by a loan.
    RequestEnded {
        /// The request.
        request: RequestId,
        /// The reason.
        reason: RequestEnd,
    },
    /// A lender filled a borrow request by an offer, created just before. An offer that its borrower cannot take any
    /// more, cancelled, paused or expired, leaves the book, and the request is open again; it ends with the loan.
    RequestFilled {
        /// The request.
        request: RequestId,
        /// The offer.
        offer: OfferId,
    },
    /// The time until which these borrow requests were good is over.
    RequestsExpired {
        /// The requests.
        requests: Vec<RequestId>,
    },
    /// The lender signed the time until which an instant offer is good, at its creation: it can only become shorter.
    GoodUntilSigned {
        /// The offer.
        offer: OfferId,
        /// The time.
        good_until: UnixMs,
    },
    /// The allowance of a lender changed.
    AllowanceChanged {
        /// The lender.
        lender: UserId,
        /// The new allowance.
        allowance: Allowance,
    },
    /// A negotiation began; its first proposal follows.
    NegotiationOpened {
        /// Its id.
        negotiation: NegotiationId,
        /// The loan.
        loan: Arc<NegotiatedLoan>,
    },
    /// One side of a negotiation proposed terms.
    ProposalMade {
        /// The negotiation.
        negotiation: NegotiationId,
        /// The proposal.
        proposal: Proposal,
    },
    /// The other side accepted the latest proposal, for which an offer was created just before: its interest and term
    /// are those of the proposal.
    ProposalAccepted {
        /// The negotiation.
        negotiation: NegotiationId,
        /// The offer.
        offer: OfferId,
    },
    /// One side ended a negotiation without a loan.
    NegotiationEnded {
        /// The negotiation.
        negotiation: NegotiationId,
        /// The way in which it ended.
        end: NegotiationEnd,
    },
    /// The time of these negotiations is over.
    NegotiationsExpired {
        /// The negotiations.
        negotiations: Vec<NegotiationId>,
    },
    /// Its lender lets the principal of an offer follow the floor, at its creation: at the LTV of its terms, from `min` to
    /// the principal of its terms. At which principal it is follows from the prices.
    PegSet {
        /// The offer.
        offer: OfferId,
        /// The least principal.
        min: Sats,
    },
    /// The other side accepted the latest proposal for the extension of a running loan.
    ExtensionAgreed {
        /// The negotiation.
        negotiation: NegotiationId,
    },
    /// Its lender lets inscriptions with these numbers be pledged, beside those that its conditions name, at its creation.
    NumbersChosen {
        /// The offer.
        offer: OfferId,
        /// The ranges, at least one.
        numbers: Vec<NumberRange>,
    },
    /// An offer is to be cancelled when the connection that it was placed by is lost; at its creation.
    CancelsOnDisconnect {
        /// The offer.
        offer: OfferId,
    },
}
