//! The server's metrics.

use std::time::Duration;

use domain::OutboxEvent;
use engine::{Market, MarketStats};
use persistence::JournalStats;
use prometheus::{Encoder as _, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TextEncoder};
use providers::resilience::{UpstreamMetrics, UpstreamStats};

use crate::failure::Failure;

/// The counters of requests and sockets. The market and the journal have counters of their own, which are read with the
/// page.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    /// Open sockets.
    pub sockets: IntGauge,
    /// Sockets that the server closed, by reason.
    pub sockets_closed: IntCounterVec,
    messages: IntCounterVec,
    upstreams: UpstreamMetrics,
}

impl Metrics {
    /// Builds new counters, together with those of the upstream services.
    ///
    /// # Errors
    /// Fails if two counters have the same name, which is a bug.
    pub fn new(upstreams: UpstreamMetrics) -> Result<Self, Failure> {
        let labels = &["method", "resource", "status"];
        let requests = IntCounterVec::new(Opts::new("lienbook_http_requests_total", "Requests answered."), labels);
        let buckets = vec![0.000_25, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];
        let options = HistogramOpts::new("lienbook_http_request_seconds", "Time to answer.").buckets(buckets);
        let durations = HistogramVec::new(options, &["method", "resource"]);
        let sockets = IntGauge::new("lienbook_feed_sockets", "Open sockets of the feed.");
        let closed = Opts::new("lienbook_feed_sockets_closed_total", "Sockets that the server closed, by reason.");
        let sockets_closed = IntCounterVec::new(closed, &["reason"]);
        let help = "Delivery attempts of messages to users, by channel and outcome.";
        let messages = IntCounterVec::new(Opts::new("lienbook_messages_total", help), &["channel", "outcome"]);
        let metrics = Self {
            registry: Registry::new(),
            requests: requests.map_err(Failure::new)?,
            durations: durations.map_err(Failure::new)?,
            sockets: sockets.map_err(Failure::new)?,
            sockets_closed: sockets_closed.map_err(Failure::new)?,
            messages: messages.map_err(Failure::new)?,
            upstreams,
        };
        let own: [Box<dyn prometheus::core::Collector>; 5] = [
            Box::new(metrics.requests.clone()),
            Box::new(metrics.durations.clone()),
            Box::new(metrics.sockets.clone()),
            Box::new(metrics.sockets_closed.clone()),
            Box::new(metrics.messages.clone()),
        ];
        for collector in own.into_iter().chain(metrics.upstreams.collectors()) {
            metrics.registry.register(collector).map_err(Failure::new)?;
        }
        Ok(metrics)
    }

    /// Returns the figures of the upstream services.
    #[must_use]
    pub fn upstreams(&self) -> Vec<UpstreamStats> {
        self.upstreams.stats()
    }

    /// Counts a request. `resource` is the pattern of the route, not the path, so that clients cannot create new
    /// series.
    pub fn observe_request(&self, method: &str, resource: &str, status: u16, took: Duration) {
        let method = match method {
            "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "HEAD" | "OPTIONS" => method,
            _ => "other",
        };
        self.requests.with_label_values(&[method, resource, &status.to_string()]).inc();
        self.durations.with_label_values(&[method, resource]).observe(took.as_secs_f64());
    }

    /// Counts the delivery of a message, by its recorded result.
    pub fn count_message(&self, channel: &str, settled: Option<&OutboxEvent>) {
        let outcome = match settled {
            Some(OutboxEvent::Delivered { .. }) => "sent",
            Some(OutboxEvent::GivenUp { .. }) => "failed",
            _ => "postponed",
        };
        self.messages.with_label_values(&[channel, outcome]).inc();
    }

    /// Returns the page in the text format of Prometheus.
    ///
    /// # Errors
    /// Fails if the page cannot be encoded.
    pub fn page(&self, market: &Market, journal: &JournalStats) -> Result<Vec<u8>, Failure> {
        let mut page = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut page).map_err(Failure::new)?;
        page.extend_from_slice(market_page(market.stats()).as_bytes());
        let waiting = u64::try_from(market.waiting_messages()).unwrap_or(u64::MAX);
        page.extend_from_slice(
            gauge("messages_waiting", "Messages to users that have not been settled.", waiting).as_bytes(),
        );
        page.extend_from_slice(journal_page(journal).as_bytes());
        Ok(page)
    }
}

fn market_page(stats: MarketStats) -> String {
    let MarketStats { turns, in_flight, overloads, frames, deliveries, lagged, subscribers } = stats;
    [
        counter("market_commands", "Commands accepted.", turns),
        gauge("market_in_flight", "Commands that wait for the disk.", in_flight),
        counter("market_overloads", "Commands and reads refused because too much was under way.", overloads),
        counter("feed_frames", "Frames encoded.", frames),
        counter("feed_deliveries", "Frames put into the queues of sockets.", deliveries),
        counter("feed_lags", "Queues of sockets that overflowed.", lagged),
        gauge("feed_subscribers", "Open subscriptions.", subscribers),
    ]
    .concat()
}

fn journal_page(stats: &JournalStats) -> String {
    [
        counter("journal_commits", "Commits made durable.", stats.commits()),
        counter("journal_events", "Events made durable.", stats.events()),
        counter("journal_bytes", "Bytes made durable.", stats.bytes()),
        counter("journal_sync_microseconds", "Time that commits took to reach the device.", stats.sync_micros_total()),
        gauge("journal_sync_microseconds_last", "Time that the latest commit took.", stats.sync_micros_last()),
        gauge("journal_batches_queued", "Batches that wait for the device.", stats.batches_queued()),
    ]
    .concat()
}

fn counter(name: &str, help: &str, value: u64) -> String {
    format!(
        "# HELP lienbook_{name}_total {help}\n# TYPE lienbook_{name}_total counter\nlienbook_{name}_total {value}\n"
    )
}

fn gauge(name: &str, help: &str, value: u64) -> String {
    format!("# HELP lienbook_{name} {help}\n# TYPE lienbook_{name} gauge\nlienbook_{name} {value}\n")
}
