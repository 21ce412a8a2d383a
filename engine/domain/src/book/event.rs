//! What happens in an order book.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::{
    InterestRate, LoanId, OfferId, OfferTerms, ReservationId, Sats, SubCollectionId, TermChangeId, TermDays, UnitPrice,
    UnixMs, UserId,
};

/// An announced change of a sub-collection's terms (SPEC section 3, newTermChangeRequest).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermChange {
    /// Its id (`newTermId`).
    pub id: TermChangeId,
    /// Interest from then on.
    pub interest: InterestRate,
    /// Term from then on.
    pub term: TermDays,
    /// When it takes effect (`changeDate`).
    pub change_at: UnixMs,
}

/// Part or all of an offer, held for a borrower who is signing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// Its id (`offerAcceptRequestId`).
    pub id: ReservationId,
    /// Of which offer.
    pub offer: OfferId,
    /// For whom.
    pub borrower: UserId,
    /// What is lent.
    pub principal: Sats,
    /// What is pledged, in the offer's raw units.
    pub pledged_raw: u128,
    /// When it ends by itself.
    pub expires_at: UnixMs,
}

/// Why an offer left the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CancelReason {
    /// Its lender cancelled it.
    ByLender,
    /// Its lender replaced it by the offer created next to this event.
    Edited,
}

/// Why a reservation ended without a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReleaseReason {
    /// The borrower or the server gave it up.
    Released,
    /// Its time was over.
    Expired,
}

/// How a loan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoanEnd {
    /// The borrower repaid.
    Repaid,
    /// The lender took the collateral.
    Claimed,
    /// It never confirmed.
    Failed,
}

/// What one command leads to; nearly always one event or two, which then need no memory of their own.
pub type Events = SmallVec<[BookEvent; 2]>;

/// Something that happened in one order book. Pauses by LTV, balance and terms are not events of their own:
/// they follow from these, so one price tick is one event however many offers it touches. What lenders' wallets hold is
/// seen from outside and named by offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BookEvent {
    /// A lender's offer entered the book.
    OfferCreated {
        /// Its id.
        offer: OfferId,
        /// Whose it is.
        lender: UserId,
        /// What it offers.
        terms: OfferTerms,
    },
    /// An offer left the book.
    OfferCancelled {
        /// Which.
        offer: OfferId,
        /// Why.
        reason: CancelReason,
    },
    /// Its lender paused it.
    OfferPaused {
        /// Which.
        offer: OfferId,
    },
    /// Its lender resumed it.
    OfferResumed {
        /// Which.
        offer: OfferId,
    },
    /// The market's price moved.
    PriceMoved {
        /// The new floor or unit price.
        price: UnitPrice,
        /// When it was seen.
        observed_at: UnixMs,
    },
    /// The usable balance of a lender's vault moved.
    VaultMoved {
        /// Whose.
        lender: UserId,
        /// What is usable now.
        usable: Sats,
    },
    /// A borrower is signing.
    OfferReserved(Reservation),
    /// A reservation became a loan.
    ReservationConfirmed {
        /// Which.
        reservation: ReservationId,
        /// The loan.
        loan: LoanId,
    },
    /// A reservation ended without a loan.
    ReservationReleased {
        /// Which.
        reservation: ReservationId,
        /// Why.
        reason: ReleaseReason,
    },
    /// A loan ended.
    LoanEnded {
        /// Which.
        loan: LoanId,
        /// How.
        end: LoanEnd,
    },
    /// A change of terms was announced.
    TermChangeScheduled {
        /// Where.
        sub_collection: SubCollectionId,
        /// The change.
        change: TermChange,
    },
    /// The announced change took effect.
    TermChangeActivated {
        /// Where.
        sub_collection: SubCollectionId,
        /// Which change.
        change: TermChangeId,
    },
    /// A lender accepted a change of terms for an offer.
    TermAccepted {
        /// Which offer.
        offer: OfferId,
        /// Which change.
        change: TermChangeId,
    },
    /// A reservation has more time.
    ReservationExtended {
        /// Which.
        reservation: ReservationId,
        /// When it ends by itself now.
        expires_at: UnixMs,
    },
    /// Another loan of the same people stands for a loan that they extended.
    LoanFollowed {
        /// Which.
        loan: LoanId,
        /// The one that follows it.
        follower: LoanId,
    },
    /// Lenders lack the coins that their manual offers lend.
    OffersUnfunded {
        /// Which.
        offers: Vec<OfferId>,
    },
    /// Lenders have the coins again.
    OffersFunded {
        /// Which.
        offers: Vec<OfferId>,
    },
}
