//! End-to-end tests of the server on a real Bitcoin Core and ord: loans and vaults over HTTP, from the first request to
//! the last block, and the exit of users without the server.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::too_many_lines,
    unreachable_pub,
    reason = "a test that panics has failed"
)]

#[path = "../server/described.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod described;
#[path = "../server/lender.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod lender;
#[path = "../server/rig.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod rig;

mod claims;
mod fixture;
mod instant_loans;
mod kits;
mod manual_loans;
mod outages;
mod public_upstreams;
mod reorgs;
mod transfer_inscription_loans;
mod users;
mod vault_money;
