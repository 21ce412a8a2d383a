//! Parsing of answers: text, and amounts from their digits. An answer that is not exactly of the expected form is
//! refused.

pub(crate) mod address_script;
pub(crate) mod brc20_amount;
pub(crate) mod decimal;
pub(crate) mod rune_amount;
pub(crate) mod text;
