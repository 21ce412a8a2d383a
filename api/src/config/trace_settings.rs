//! The settings of traces.

use providers::TraceCollector;
use serde::{Deserialize, Serialize};

/// The largest share of requests that can be traced.
const ALL_PER_THOUSAND: u16 = 1_000;

/// The export of traces to an OpenTelemetry collector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceSettings {
    /// The URL of a collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`; without one there are no
    /// traces.
    pub otlp: Option<String>,
    /// The number of requests that are traced, of a thousand. A `traceparent` from the proxy decides for its request.
    pub requests_per_thousand: u16,
}

/// No traces; with a collector, one request in a hundred.
impl Default for TraceSettings {
    fn default() -> Self {
        Self { otlp: None, requests_per_thousand: 10 }
    }
}

impl TraceSettings {
    /// Returns what a server cannot run with.
    pub fn faults(&self) -> impl Iterator<Item = String> {
        let collector = self.otlp.as_deref().and_then(|url| TraceCollector::new(url).err());
        let collector = collector.map(|error| format!("the setting traces.otlp is not accepted: {error}"));
        let share = self.requests_per_thousand;
        let too_many =
            format!("the setting traces.requests_per_thousand must be at most {ALL_PER_THOUSAND}, not {share}");
        [collector, (share > ALL_PER_THOUSAND).then_some(too_many)].into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_the_url_of_an_http_server_without_credentials() {
        let faults = |otlp: &str, requests_per_thousand| {
            TraceSettings { otlp: Some(otlp.to_owned()), requests_per_thousand }.faults().count()
        };
        assert_eq!((faults("http://collector:4318", 0), faults("https://collector.example", 1_000)), (0, 0));
        for wrong in ["collector:4318", "ftp://collector", "http://user:secret@collector"] {
            assert_eq!(faults(wrong, 10), 1, "{wrong}");
        }
        assert_eq!(faults("", 1_001), 2);
        assert_eq!(TraceSettings::default().faults().count(), 0);
    }
}
