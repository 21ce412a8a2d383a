//! The environment that all upstreams share.

use std::fmt;
use std::sync::Arc;

use bitcoin::Network;

use super::breaker::BreakerConfig;
use super::height_guard::HeightGuard;
use super::metrics::UpstreamMetrics;
use super::retry::RetryPolicy;
use super::time_limits::TimeLimits;

/// The environment that all upstreams share.
#[derive(Clone)]
pub struct UpstreamEnvironment {
    /// The Bitcoin network.
    pub network: Network,
    /// A source of random numbers for the jitter of retries.
    pub random: Arc<dyn Fn() -> u32 + Send + Sync>,
    /// The metrics of their requests.
    pub metrics: UpstreamMetrics,
    /// The tolerance for their heights.
    pub guard: HeightGuard,
    pub(crate) retry: RetryPolicy,
    pub(crate) breaker: BreakerConfig,
    pub(crate) time_limits: TimeLimits,
}

impl fmt::Debug for UpstreamEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamEnvironment").field("network", &self.network).finish_non_exhaustive()
    }
}

impl UpstreamEnvironment {
    /// Creates the environment with the default timeouts, retries and breaker limits.
    #[must_use]
    pub fn new(network: Network, random: Arc<dyn Fn() -> u32 + Send + Sync>, metrics: UpstreamMetrics) -> Self {
        let (retry, breaker, time_limits) = (RetryPolicy::DEFAULT, BreakerConfig::default(), TimeLimits::default());
        Self { network, random, metrics, guard: HeightGuard::default(), retry, breaker, time_limits }
    }
}
