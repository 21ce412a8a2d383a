//! The timeouts for answers, and the delays that servers ask for.

use std::time::Duration;

use hyper::header::{HeaderMap, RETRY_AFTER};

/// The usual timeout.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The timeout for the height of the tip.
pub(crate) const TIP_TIME_LIMIT: Duration = Duration::from_secs(5);

/// Returns the `Retry-After` delay, if it is given in seconds.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}
