//! Watches that follow the chain: over loans, and over the coins behind manual offers.

pub mod funding_watch;
pub mod loan_watch;
