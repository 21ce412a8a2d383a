//! What the engine asks of the world, answered by upstreams over HTTP.
//!
//! - [`BitcoinCore`] is a node: it implements [`engine::chain::Chain`] over JSON-RPC.
//! - [`OrdServer`] is an indexer: it implements [`engine::asset_index::AssetIndex`] over ord's JSON API.
//! - [`Turnstile`] tells people from programs: it asks Cloudflare about a token, and is all that leaves by TLS.
//!
//! Every byte of an answer is hostile until proved otherwise: answers are bounded in time and size, amounts are read
//! exactly, and what was not asked for is not taken. Nothing here tries again: whoever asks knows whether that helps.

mod bitcoin_core;
mod https;
mod ord;
#[cfg(test)]
mod scripted_server;
mod text;
mod turnstile;
mod upstream;

pub use bitcoin_core::{BitcoinCore, Credentials};
pub use ord::OrdServer;
pub use turnstile::{Turnstile, TurnstileError};
pub use upstream::SetupError;
