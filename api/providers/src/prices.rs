//! Prices of collections, runes and BRC-20 tokens on marketplaces. Several marketplaces are also indexers, whose clients
//! are in `indexers`.

mod best_in_slot;
mod ordiscan;
mod quote;
mod satflow;
mod unisat;

use quote::quote;

pub(crate) use satflow::Satflow;
