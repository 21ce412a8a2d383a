//! What the engine asks of the world, answered by upstreams over HTTP.
//!
//! - [`BitcoinCore`] is a node: it implements [`engine::chain::Chain`] over JSON-RPC.
//! - [`OrdServer`] is an indexer: it implements [`engine::asset_index::AssetIndex`] over ord's JSON API.
//! - [`Turnstile`] tells people from programs: it asks Cloudflare about a token.
//! - [`Telegram`] is a bot, by which people are told of something and answer.
//! - [`ExplorerChain`] is a node made of explorers, for those who run none.
//! - [`Upstreams`] are public explorers, indexers and marketplaces, each behind the traits of what it can be asked
//!   ([`capability`]), tried in order and left alone while they fail ([`fallback`]).
//! - [`AssetIndexers`] believe ord, or another of their kind in its place, and have what is pledged looked at again.
//!
//! Every byte of an answer is hostile until proved otherwise: answers are bounded in time and size, amounts are read
//! exactly, and what was not asked for is not taken. Nothing but [`Upstreams`] tries again: whoever asks knows whether
//! that helps.

mod acceptance;
mod address_script;
mod asset_indexers;
mod best_in_slot;
mod bitcoin_core;
mod brc20_amount;
mod brc20_council;
pub mod capability;
mod exact;
mod explorer;
mod explorer_chain;
pub mod fallback;
mod https;
mod ord;
mod ordiscan;
mod price;
mod rune_amount;
mod satflow;
#[cfg(test)]
mod scripted_server;
mod telegram;
mod text;
mod turnstile;
mod unisat;
mod upstream;
#[cfg(test)]
mod upstream_tests;
mod upstreams;

pub use asset_indexers::AssetIndexers;
pub use bitcoin_core::{BitcoinCore, Credentials, FeeEstimate};
pub use brc20_council::Brc20Council;
pub use explorer_chain::ExplorerChain;
pub use ord::OrdServer;
pub use telegram::{ChatNews, Telegram, TelegramError, TelegramSetupError, Update};
pub use turnstile::{TOKEN_BYTES_MAX, Turnstile, TurnstileError};
pub use upstream::SetupError;
pub use upstreams::{Kind, OwnPrograms, Surroundings, UpstreamPlan, Upstreams};
