//! The records of a loan in the journal, and the conversions they are built with.

pub mod contract;
pub mod contract_record;
pub mod loan_charges;
pub mod outpoint;
pub mod party;
pub mod running_record;
