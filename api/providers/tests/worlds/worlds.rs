//! The worlds of scenarios, their users and controls, included by each test binary that runs scenarios.

pub(crate) mod bitcoind;
pub(crate) mod custom_transaction;
pub(crate) mod embedded_world;
pub(crate) mod esplora;
pub(crate) mod etcher;
pub(crate) mod fake_server;
pub(crate) mod inscriber;
pub(crate) mod ord_process;
mod process;
pub(crate) mod real_world;
pub(crate) mod test_wallet;
pub(crate) mod tools;
pub(crate) mod unisat;
pub(crate) mod world;
