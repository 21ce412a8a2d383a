//! Adapters for the engine's ports, backed by upstream services over HTTP.
//!
//! - [`BitcoinCore`] is a node: it implements [`engine::chain::Chain`] over JSON-RPC.
//! - [`OrdServer`] is an indexer: it implements [`engine::asset_index::AssetIndex`] over ord's JSON API.
//! - [`Turnstile`] distinguishes users from bots: it verifies tokens with Cloudflare.
//! - [`Telegram`] is a bot that sends messages to users and receives their replies.
//! - [`TimestampCalendar`] promises that a digest will be in a block of Bitcoin.
//! - [`CallbackClient`] calls the URLs that users give, on the public Internet alone.
//! - [`ExplorerChain`] is a chain source made of explorers, for operators without a node.
//! - [`Upstreams`] are public explorers, indexers and marketplaces, each behind the traits of its capabilities
//!   ([`capability`]), tried in order and skipped while their circuit breakers are open ([`resilience`]).
//! - [`AssetIndexers`] use ord, or another indexer in its place, and cross-check collateral with the others.
//!
//! The modules, each above those it uses: `upstreams` (the configured services, by capability); `cross_check` (indexers
//! that must agree) and `prices` (of marketplaces); `chain` (node and explorers) and `indexers` (clients);
//! [`resilience`] (retries, circuit breakers, fallback); [`capability`] (what upstreams can be asked); `http` and
//! `parsing`. `callback`, `telegram`, `timestamp_calendar` and `turnstile` use only the last two.
//!
//! Responses are untrusted: they are bounded in time and size, amounts are parsed exactly, and answers to anything but
//! the request are rejected. Retries are made only where a repetition cannot do harm.

mod callback;
pub mod capability;
mod chain;
mod cross_check;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod http;
mod indexers;
mod parsing;
mod prices;
pub mod resilience;
mod telegram;
mod timestamp_calendar;
mod trace_collector;
mod turnstile;
mod upstreams;

pub use callback::{
    AddressPolicy, CALLBACK_URL_LENGTH_MAX, CallbackAnswer, CallbackClient, CallbackError, CallbackUrl,
    CallbackUrlError, EXCERPT_BYTES_MAX,
};
pub use chain::{BitcoinCore, Credentials, ExplorerChain, FeeEstimate};
pub use cross_check::{AssetIndexers, Brc20Quorum};
pub use http::SetupError;
pub use indexers::OrdServer;
pub use resilience::UpstreamEnvironment;
pub use telegram::{ChatEvent, Telegram, TelegramError, TelegramSetupError, Update};
pub use timestamp_calendar::{CalendarError, TimestampCalendar};
pub use trace_collector::TraceCollector;
pub use turnstile::{TOKEN_BYTES_MAX, Turnstile, TurnstileError};
pub use upstreams::{ProviderKind, SelfHosted, UpstreamConfig, Upstreams};
