//! Test fixtures of the loan service: a chain, a market on an in-memory journal, a signer, and users with wallets.

#[path = "../../../tests/market/fake_journal.rs"]
pub(crate) mod fake_journal;
pub(crate) mod groups;
pub(crate) mod people;
pub(crate) mod ports;
pub(crate) mod signing;
pub(crate) mod world;
