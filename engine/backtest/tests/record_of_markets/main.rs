//! Tests of rules on recorded markets.
#![allow(missing_docs, clippy::unwrap_used, unreachable_pub, reason = "a test that panics has failed")]

mod duplicate;
mod hand_computed;
mod record;
