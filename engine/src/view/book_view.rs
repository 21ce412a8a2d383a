//! The public view of an order book.

use std::{cmp::Reverse, fmt::Write, sync::Arc};

use domain::{CollateralType, Inscription, Loan, Offer, OrderBook, ProcessType, Sats, Taker, UnixMs, UserId};

use crate::{
    book_state::BookState,
    wire::{AsString, BookLoan, BookOffer, BookSnapshot, ConditionsView, OfferForMe, OfferState, Percent, Row},
};

use super::collateral;

/// The number of offers of each ranking that the checksum covers.
const CRC_RANKS: usize = 10;

/// Whether an offer is public: it can be taken, or could be if it had no reservation, and is listed.
pub(crate) fn is_public(book: &OrderBook, offer: &Offer) -> bool {
    is_shown(offer) && book.conditions(offer.id).is_none_or(|conditions| conditions.is_listed())
}

/// Whether borrowers who know of an offer see it: it can be taken, or could be if it had no reservation.
pub(crate) fn is_shown(offer: &Offer) -> bool {
    offer.is_open() || (offer.paused.is_empty() && offer.held > Sats::ZERO)
}

/// The offers that name a borrower, as that borrower sees them.
pub(crate) fn offers_for_me(state: &BookState, borrower: UserId) -> Vec<OfferForMe> {
    let shown = state.book.offers_for(borrower).filter(|offer| is_shown(offer));
    shown.map(|offer| offer_for_me(state, offer)).collect()
}

/// The listed offers with conditions that a borrower can take, with one of these inscriptions where their lenders chose
/// some.
pub(crate) fn conditional_offers_for(
    state: &BookState,
    taker: &Taker,
    held: &[(Inscription, Option<i64>)],
    now: UnixMs,
) -> Vec<OfferForMe> {
    state.book.conditional_offers_for(taker, held, now).map(|offer| offer_for_me(state, offer)).collect()
}

/// An offer as its named borrower sees it.
pub(crate) fn offer_for_me(state: &BookState, offer: &Offer) -> OfferForMe {
    let conditions =
        state.book.conditions(offer.id).map(|conditions| Box::new(ConditionsView::for_borrower(conditions)));
    let offer = BookOffer { conditions, ..book_offer(state, offer) };
    let request_id = state.book.request_filled_by(offer.offer_id.0).map(AsString);
    OfferForMe { group_id: AsString(state.book.group().id), request_id, offer }
}

/// A public offer.
pub(crate) fn book_offer(state: &BookState, offer: &Offer) -> BookOffer {
    let group = state.book.group();
    let rate = state.rates.get(&offer.lender).and_then(|rate| rate.percent());
    let terms = state.book.loan_terms(offer);
    let is_token = group.collateral != CollateralType::Inscription;
    BookOffer {
        offer_id: AsString(offer.id),
        external_id: AsString(offer.id),
        lender_id: AsString(offer.lender),
        sub_collection_id: AsString(offer.sub_collection.0),
        process: offer.process.into(),
        principal_amount_sats: offer.principal,
        auto_principal_amount_used_sats: offer.used,
        available_sats: offer.takeable(),
        fungible_amount: (is_token || offer.quantity().raw > 1).then_some(AsString(offer.quantity().raw)),
        available_collateral: is_token.then(|| collateral::raw_for(offer, offer.takeable())),
        is_agreed: offer.is_conditional() && state.book.is_agreed(offer.id),
        is_pegged: offer.is_pegged(),
        ltv_max: offer.max_ltv.map(domain::Ltv::basis_points),
        interest_rate_percentage: terms.map(|terms| terms.interest.into()).unwrap_or_default(),
        loan_term_days: terms.map(|terms| terms.days.0).unwrap_or_default(),
        lender_acceptance_rate: rate.map(|percent| Percent::from_hundredths(i64::from(percent) * 100)),
        good_until: offer.good_until(),
        created_at: offer.created_at,
        updated_at: offer.updated_at,
        conditions: state.book.conditions(offer.id).map(|conditions| Box::new(ConditionsView::public(conditions))),
        state: match offer.is_open() {
            true if offer.is_conditional() => OfferState::Conditional,
            true => OfferState::Live,
            false => OfferState::Reserved,
        },
    }
}

/// A running loan.
pub(crate) fn book_loan(book: &OrderBook, loan: &Loan) -> BookLoan {
    let is_token = book.group().collateral != CollateralType::Inscription;
    BookLoan {
        id: AsString(loan.id),
        sub_collection_id: AsString(loan.sub_collection.0),
        accepted_date: loan.accepted_at,
        principal_amount_sats: loan.principal,
        fungible_amount: (is_token || loan.pledged_raw > 1).then_some(AsString(loan.pledged_raw)),
        lender_id: AsString(loan.lender),
        borrower_id: AsString(loan.borrower),
    }
}

/// Everything public about a book.
pub(crate) fn book_snapshot(state: &BookState, row: Arc<Row>) -> BookSnapshot {
    let book = &state.book;
    let mut offers: Vec<&Offer> = book.offers().filter(|offer| is_public(book, offer)).collect();
    offers.sort_unstable_by_key(|offer| {
        (offer.sub_collection, offer.process, !offer.is_live(), Reverse(offer.quote), offer.id)
    });
    BookSnapshot {
        seq: state.sequence,
        row,
        offers: offers.into_iter().map(|offer| book_offer(state, offer)).collect(),
        loans: book.loans().map(|loan| book_loan(book, loan)).collect(),
    }
}

/// The CRC32C over the tops of all rankings, by which a client detects that its copy of the book diverged.
pub(crate) fn book_crc(book: &OrderBook) -> u32 {
    let mut text = String::new();
    for sub in &book.group().sub_collections {
        for process in [ProcessType::Manual, ProcessType::Instant] {
            for offer in book.ranked(sub.id, process).take(CRC_RANKS) {
                let (principal, available) = (offer.principal.get(), offer.takeable().get());
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{}:{principal}:{available}", offer.id);
            }
        }
    }
    crc32c::crc32c(text.as_bytes())
}
