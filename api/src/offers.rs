//! The rules of offers that HTTP and the trading connection share.

pub mod asked_conditions;
pub mod delegated_text;
pub mod manual_offer;
pub mod own_offer;
