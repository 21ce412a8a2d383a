//! The origination of a loan, from the request to the broadcast.

mod accept;
pub mod countersign;
pub mod funding_coin;
mod instant;
mod lender_coins;
pub mod loan_request;
mod originate;
mod prepare;
mod prepared_loan;
mod repair;
mod requested_collateral;
mod reserve;
mod returned_signatures;
