//! Tests of the client and its examples against a server in this process, and against scripted ones.
#![allow(missing_docs, clippy::unwrap_used, unreachable_pub, reason = "a test that panics has failed")]

mod examples;
mod feed;
mod market;
mod proxy;
mod requests;
mod scripted_feed;
mod scripted_http;
