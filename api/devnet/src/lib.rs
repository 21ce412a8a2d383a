//! The embedded chain and the simulated market that the demo and the tests run on.
//!
//! Everything is drawn from one seed, and the pure parts have no clock: the time is an argument.
//!
//! - [`DemoMarket`] lists invented collections with plausible figures.
//! - [`picture()`] draws them.
//! - [`PriceFeed`] simulates their prices.
//! - [`chain`] is an embedded Bitcoin node with an indexer of inscriptions, runes and BRC-20.
//! - [`run()`] runs simulated users that lend and borrow through the public API and sign with their own wallets.

mod act;
mod amount;
mod api_client;
mod belongings;
mod borrower;
mod borrower_profile;
mod catalogue;
pub mod chain;
mod channel;
mod clock;
mod decision;
mod demo_group;
mod demo_market;
mod desk;
mod feed;
mod founding;
mod lender;
mod limits;
mod loan_fate;
mod loan_wire;
mod market_stats;
mod market_view;
mod motif;
mod operator;
mod own_offer;
mod pace;
mod past;
mod persona;
mod picture;
mod price_feed;
mod price_walk;
mod profile;
mod purse;
mod real;
mod run;
#[cfg(test)]
mod scripted_server;
mod seeded;
mod standing;
mod tally;
mod temper;
mod term_news;
mod throttle;
mod vacancy;
mod wallet_session;
mod wire;

pub use demo_group::DemoGroup;
pub use demo_market::DemoMarket;
pub use founding::FoundingError;
pub use market_stats::MarketStats;
pub use motif::Motif;
pub use operator::{DemoGift, GiveError, Given, Operator};
pub use pace::Pace;
pub use past::{PastEnd, PastLoan};
pub use picture::picture;
pub use price_feed::{PriceFeed, PricePoint, PriceTick};
pub use price_walk::PriceWalk;
pub use run::run;
pub use tally::MarketReport;
pub use temper::{Bustle, Temper};
pub use term_news::TermNews;
