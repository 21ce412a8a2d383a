//! Clients for tests, with short timeouts.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bitcoin::Network;

use super::breaker::BreakerConfig;
use super::environment::UpstreamEnvironment;
use super::height_guard::HeightGuard;
use super::metrics::UpstreamMetrics;
use super::retry::RetryPolicy;
use super::time_limits::TimeLimits;
use super::upstream_client::{UpstreamClient, UpstreamClientConfig};

const SOON: Duration = Duration::from_secs(2);

/// The shared environment of a test's upstreams.
pub(crate) fn test_environment() -> UpstreamEnvironment {
    let usual = UpstreamEnvironment::new(Network::Regtest, Arc::new(|| 1 << 31), UpstreamMetrics::new().unwrap());
    UpstreamEnvironment {
        guard: HeightGuard { wait: Duration::from_millis(20), ..HeightGuard::default() },
        retry: RetryPolicy { wait_first: Duration::from_millis(5), ..RetryPolicy::DEFAULT },
        breaker: BreakerConfig { open_first_ms: 1_000, ..BreakerConfig::default() },
        time_limits: TimeLimits { normal: SOON, short: SOON, long: SOON },
        ..usual
    }
}

/// A client of the server at `url`, for direct requests.
pub(crate) fn test_client(url: &str) -> UpstreamClient {
    let per_minute = NonZeroU32::new(60_000).unwrap();
    let config = UpstreamClientConfig { name: "it".to_owned(), url: url.to_owned(), key: None, per_minute };
    UpstreamClient::new(config, &test_environment()).unwrap()
}
