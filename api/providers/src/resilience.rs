//! Resilience against upstreams that fail: they are tried in order, each with its own timeouts, rate limit, retries and
//! circuit breaker.
//!
//! Decisions are made by pure state machines that are given the time and random numbers ([`RetryPolicy`], [`Breaker`],
//! [`RateLimiter`], [`HeightGuard`]); [`FallbackList`] and the clients carry them out.

mod breaker;
mod environment;
mod fallback_list;
mod health;
mod height_guard;
mod metrics;
mod pages;
mod rate_limiter;
mod retry;
mod self_hosted_client;
mod stats;
#[cfg(test)]
pub(crate) mod test_client;
#[cfg(test)]
mod tests;
mod time_limits;
mod upstream_client;

pub use breaker::{Breaker, BreakerConfig, BreakerState};
pub use environment::UpstreamEnvironment;
pub use fallback_list::{AllUpstreamsFailed, DescriptionResult, FallbackList};
pub use height_guard::{HeightCheck, HeightGuard};
pub use metrics::UpstreamMetrics;
pub(crate) use pages::{BATCH, fetch_all_pages};
pub use rate_limiter::RateLimiter;
pub use retry::{AttemptFailure, RetryPolicy};
pub(crate) use self_hosted_client::SelfHostedClient;
pub use stats::UpstreamStats;
pub(crate) use upstream_client::{ApiKey, UpstreamClient, UpstreamClientConfig};
