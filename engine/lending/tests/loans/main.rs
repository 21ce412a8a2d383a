//! Tests of loans from the request to the last confirmation, and of all that can go wrong in between.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use lending_testkit as kit;

mod chain;
mod contradiction;
mod crashes;
mod deadlines;
mod extension;
mod extension_chain;
mod fixture;
mod floor;
mod funding;
mod halted;
mod holds;
mod instant;
mod instant_fixture;
mod instant_runes;
mod loan_cost;
mod lost_money;
mod manual;
mod moved_vaults;
mod negotiated_extension;
mod races;
mod records;
mod refinance;
mod runes;
mod shared_vaults;
mod tokens;
mod vault_keys;
mod waiting;
