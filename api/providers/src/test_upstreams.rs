//! Upstreams for tests, with short timeouts.

use std::sync::Arc;
use std::time::Duration;

use bitcoin::Network;

use crate::fallback::{BreakerConfig, HeightGuard, RetryPolicy, TimeLimits, UpstreamClient, UpstreamMetrics};
use crate::upstreams::{ProviderKind, UpstreamConfig, UpstreamEnvironment};

const SOON: Duration = Duration::from_millis(500);

/// The shared environment of a test's upstreams.
pub(crate) fn test_environment() -> UpstreamEnvironment {
    let usual = UpstreamEnvironment::new(Network::Regtest, Arc::new(|| 1 << 31), UpstreamMetrics::new().unwrap());
    UpstreamEnvironment {
        guard: HeightGuard { wait: Duration::from_millis(20), ..HeightGuard::default() },
        retry: RetryPolicy { wait_first: Duration::from_millis(5), ..RetryPolicy::DEFAULT },
        breaker: BreakerConfig { open_first_ms: 200, ..BreakerConfig::default() },
        time_limits: TimeLimits { normal: SOON, short: SOON, long: SOON },
        ..usual
    }
}

/// The plan of one upstream.
pub(crate) fn upstream_config(name: &str, kind: ProviderKind, url: &str) -> UpstreamConfig {
    let per_minute = std::num::NonZeroU32::new(60_000).unwrap();
    UpstreamConfig { name: name.to_owned(), kind, url: url.to_owned(), key: None, per_minute }
}

/// A site for direct requests.
pub(crate) fn test_client(url: &str) -> UpstreamClient {
    crate::upstreams::upstream_client(upstream_config("it", ProviderKind::Mempool, url), &test_environment()).unwrap()
}
