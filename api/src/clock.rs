//! The system's clock, read only here.

use std::time::{SystemTime, UNIX_EPOCH};

use domain::UnixMs;

/// Returns the current time in unix milliseconds. A clock set before 1970 reads as 1970.
#[must_use]
pub fn now() -> UnixMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMs(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Returns the current time in unix seconds.
#[must_use]
pub fn now_s() -> u64 {
    now().seconds()
}
