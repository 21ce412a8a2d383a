//! The order book of one collection group.

mod event;

pub use event::{BookEvent, CancelReason, LoanEnd, ReleaseReason, Reservation, TermChange};
