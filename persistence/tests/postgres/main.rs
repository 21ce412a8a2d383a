//! The journal on PostgreSQL where it differs from the one on sled: the fence, the lease, followers, and servers that
//! stop, die and are replaced.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

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
