//! Prices out of marketplaces: asked for in rounds, judged, and only then news of the market.

pub mod board;
pub mod judge;
mod watch;

pub use watch::PriceWatch;
