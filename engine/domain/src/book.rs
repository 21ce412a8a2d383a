//! The order book of one collection group.

mod command;
mod event;
mod order_book;
mod rejection;

pub use command::{Command, OfferDraft};
pub use event::{BookEvent, CancelReason, LoanEnd, ReleaseReason, Reservation, TermChange};
pub use order_book::{Loan, OrderBook};
pub use rejection::Rejection;
