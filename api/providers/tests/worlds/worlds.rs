//! The worlds of scenarios, their users and controls, included by each test binary that runs scenarios.

pub(crate) mod bitcoind;
pub(crate) mod by_hand;
pub(crate) mod embedded_world;
pub(crate) mod esplora;
pub(crate) mod etcher;
pub(crate) mod inscriber;
pub(crate) mod ord_process;
pub(crate) mod person;
mod process;
pub(crate) mod real_world;
pub(crate) mod stand;
pub(crate) mod tools;
pub(crate) mod unisat;
pub(crate) mod world;
