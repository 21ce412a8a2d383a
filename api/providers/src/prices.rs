//! Prices of collections, runes and BRC-20 tokens.

mod quote;
mod satflow;

pub(crate) use quote::quote;
pub(crate) use satflow::Satflow;
