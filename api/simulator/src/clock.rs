//! The system clock, for the parts that talk to a server. The pure parts take the time as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use domain::UnixMs;

/// Returns the current time.
pub(crate) fn now() -> UnixMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMs(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
