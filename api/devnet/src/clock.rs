//! The machine's clock, for those parts that talk to a server. The pure parts are told the time.

use std::time::{SystemTime, UNIX_EPOCH};

use domain::UnixMs;

/// Now.
pub(crate) fn now() -> UnixMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMs(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
