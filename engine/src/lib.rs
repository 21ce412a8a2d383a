//! The matching engine: one actor per collection group around the pure state machines of the domain.
//!
//! Data flows one way: a command reaches the actor of its group, the domain decides events, the actor applies them,
//! appends them to the [`journal`] and, once they are durable, answers the caller and publishes to the [`feed`].
//! Nothing leaves before it is durable: no answer, no read, no frame. A failed write ends the process (fail-stop), so
//! events that were applied and never became durable are lost with it.
//!
//! External services are reached through ports: [`chain`] is a Bitcoin node, [`asset_index`] an indexer of
//! inscriptions, runes and BRC-20, [`coin_index`] an indexer of addresses, [`market_data`] the marketplaces, [`clock`]
//! the time.

pub mod asset_index;
mod book_actor;
mod book_state;
pub mod chain;
pub mod clock;
pub mod coin_index;
pub mod command_trace;
mod commit_waiter;
mod directory;
mod dirty_users;
pub mod duration_histogram;
mod ephemeral_notices;
pub mod feed;
mod held_offers;
pub mod journal;
mod ledger;
mod lent_volume;
pub mod locks;
mod market;
pub mod market_data;
mod offer_notice_times;
mod presence;
mod price_history;
mod price_range;
mod refinance_notices;
mod refusal;
mod settings;
mod shared;
mod stats;
pub mod touched_books;
mod vault_addresses;
mod view;
pub mod wire;

pub use ledger::{DueMessage, LoanCursor, LoanList, NonceUse};
pub use market::{
    Applied, CountedQuote, LoanFigures, LoanFilter, Market, MarketFigures, MoneyFigures, OutboxFigures, Page,
    RemovedData, ReplayFrom, ReserveRequest, SignedIn, SignedLoan,
};
pub use price_range::PriceRange;
pub use refusal::{ListingRejection, Refusal, StartError};
pub use settings::{FailStop, Settings};
pub use stats::MarketStats;
pub use vault_addresses::VaultAddresses;
