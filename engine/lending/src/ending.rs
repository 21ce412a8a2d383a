//! The end of a running loan: repayment, claim, or a loan that replaces it.

mod claim;
pub mod extend;
pub mod kits;
pub(crate) mod refinance;
pub mod repay;
