//! The state of the quota that a request was counted against, for the header fields of its answer.

use std::cell::Cell;
use std::rc::Rc;

use actix_web::http::header::HeaderValue;
use actix_web::{HttpMessage as _, HttpRequest};

/// A quota after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaState {
    /// The number of requests per window.
    pub size: u32,
    /// The window, in milliseconds.
    pub window_ms: u64,
    /// The number of requests that are left.
    pub remaining: u32,
    /// The time after which the whole quota is available again, in milliseconds.
    pub full_after_ms: u64,
}

/// The quota of one request, shared by its extractors and the middleware that writes the header fields.
#[derive(Clone, Debug, Default)]
pub struct QuotaReport(Rc<Cell<Option<(&'static str, QuotaState)>>>);

impl QuotaReport {
    /// Returns the report of a request.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Self {
        if let Some(report) = request.extensions().get::<Self>() {
            return report.clone();
        }
        let report = Self::default();
        request.extensions_mut().insert(report.clone());
        report
    }

    /// Records the quota of this name. The one that has the fewest requests left stays.
    pub fn record(&self, name: &'static str, state: QuotaState) {
        let is_scarcer = self.0.get().is_none_or(|(_, known)| state.remaining <= known.remaining);
        if is_scarcer {
            self.0.set(Some((name, state)));
        }
    }

    /// Returns the values of `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11); `None` if the
    /// request was not counted.
    #[must_use]
    pub fn fields(&self) -> Option<(HeaderValue, HeaderValue)> {
        let (name, QuotaState { size, window_ms, remaining, full_after_ms }) = self.0.get()?;
        let (window_s, full_after_s) = (window_ms.div_ceil(1_000), full_after_ms.div_ceil(1_000));
        let policy = HeaderValue::from_str(&format!("\"{name}\";q={size};w={window_s}")).ok()?;
        let left = HeaderValue::from_str(&format!("\"{name}\";r={remaining};t={full_after_s}")).ok()?;
        Some((policy, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scarcest_quota_is_reported_in_whole_seconds() {
        let report = QuotaReport::default();
        assert_eq!(report.fields(), None);
        let state = QuotaState { size: 600, window_ms: 60_000, remaining: 20, full_after_ms: 58_001 };
        report.record("writes", state);
        report.record("reads", QuotaState { remaining: 21, ..state });
        let (policy, left) = report.fields().unwrap();
        assert_eq!((policy, left).0, "\"writes\";q=600;w=60");
        assert_eq!(report.fields().unwrap().1, "\"writes\";r=20;t=59");
    }
}
