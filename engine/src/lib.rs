//! The matching engine: one actor per collection group around the pure state machines of the domain.
//!
//! Data flows one way: a command reaches the actor of its group, the domain decides events, the actor applies them,
//! appends them to the [journal](journal) and, once they are durable, answers and tells the [feed](feed). Nothing that
//! was not durable ever leaves: no answer, no read, no frame. A write that fails ends the process, so what was applied
//! and never became durable is forgotten with it.

pub mod clock;
pub mod feed;
pub mod journal;
mod ledger;
mod market;
pub mod market_data;
mod refusal;
mod settings;
mod stats;
mod vault_addresses;
pub mod wire;

pub use ledger::Burn;
pub use market::price_range::PriceRange;
pub use market::{Applied, Market, ReserveRequest, SignedIn};
pub use refusal::{ListingRejection, Refusal, StartError};
pub use settings::{FailStop, Settings};
pub use stats::MarketStats;
pub use vault_addresses::VaultAddresses;
