//! Views of a book's state: conversions from the domain's types to the wire's.

mod book_view;
mod borrow_requests;
mod collateral;
mod loans;
mod my_offers;
pub(crate) mod negotiations;
pub(crate) mod offer_notices;
mod quotes_view;
#[cfg(test)]
mod row_oracle;
mod row_view;
mod terms;

pub(crate) use book_view::{
    book_crc, book_loan, book_offer, book_snapshot, conditional_offers_for, is_public, is_shown, offer_for_me,
    offers_for_me,
};
pub(crate) use borrow_requests::ranked_borrow_requests;
pub(crate) use loans::{loan_notice, loan_view};
pub(crate) use my_offers::{OfferFingerprint, my_offer};
pub(crate) use offer_notices::offer_notices;
pub(crate) use row_view::row;
