//! End-to-end tests of the program as its operator uses it: the binary, its flags, its one-line errors, and `kill -9`.
#![allow(missing_docs, clippy::unwrap_used, unreachable_pub, reason = "a test that panics has failed")]

mod alerts;
mod backtest;
mod backups;
mod build;
mod cluster;
mod cluster_load;
mod cluster_operation;
mod cluster_rig;
mod cluster_trading;
mod crash;
mod demo;
mod earlier_version;
mod export_targets;
mod failures;
mod integrating;
mod journal_copies;
mod journal_places;
mod log;
mod messages;
mod newer_writer;
mod operator;
mod process;
mod scrapes;
mod service_manager;
mod signer;
mod trace_collector;
mod traces;
mod vaults;
