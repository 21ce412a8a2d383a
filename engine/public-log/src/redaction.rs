//! The part of a book's event that its public log shows.

use std::sync::Arc;

use domain::{
    BookEvent, InterestRate, LinkKey, LoanTerms, NamedBorrower, NegotiatedLoan, OfferConditions, Proposal,
    ProposedTerms, RequestTerms, Reservation, Sats, TermDays, UserId,
};

use crate::pseudonym::Pseudonyms;

/// Returns an event as its book's public log shows it: users by pseudonyms, without addresses, and without what only two
/// sides may see. A book that is rebuilt from such events ranks its offers as the original does.
///
/// Left out are the terms that are proposed in negotiations, the keys of unlisted offers, and what offers for one
/// borrower ask for.
#[must_use]
pub fn redact(event: &BookEvent, pseudonyms: &mut Pseudonyms) -> BookEvent {
    match event {
        BookEvent::OfferCreated { offer, lender, terms } => {
            BookEvent::OfferCreated { offer: *offer, lender: pseudonyms.of(*lender), terms: *terms }
        }
        BookEvent::VaultBalanceChanged { lender, usable } => {
            BookEvent::VaultBalanceChanged { lender: pseudonyms.of(*lender), usable: *usable }
        }
        BookEvent::AllowanceChanged { lender, allowance } => {
            BookEvent::AllowanceChanged { lender: pseudonyms.of(*lender), allowance: *allowance }
        }
        BookEvent::OfferReserved(reservation) => BookEvent::OfferReserved(Reservation {
            borrower: pseudonyms.of(reservation.borrower),
            ..reservation.clone()
        }),
        BookEvent::ConditionsSet { offer, conditions } => {
            BookEvent::ConditionsSet { offer: *offer, conditions: Arc::new(shown_conditions(conditions, pseudonyms)) }
        }
        BookEvent::RequestPlaced { request, terms } => BookEvent::RequestPlaced {
            request: *request,
            terms: Arc::new(RequestTerms {
                borrower: shown_borrower(terms.borrower.user, pseudonyms),
                ..RequestTerms::clone(terms)
            }),
        },
        BookEvent::NegotiationOpened { negotiation, loan } => BookEvent::NegotiationOpened {
            negotiation: *negotiation,
            loan: Arc::new(NegotiatedLoan {
                borrower: shown_borrower(loan.borrower.user, pseudonyms),
                lender: pseudonyms.of(loan.lender),
                inscriptions: Vec::new(),
                ..NegotiatedLoan::clone(loan)
            }),
        },
        BookEvent::ProposalMade { negotiation, proposal } => BookEvent::ProposalMade {
            negotiation: *negotiation,
            proposal: Proposal { terms: HIDDEN_TERMS, ..*proposal },
        },
        // Ids, times and prices, which the book's channel shows.
        BookEvent::OfferCancelled { .. }
        | BookEvent::OfferPaused { .. }
        | BookEvent::OfferResumed { .. }
        | BookEvent::PriceMoved { .. }
        | BookEvent::ReservationConfirmed { .. }
        | BookEvent::ReservationReleased { .. }
        | BookEvent::LoanEnded { .. }
        | BookEvent::TermChangeScheduled { .. }
        | BookEvent::TermChangeActivated { .. }
        | BookEvent::TermAccepted { .. }
        | BookEvent::ReservationExtended { .. }
        | BookEvent::LoanReplaced { .. }
        | BookEvent::OffersUnfunded { .. }
        | BookEvent::OffersFunded { .. }
        | BookEvent::GoodUntilSet { .. }
        | BookEvent::OffersExpired { .. }
        | BookEvent::RequestEnded { .. }
        | BookEvent::RequestFilled { .. }
        | BookEvent::RequestsExpired { .. }
        | BookEvent::GoodUntilSigned { .. }
        | BookEvent::ProposalAccepted { .. }
        | BookEvent::NegotiationEnded { .. }
        | BookEvent::NegotiationsExpired { .. }
        | BookEvent::PegSet { .. }
        | BookEvent::ExtensionAgreed { .. }
        | BookEvent::NumbersChosen { .. }
        | BookEvent::CancelsOnDisconnect { .. } => event.clone(),
    }
}

/// The terms that stand for those that only two sides may see.
const HIDDEN_TERMS: ProposedTerms = ProposedTerms {
    principal: Sats::ZERO,
    loan: LoanTerms { interest: InterestRate::from_basis_points(0), days: TermDays(0) },
};

fn shown_borrower(user: UserId, pseudonyms: &mut Pseudonyms) -> NamedBorrower {
    NamedBorrower { user: pseudonyms.of(user), payment_address: String::new() }
}

fn shown_conditions(conditions: &OfferConditions, pseudonyms: &mut Pseudonyms) -> OfferConditions {
    if conditions.is_listed() {
        return conditions.clone();
    }
    OfferConditions {
        borrower: conditions.borrower_id().map(|user| shown_borrower(user, pseudonyms)),
        link_key: conditions.link_key.map(|_| LinkKey([0; 16])),
        ..OfferConditions::default()
    }
}
