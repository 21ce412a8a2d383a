//! Tests of the market through its handle, on a journal whose durability the tests control.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise and prints its seed")]

mod acceptance;
mod accounts;
mod actions;
mod api_keys;
mod backtests;
mod borrow_requests;
mod contacts;
mod durability;
mod extensions;
#[allow(unreachable_pub, reason = "a crate of test fixtures includes this file too")]
mod fake_journal;
mod feed;
mod feed_client;
mod fixture;
mod follower;
mod followers;
mod halts;
mod holds;
mod lending_limits;
mod loans;
mod messages;
mod my_loans;
mod negotiations;
mod notices;
mod orders;
mod overload;
mod pegs;
mod personal_data;
mod random_loans;
mod random_market;
mod refinances;
mod reservations;
mod restart;
mod timers;
mod two_sided_races;
mod vault_loans_model;
mod vaults;
mod webhooks;
