//! What can be asked of an order book.

use crate::{
    LoanEnd, LoanId, Ltv, OfferId, ProcessType, Quantity, ReservationId, Sats, SubCollectionId, TermChange,
    TermChangeId, UnitPrice, UnixMs, UserId,
};

/// An offer as a lender wants it, before the rules of SPEC section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferDraft {
    /// Where it shall stand.
    pub sub_collection: SubCollectionId,
    /// Manual or instant.
    pub process: ProcessType,
    /// What is lent.
    pub principal: Sats,
    /// What is asked for, where the sub-collection leaves it open (instant runes); `None` elsewhere.
    pub quantity: Option<Quantity>,
    /// Auto-pause cap of an instant offer; `None` for manual ones.
    pub max_ltv: Option<Ltv>,
    /// Whether announced term changes are accepted in advance.
    pub accepts_next_term: bool,
}

/// A command to one order book. Who may give it has been checked by the caller, except ownership of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Enters `count` equal offers.
    Create {
        /// Whose.
        lender: UserId,
        /// What.
        draft: OfferDraft,
        /// How many, 1 to [`crate::Limits::count_max`].
        count: u8,
        /// What is usable in the lender's vault; `None` without one.
        usable: Option<Sats>,
    },
    /// Replaces an offer: cancels it and creates another in one event group.
    Edit {
        /// Whose.
        lender: UserId,
        /// Which.
        offer: OfferId,
        /// What it becomes.
        draft: OfferDraft,
        /// What is usable in the lender's vault; `None` without one.
        usable: Option<Sats>,
    },
    /// Takes an offer out.
    Cancel {
        /// Whose.
        lender: UserId,
        /// Which.
        offer: OfferId,
    },
    /// Pauses an offer by hand.
    Pause {
        /// Whose.
        lender: UserId,
        /// Which.
        offer: OfferId,
    },
    /// Ends a pause by hand; other reasons stay.
    Resume {
        /// Whose.
        lender: UserId,
        /// Which.
        offer: OfferId,
    },
    /// The market's price moved.
    MovePrice {
        /// To what.
        price: UnitPrice,
        /// When it was seen.
        observed_at: UnixMs,
    },
    /// A vault's usable balance moved.
    MoveVault {
        /// Whose.
        lender: UserId,
        /// To what.
        usable: Sats,
    },
    /// What was seen of the coins behind manual offers. Offers that are gone, instant or held are left as they are.
    MoveFunding {
        /// Offers whose lender lacks the coins.
        unfunded: Vec<OfferId>,
        /// Offers whose lender has them.
        funded: Vec<OfferId>,
    },
    /// Holds all or a part of an offer for a borrower.
    Reserve {
        /// The reservation's id.
        reservation: ReservationId,
        /// Which offer.
        offer: OfferId,
        /// For whom.
        borrower: UserId,
        /// What is pledged in raw units, where a part can be taken; `None` means all that is asked for.
        pledged_raw: Option<u128>,
        /// When it ends by itself.
        expires_at: UnixMs,
    },
    /// Turns a reservation into a loan.
    Confirm {
        /// Which.
        reservation: ReservationId,
        /// The loan's id.
        loan: LoanId,
    },
    /// Gives a reservation up.
    Release {
        /// Which.
        reservation: ReservationId,
    },
    /// Gives a reservation more time: the borrower has signed, and the lender is next.
    ExtendReservation {
        /// Which.
        reservation: ReservationId,
        /// When it ends by itself now.
        expires_at: UnixMs,
    },
    /// Ends every reservation whose time is over.
    ExpireReservations,
    /// Removes a loan that ended.
    EndLoan {
        /// Which.
        loan: LoanId,
        /// How.
        end: LoanEnd,
    },
    /// Lets another loan of the same people stand for a loan that they extended.
    FollowLoan {
        /// Which.
        loan: LoanId,
        /// The one that follows it.
        follower: LoanId,
    },
    /// Announces a change of terms.
    ScheduleTermChange {
        /// Where.
        sub_collection: SubCollectionId,
        /// The change.
        change: TermChange,
    },
    /// Puts every announced change whose time has come into effect.
    ActivateTermChanges,
    /// Accepts a change of terms for an offer.
    AcceptTerm {
        /// Whose.
        lender: UserId,
        /// Which offer.
        offer: OfferId,
        /// Which change.
        change: TermChangeId,
    },
}
