//! The fixtures of end-to-end tests: worlds in which scenarios run (Bitcoin Core and ord on regtest, and the embedded chain),
//! doubles of explorers and indexers, and wallets of test users.
//!
//! It does not depend on the crate `lienbook`. A test that needs a running server adds one from `api/tests`.
#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::unwrap_used,
    reason = "helpers of tests, which stop at the first surprise; their names say what they are"
)]
#![allow(async_fn_in_trait, reason = "scenarios run on one thread")]

pub mod bitcoind;
pub mod custom_transaction;
pub mod embedded_world;
pub mod esplora;
pub mod etcher;
pub mod fake_server;
pub mod inscriber;
pub mod ord_process;
mod process;
pub mod real_world;
pub mod test_wallet;
pub mod tools;
pub mod unisat;
pub mod world;
