//! The order book of one collection group.

mod apply;
mod apply_pegs;
mod apply_reservations;
mod borrow_requests;
mod command;
mod conditional_offers;
mod decide;
mod decide_negotiation;
mod decide_request;
mod decide_reservation;
mod decide_terms;
mod event;
mod lender_offers;
mod negotiations;
mod offer_rules;
mod offer_store;
mod order_book;
mod ordered_index;
mod pegs;
mod refinances;
mod rejection;
mod takeable_offers;
mod totals;

pub use command::{Command, OfferDraft};
pub use event::{BookEvent, CancelReason, Events, LoanEnd, ReleaseReason, Reservation, TermChange};
pub use negotiations::ChangedNegotiation;
pub use order_book::{EffectiveChange, Loan, OrderBook, ranks_before};
pub use refinances::{RefinanceMatch, RefinanceQuestion};
pub use rejection::Rejection;
