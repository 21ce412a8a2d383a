//! The end of a running loan: repayment, claim, or a loan that replaces it.

pub mod claim;
pub mod extend;
pub mod kits;
pub mod refinance;
pub mod repay;
