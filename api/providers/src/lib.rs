//! Adapters for the engine's ports, backed by upstream services over HTTP.
//!
//! - [`BitcoinCore`] is a node: it implements [`engine::chain::Chain`] over JSON-RPC.
//! - [`OrdServer`] is an indexer: it implements [`engine::asset_index::AssetIndex`] over ord's JSON API.
//! - [`Turnstile`] distinguishes users from bots: it verifies tokens with Cloudflare.
//! - [`Telegram`] is a bot that sends messages to users and receives their replies.
//! - [`ExplorerChain`] is a chain source made of explorers, for operators without a node.
//! - [`Upstreams`] are public explorers, indexers and marketplaces, each behind the traits of its capabilities
//!   ([`capability`]), tried in order and skipped while their circuit breakers are open ([`fallback`]).
//! - [`AssetIndexers`] use ord, or another indexer in its place, and cross-check collateral with the others.
//!
//! Responses are untrusted: they are bounded in time and size, amounts are parsed exactly, and answers to anything but
//! the request are rejected. Retries are made only where a repetition cannot do harm.

mod acceptance;
mod address_script;
mod asset_indexers;
mod best_in_slot;
mod bitcoin_core;
mod brc20_amount;
mod brc20_quorum;
pub mod capability;
mod decimal;
mod explorer;
mod explorer_chain;
pub mod fallback;
mod http_client;
mod https;
mod ord;
mod ordiscan;
mod price;
mod rune_amount;
mod satflow;
#[cfg(test)]
mod scripted_server;
mod telegram;
#[cfg(test)]
mod test_upstreams;
mod text;
mod turnstile;
mod unisat;
mod upstreams;

pub use asset_indexers::AssetIndexers;
pub use bitcoin_core::{BitcoinCore, Credentials, FeeEstimate};
pub use brc20_quorum::Brc20Quorum;
pub use explorer_chain::ExplorerChain;
pub use http_client::SetupError;
pub use ord::OrdServer;
pub use telegram::{ChatEvent, Telegram, TelegramError, TelegramSetupError, Update};
pub use turnstile::{TOKEN_BYTES_MAX, Turnstile, TurnstileError};
pub use upstreams::{ProviderKind, SelfHosted, UpstreamConfig, UpstreamEnvironment, Upstreams};
