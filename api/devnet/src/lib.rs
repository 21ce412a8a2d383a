//! The embedded market that the demo and the tests run on.
//!
//! Everything is drawn from one seed, and the pure parts have no clock: time is passed in.
//!
//! - [`DemoMarket`] lists invented collections with plausible figures.
//! - [`picture()`] draws them.
//! - [`PriceFeed`] moves their prices.

mod act;
mod amount;
mod catalogue;
mod decision;
mod demo_group;
mod demo_market;
mod limits;
mod market_stats;
mod motif;
mod own_offer;
mod pace;
mod persona;
mod picture;
mod price_feed;
mod price_walk;
mod profile;
mod real;
mod seeded;
mod standing;
mod temper;

pub use demo_group::DemoGroup;
pub use demo_market::DemoMarket;
pub use market_stats::MarketStats;
pub use motif::Motif;
pub use pace::Pace;
pub use picture::picture;
pub use price_feed::{PriceFeed, PricePoint, PriceTick};
pub use price_walk::PriceWalk;
pub use temper::{Bustle, Temper};
