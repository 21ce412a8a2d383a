//! The simulated market that the demo and the tests run on.
//!
//! Everything is drawn from one seed, and the pure parts have no clock: the time is an argument.
//!
//! - [`DemoMarket`] lists invented collections with plausible figures.
//! - [`picture()`] draws them.
//! - [`PriceFeed`] simulates their prices.
//! - [`run()`] runs simulated users that lend and borrow through the public API and sign with their own wallets.

mod action_counters;
mod amount;
mod api_client;
mod borrow_request;
mod borrower;
mod borrower_profile;
mod catalogue;
mod chain_setup;
mod channel;
mod clock;
mod decision;
mod demo_group;
mod demo_market;
mod feed;
mod float_conversion;
mod funding;
mod holdings;
mod lender;
mod lender_client;
mod limits;
mod loan_decisions;
mod loan_wire;
mod market_stats;
mod market_traits;
mod market_view;
mod motif;
mod negotiation;
mod offer_action;
mod operator;
mod own_offer;
mod pace;
mod past_loans;
mod persona;
mod picture;
mod price_feed;
mod price_walk;
mod profile;
mod public_book;
mod run;
#[cfg(test)]
mod scripted_server;
mod seeded;
mod term_announcement;
mod throttle;
mod vacancy;
mod wallet_session;
mod wire;

pub use action_counters::MarketReport;
pub use chain_setup::ChainSetupError;
pub use demo_group::DemoGroup;
pub use demo_market::DemoMarket;
pub use market_stats::MarketStats;
pub use market_traits::{Activity, Volatility};
pub use motif::Motif;
pub use operator::{DemoGift, GiveError, Given, Operator};
pub use pace::Pace;
pub use past_loans::{PastLoan, PastOutcome};
pub use picture::picture;
pub use price_feed::{PriceFeed, PricePoint, PriceTick};
pub use price_walk::PriceWalk;
pub use run::run;
pub use term_announcement::TermAnnouncement;
