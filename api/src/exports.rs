//! Files for other programs and for people: a user's loans and their terms, and feeds of collections.

pub mod atom;
pub mod calendar;
pub mod collateral_text;
pub mod csv;
pub mod heads_feed;
pub mod loan_terms;
