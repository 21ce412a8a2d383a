//! Upstreams for tests, with short timeouts.

use std::sync::Arc;
use std::time::Duration;

use bitcoin::Network;

use crate::fallback::{BreakerRules, HeightGuard, Meters, RetryPolicy, Site, TimeLimits};
use crate::upstreams::{Kind, Surroundings, UpstreamPlan};

const SOON: Duration = Duration::from_millis(500);

/// The shared environment of a test's upstreams.
pub(crate) fn around() -> Surroundings {
    let usual = Surroundings::new(Network::Regtest, Arc::new(|| 1 << 31), Meters::new().unwrap());
    Surroundings {
        guard: HeightGuard { wait: Duration::from_millis(20), ..HeightGuard::default() },
        retry: RetryPolicy { wait_first: Duration::from_millis(5), ..RetryPolicy::USUAL },
        rest: BreakerRules { rest_first_ms: 200, ..BreakerRules::default() },
        time_limits: TimeLimits { usual: SOON, short: SOON, long: SOON },
        ..usual
    }
}

/// The plan of one upstream.
pub(crate) fn plan(name: &str, kind: Kind, url: &str) -> UpstreamPlan {
    let per_minute = std::num::NonZeroU32::new(60_000).unwrap();
    UpstreamPlan { name: name.to_owned(), kind, url: url.to_owned(), key: None, per_minute }
}

/// A site for direct requests.
pub(crate) fn site(url: &str) -> Site {
    crate::upstreams::site(plan("it", Kind::Mempool, url), &around()).unwrap()
}
