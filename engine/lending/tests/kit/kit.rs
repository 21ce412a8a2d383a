//! What tests of the desk play on: a chain, a market on a journal in memory, a signer, and people with wallets.

#[path = "../../../tests/market/fake_journal.rs"]
pub(crate) mod fake_journal;
pub(crate) mod groups;
pub(crate) mod people;
pub(crate) mod ports;
pub(crate) mod signing;
pub(crate) mod world;
