//! The negotiations of a book, and the terms that were agreed in them.

use std::{collections::BTreeSet, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    BorrowRequest, LoanTerms, NegotiatedLoan, Negotiation, NegotiationEnd, NegotiationId, NegotiationState,
    NegotiationSubject, OfferId, Proposal, UnixMs, UserId,
};

/// A negotiation that changed or was removed, and its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedNegotiation {
    /// The id.
    pub id: NegotiationId,
    /// The lender and the borrower.
    pub parties: [UserId; 2],
}

/// All negotiations, and indices of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Negotiations {
    /// The number of the latest negotiation.
    pub(super) latest: u64,
    all: FxHashMap<NegotiationId, Negotiation>,
    by_user: BTreeSet<(UserId, NegotiationId)>,
    by_subject: BTreeSet<(NegotiationSubject, NegotiationId)>,
    expiries: BTreeSet<(UnixMs, NegotiationId)>,
    /// Interest and term of the offers that accepted proposals led to.
    agreed: FxHashMap<OfferId, LoanTerms>,
    /// Negotiations that changed and have not been taken from here since.
    changed: Vec<ChangedNegotiation>,
}

impl Negotiations {
    pub(super) fn get(&self, id: NegotiationId) -> Option<&Negotiation> {
        self.all.get(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Negotiation> {
        self.all.values()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// All negotiations of a user, ascending.
    pub(super) fn of(&self, user: UserId) -> impl Iterator<Item = &Negotiation> {
        let all = (user, NegotiationId(0))..=(user, NegotiationId(u64::MAX));
        self.by_user.range(all).filter_map(|(_, id)| self.get(*id))
    }

    /// All negotiations about an offer, a request or a loan, ascending.
    pub(super) fn about(&self, subject: NegotiationSubject) -> impl Iterator<Item = &Negotiation> {
        let all = (subject, NegotiationId(0))..=(subject, NegotiationId(u64::MAX));
        self.by_subject.range(all).filter_map(|(_, id)| self.get(*id))
    }

    /// The agreed interest and term of an offer.
    pub(super) fn agreed(&self, offer: OfferId) -> Option<LoanTerms> {
        self.agreed.get(&offer).copied()
    }

    pub(super) fn next_expiry(&self) -> Option<UnixMs> {
        self.expiries.first().map(|(kept_until, _)| *kept_until)
    }

    /// The negotiations whose time is over.
    pub(super) fn expired(&self, now: UnixMs) -> impl Iterator<Item = NegotiationId> {
        self.expiries.iter().take_while(move |(kept_until, _)| *kept_until <= now).map(|(_, id)| *id)
    }

    /// The negotiation that is over and would be kept for the shortest time. Agreed terms of an extension are kept for
    /// the whole time to sign.
    pub(super) fn first_over(&self) -> Option<NegotiationId> {
        let is_over = |known: &Negotiation| !known.is_open() && known.state != NegotiationState::ExtensionAgreed;
        let over = |id: &NegotiationId| self.get(*id).is_some_and(is_over);
        self.expiries.iter().map(|(_, id)| *id).find(over)
    }

    pub(super) fn take_changed(&mut self) -> Vec<ChangedNegotiation> {
        std::mem::take(&mut self.changed)
    }

    /// Adds a negotiation, of which the first proposal follows.
    pub(super) fn open(&mut self, id: NegotiationId, loan: Arc<NegotiatedLoan>) {
        self.latest = self.latest.max(id.sequence());
        self.by_subject.insert((loan.subject, id));
        let (proposals, state, unset) = (Vec::new(), NegotiationState::Open, UnixMs::default());
        let opened = Negotiation { id, loan, proposals, state, changed_at: unset, kept_until: unset };
        self.by_user.extend(opened.parties().map(|party| (party, id)));
        self.expiries.insert((unset, id));
        self.all.insert(id, opened);
    }

    /// Adds a proposal.
    pub(super) fn propose(&mut self, id: NegotiationId, proposal: Proposal, at: UnixMs) {
        self.change(id, |negotiation| {
            negotiation.proposals.push(proposal);
            negotiation.changed_at = at;
            negotiation.kept_until = proposal.good_until;
        });
    }

    /// Ends a negotiation, which is kept for a while.
    pub(super) fn end(&mut self, id: NegotiationId, end: NegotiationEnd, at: UnixMs) {
        self.change(id, |negotiation| {
            negotiation.state = end.into();
            negotiation.changed_at = at;
        });
    }

    /// Ends a negotiation by the offer that it led to, and keeps the agreed terms of that offer.
    pub(super) fn accept(&mut self, id: NegotiationId, offer: OfferId, at: UnixMs) {
        let Some(terms) = self.get(id).and_then(Negotiation::latest).map(|latest| latest.terms.loan) else { return };
        self.agreed.insert(offer, terms);
        self.change(id, |negotiation| {
            negotiation.state = NegotiationState::Accepted(offer);
            negotiation.changed_at = at;
            negotiation.kept_until = at.plus_ms(BorrowRequest::SIGNING_MS);
        });
    }

    /// Ends a negotiation about a running loan by the agreed terms of its extension.
    pub(super) fn agree_on_extension(&mut self, id: NegotiationId, at: UnixMs) {
        self.change(id, |negotiation| {
            negotiation.state = NegotiationState::ExtensionAgreed;
            negotiation.changed_at = at;
            negotiation.kept_until = at.plus_ms(BorrowRequest::SIGNING_MS);
        });
    }

    /// Ends the open negotiations about an offer, a request or a loan that left the book.
    pub(super) fn close(&mut self, subject: NegotiationSubject) {
        if self.by_subject.is_empty() {
            return;
        }
        let open: Vec<NegotiationId> = self.about(subject).filter(|one| one.is_open()).map(|one| one.id).collect();
        for id in open {
            self.change(id, |negotiation| negotiation.state = NegotiationState::Closed);
        }
    }

    /// Forgets the agreed terms of an offer that left the book.
    pub(super) fn forget_offer(&mut self, offer: OfferId) {
        self.agreed.remove(&offer);
    }

    pub(super) fn remove(&mut self, id: NegotiationId) {
        let Some(removed) = self.all.remove(&id) else { return };
        for party in removed.parties() {
            self.by_user.remove(&(party, id));
        }
        self.by_subject.remove(&(removed.loan.subject, id));
        self.expiries.remove(&(removed.kept_until, id));
        self.changed.push(ChangedNegotiation { id, parties: removed.parties() });
    }

    /// Changes a negotiation in place and updates the index of its time.
    fn change(&mut self, id: NegotiationId, act: impl FnOnce(&mut Negotiation)) {
        let Some(negotiation) = self.all.get_mut(&id) else { return };
        let before = negotiation.kept_until;
        act(negotiation);
        self.expiries.remove(&(before, id));
        self.expiries.insert((negotiation.kept_until, id));
        self.changed.push(ChangedNegotiation { id, parties: negotiation.parties() });
    }
}
