//! The journal on PostgreSQL where it differs from the one on sled: the fence, the lease, followers, and servers that
//! stop, die and are replaced.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that panics has failed, and prints its figures")]

mod damaged_rows;
mod encryption;
mod failing_servers;
mod fence;
mod follower;
#[path = "../support/form.rs"]
#[allow(dead_code, reason = "shared with the tests of both forms")]
mod form;
mod lease;
mod load;
mod monitor;
mod newer_writer;
#[path = "../support/numbered.rs"]
mod numbered;
mod settings;
mod sql_session;
mod takeover_model;
