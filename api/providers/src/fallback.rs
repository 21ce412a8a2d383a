//! Fallback between upstreams: tried in order, each with its own timeouts, rate limit and circuit breaker.
//!
//! Decisions are made by pure state machines that are given the time and random numbers ([`RetryPolicy`], [`Breaker`],
//! [`RateLimiter`], [`HeightGuard`]); [`Site`] and [`Lineup`] carry them out.

mod breaker;
mod fallback_list;
mod health;
mod height_guard;
mod metrics;
mod pages;
mod rate_limiter;
mod retry;
mod stats;
#[cfg(test)]
mod tests;
mod upstream_client;
mod upstream_error;

pub use breaker::{Breaker, BreakerConfig, BreakerState};
pub use fallback_list::{AllUpstreamsFailed, DescriptionResult, FallbackList};
pub(crate) use health::Health;
pub use height_guard::{HeightCheck, HeightGuard};
pub use metrics::UpstreamMetrics;
pub(crate) use pages::{BATCH, fetch_all_pages};
pub use rate_limiter::RateLimiter;
pub use retry::{AttemptFailure, RetryPolicy};
pub use stats::UpstreamStats;
pub(crate) use upstream_client::{ApiKey, TimeLimits, UpstreamClient, UpstreamClientConfig};
pub use upstream_error::UpstreamError;
