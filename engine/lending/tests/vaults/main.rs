//! Tests of vaults on the chain: deposits, withdrawals, and crashes in between.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use lending_testkit as kit;

mod deposits;
mod fee_bumps;
mod fixture;
mod offers;
mod opening;
mod random;
mod watch;
mod withdrawals;
