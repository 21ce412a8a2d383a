//! The rig of the loan service's tests: a chain, a market on an in-memory journal, a signer, and users with wallets.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test stops at the first surprise")]
#![allow(clippy::must_use_candidate, clippy::return_self_not_must_use, reason = "tests use what they ask for")]

#[path = "../../../tests/market/fake_journal.rs"]
pub mod fake_journal;
pub mod faults;
pub mod groups;
pub mod people;
pub mod ports;
pub mod randomness;
pub mod signing;
pub mod spending;
pub mod world;
