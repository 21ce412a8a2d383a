//! Negotiations: the counter-offers that a borrower and a lender exchange about one loan, or about its extension.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    Inscription, LoanId, LoanTerms, NamedBorrower, NegotiationId, NegotiationRejection, OfferId, Quantity, RequestId,
    Role, Sats, SubCollectionId, UnixMs, UserId,
};

/// The terms that one side proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedTerms {
    /// The principal.
    pub principal: Sats,
    /// Interest and term; they need not be those of a sub-collection.
    pub loan: LoanTerms,
}

/// A proposal, which the other side can accept until its time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The side that made it.
    pub by: Role,
    /// The terms.
    pub terms: ProposedTerms,
    /// The time from which it cannot be accepted.
    pub good_until: UnixMs,
}

/// The offer, the borrow request or the running loan that a negotiation is about. The negotiation ends with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NegotiationSubject {
    /// An offer, which stays in the book and can be taken by others meanwhile.
    Offer(OfferId),
    /// A borrow request, which an accepted proposal fills.
    Request(RequestId),
    /// A running loan: an accepted proposal has the terms of its extension.
    Loan(LoanId),
}

/// The loan that is negotiated, terms aside. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NegotiatedLoan {
    /// The origin of the negotiation.
    pub subject: NegotiationSubject,
    /// The borrower.
    pub borrower: NamedBorrower,
    /// The lender.
    pub lender: UserId,
    /// The sub-collection that the loan is listed in, whatever its interest and term.
    pub sub_collection: SubCollectionId,
    /// The inscriptions to pledge together, ascending; none with tokens.
    #[serde(rename = "inscription", with = "crate::one_or_several")]
    pub inscriptions: Vec<Inscription>,
    /// The collateral.
    pub quantity: Quantity,
}

/// The state of a negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegotiationState {
    /// The side that did not make the latest proposal is next.
    Open,
    /// The latest proposal was accepted: the borrower can take this offer.
    Accepted(OfferId),
    /// The latest proposal was accepted: the borrower can extend the running loan on its terms.
    ExtensionAgreed,
    /// The side that was next declined.
    Declined,
    /// The side that made the latest proposal withdrew it.
    Withdrawn,
    /// The offer, the request or the loan that it is about left the book.
    Closed,
}

/// The way in which one side ends a negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NegotiationEnd {
    /// The side that was next declined.
    Declined,
    /// The side that made the latest proposal withdrew it.
    Withdrawn,
}

impl From<NegotiationEnd> for NegotiationState {
    fn from(end: NegotiationEnd) -> Self {
        match end {
            NegotiationEnd::Declined => Self::Declined,
            NegotiationEnd::Withdrawn => Self::Withdrawn,
        }
    }
}

/// A negotiation in the book. One that is over is kept until its time is over, so that both sides see how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiation {
    /// The id.
    pub id: NegotiationId,
    /// The loan.
    pub loan: Arc<NegotiatedLoan>,
    /// The proposals, oldest first; at least one.
    pub proposals: Vec<Proposal>,
    /// The state.
    pub state: NegotiationState,
    /// The time at which one of the two sides last did something.
    pub changed_at: UnixMs,
    /// The time from which it is not kept any more.
    pub kept_until: UnixMs,
}

impl Negotiation {
    /// The most proposals of one negotiation.
    pub const ROUNDS_MAX: usize = 10;
    /// The most negotiations that one user opens in one book; one that is over counts while it is kept.
    pub const PER_OPENER_MAX: usize = 20;
    /// The most of these with the same other side, so that few accounts cannot use up what one user can receive.
    pub const PER_PAIR_MAX: usize = 5;
    /// The most open negotiations in one book that others opened with one user.
    pub const RECEIVED_MAX: usize = 100;
    /// The most negotiations in one book. At this number those that are over make room.
    pub const PER_BOOK_MAX: usize = 5_000;
    /// The longest time for which a proposal is good, in milliseconds.
    pub const GOOD_FOR_MAX_MS: u64 = 72 * 60 * 60 * 1_000;

    /// The lender and the borrower.
    #[must_use]
    pub fn parties(&self) -> [UserId; 2] {
        [self.loan.lender, self.loan.borrower.user]
    }

    /// The side of a user; `None` for anyone else.
    #[must_use]
    pub fn role_of(&self, user: UserId) -> Option<Role> {
        if user == self.loan.lender {
            Some(Role::Lender)
        } else {
            (user == self.loan.borrower.user).then_some(Role::Borrower)
        }
    }

    /// The user who opened it.
    #[must_use]
    pub fn opener(&self) -> UserId {
        let is_by_lender = match self.loan.subject {
            NegotiationSubject::Offer(_) => false,
            NegotiationSubject::Request(_) => true,
            NegotiationSubject::Loan(_) => self.proposals.first().is_some_and(|first| first.by == Role::Lender),
        };
        if is_by_lender { self.loan.lender } else { self.loan.borrower.user }
    }

    /// The latest proposal; `None` only while its first one is being entered.
    #[must_use]
    pub fn latest(&self) -> Option<&Proposal> {
        self.proposals.last()
    }

    /// The terms on which both sides agreed to extend the running loan that it is about.
    #[must_use]
    pub fn agreed_extension(&self) -> Option<LoanTerms> {
        let is_agreed = self.state == NegotiationState::ExtensionAgreed;
        self.latest().filter(|_| is_agreed).map(|latest| latest.terms.loan)
    }

    /// Whether it waits for an answer.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == NegotiationState::Open
    }

    /// Checks that a user has seen its latest proposal, which is number `round`; returns the user's side.
    ///
    /// # Errors
    /// [`NegotiationRejection::Unknown`] for others than its two sides, [`NegotiationRejection::Over`],
    /// [`NegotiationRejection::Replaced`].
    pub(crate) fn check_seen(&self, user: UserId, round: usize) -> Result<Role, NegotiationRejection> {
        let role = self.role_of(user).ok_or(NegotiationRejection::Unknown(self.id))?;
        if !self.is_open() {
            return Err(NegotiationRejection::Over(self.id));
        }
        let latest = self.proposals.len();
        if round == latest { Ok(role) } else { Err(NegotiationRejection::Replaced { id: self.id, round: latest }) }
    }

    /// Checks that a user can answer its proposal number `round`, the latest one; returns the proposal.
    ///
    /// # Errors
    /// Those of [`Negotiation::check_seen`], [`NegotiationRejection::Over`] for a proposal that has expired, and
    /// [`NegotiationRejection::NotYourTurn`].
    pub(crate) fn check_answer(
        &self,
        user: UserId,
        round: usize,
        now: UnixMs,
    ) -> Result<&Proposal, NegotiationRejection> {
        let role = self.check_seen(user, round)?;
        let latest = self.latest().filter(|latest| now < latest.good_until);
        let latest = latest.ok_or(NegotiationRejection::Over(self.id))?;
        if latest.by == role { Err(NegotiationRejection::NotYourTurn(self.id)) } else { Ok(latest) }
    }
}
