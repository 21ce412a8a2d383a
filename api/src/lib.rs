//! The Lienbook server: configuration, wiring, HTTP, feed, sessions, and the web app in one binary.
//!
//! ```text
//! cli -> config -> server -> { routes, feed, operator, demo } -> engine -> journal
//!                            { routes } -> lending -> { node, signer_handle }
//! ```
//!
//! Invariants:
//! - A handler's authorization is in its argument types; a handler without such an argument is public.
//! - A signed message is compared field by field with the request it came with, and its nonce is consumed with the
//!   event.
//! - Every refusal has a code from one table, and everything that a client can make grow has a limit.
//! - Credits enter a vault only through the operator's Unix socket, which is never a TCP port.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::too_many_lines, reason = "a test that panics has failed"))]

pub mod app;
pub mod asyncapi;
pub mod binary_hash;
pub mod bot_check;
pub mod cli;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod delivery;
#[cfg(feature = "demo")]
pub mod demo;
#[cfg(not(feature = "demo"))]
#[path = "no_demo.rs"]
pub mod demo;
pub mod email_address;
pub mod exports;
pub mod extract;
pub mod failure;
pub mod feed;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod http;
pub mod journal;
pub mod live_ports;
mod market_setup;
pub mod metrics;
pub mod middleware;
pub mod node;
mod number;
pub mod offer_reconciliation;
pub mod offers;
pub mod openapi;
pub mod operator;
#[cfg(feature = "demo")]
pub mod outage;
pub mod pages;
mod plain_document;
pub mod prices;
pub mod program_log;
pub mod progress;
pub mod public_log;
pub mod routes;
pub mod server;
pub mod session;
pub mod share;
pub mod signer_handle;
pub mod sockets;
pub mod source;
pub mod traces;
pub mod trading;
pub mod upstreams;
pub mod vault_scripts;
pub mod web_app;
pub mod web_files;
