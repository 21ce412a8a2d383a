//! Tests of vaults on the chain: deposits, withdrawals, and crashes in between.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and prints its figures"
)]

use lending_testkit as kit;

mod deposits;
mod fee_bumps;
mod fixture;
mod moves;
mod offers;
mod opening;
mod random;
mod watch;
mod watch_model;
mod withdrawals;
