//! Fallback between upstreams: tried in order, each with its own timeouts, rate limit and circuit breaker.
//!
//! Decisions are made by pure state machines that are given the time and random numbers ([`RetryPolicy`], [`Breaker`],
//! [`RateLimiter`], [`HeightGuard`]); [`Site`] and [`Lineup`] carry them out.

mod breaker;
mod figures;
mod health;
mod height_guard;
mod lineup;
mod meters;
mod pace;
mod pages;
mod retry;
mod site;
#[cfg(test)]
mod tests;
mod trouble;

pub use breaker::{Breaker, BreakerRules, Reading};
pub use figures::UpstreamFigures;
pub(crate) use health::Health;
pub use height_guard::{HeightGuard, Verdict};
pub use lineup::{Described, Lineup, NoneLeft};
pub use meters::Meters;
pub use pace::Pace;
pub(crate) use pages::{BATCH, each_page};
pub use retry::{RetryPolicy, Setback};
pub(crate) use site::{Key, Site, SitePlan, TimeLimits};
pub use trouble::Trouble;
