//! The origination of a loan, from the request to the broadcast.

pub mod accept;
pub mod countersign;
pub mod funding_coin;
pub mod instant;
pub mod loan_request;
pub mod prepare;
