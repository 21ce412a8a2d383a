//! Prices from marketplaces: requested in rounds, judged, and only then passed to the market.

pub mod board;
pub mod judge;
mod watch;

pub use watch::PriceWatch;
