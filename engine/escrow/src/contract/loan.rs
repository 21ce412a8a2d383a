//! The loan, from its origination to its end.
//!
//! - [`loan_escrow`] is the output that holds the collateral; [`collateral_flow`] checks that the collateral ends where
//!   the loans require it.
//! - [`collateral`] is the borrower's contribution, [`funding`] the lender's.
//! - [`origination`] starts a loan, with fixed [`origination_outputs`]; for BRC-20 a [`reveal`] follows.
//! - [`running_loan`] is a loan that has begun, [`repay_keys`] are the keys that pre-sign its repayment.
//! - [`payout_signatures`] are the pre-signatures with which the borrower repays alone, a [`payout_signature_pair`] of
//!   each key; [`payout_request`] asks the lender's wallet for them, [`repayable_loan`] is a loan with them.
//! - [`repayment`] and [`claim`] end a loan; [`refinance`] and [`extension`] replace it by another, with an
//!   [`escrow_move`].

pub mod claim;
pub mod collateral;
pub mod collateral_flow;
pub mod escrow_move;
pub mod extension;
pub mod funding;
pub mod loan_escrow;
pub mod origination;
pub mod origination_outputs;
pub mod payout_request;
pub mod payout_signature_pair;
pub mod payout_signatures;
pub mod refinance;
pub mod repay_keys;
pub mod repayable_loan;
pub mod repayment;
pub mod reveal;
pub mod running_loan;
