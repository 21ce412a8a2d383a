//! The server's metrics.

mod cluster_figures;
mod exposition;
mod server_figures;

use std::time::Duration;

use bitcoin::Network;
use domain::OutboxEvent;
use prometheus::process_collector::ProcessCollector;
use prometheus::{Encoder as _, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TextEncoder};
use providers::resilience::{UpstreamMetrics, UpstreamStats};

use crate::failure::Failure;
use crate::http::error_code::ErrorCode;

pub use server_figures::{ChainFigures, ServerFigures};

/// The counters of requests and sockets. Others belong to the market, the journal and so on: [`ServerFigures`].
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    /// Open sockets.
    pub sockets: IntGauge,
    /// Sockets that the server closed, by reason.
    pub sockets_closed: IntCounterVec,
    messages: IntCounterVec,
    refusals: IntCounterVec,
    upstreams: UpstreamMetrics,
}

impl Metrics {
    /// Builds new counters, together with those of the upstream services.
    ///
    /// # Errors
    /// Fails if two counters have the same name, which is a bug.
    pub fn new(network: Network, upstreams: UpstreamMetrics) -> Result<Self, Failure> {
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
            refusals: refusal_counter().map_err(Failure::new)?,
            upstreams,
        };
        let own: [Box<dyn prometheus::core::Collector>; 8] = [
            Box::new(metrics.requests.clone()),
            Box::new(metrics.durations.clone()),
            Box::new(metrics.sockets.clone()),
            Box::new(metrics.sockets_closed.clone()),
            Box::new(metrics.messages.clone()),
            Box::new(metrics.refusals.clone()),
            Box::new(build_info(network).map_err(Failure::new)?),
            Box::new(ProcessCollector::for_self()),
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

    /// Counts a refused request.
    pub fn count_refusal(&self, code: ErrorCode) {
        self.refusals.with_label_values(&[code.code()]).inc();
    }

    /// Returns the page in the text format of Prometheus.
    ///
    /// # Errors
    /// Fails if the page cannot be encoded.
    pub fn page(&self, figures: &ServerFigures) -> Result<Vec<u8>, Failure> {
        let mut page = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut page).map_err(Failure::new)?;
        page.extend_from_slice(figures.text().as_bytes());
        Ok(page)
    }
}

/// Returns a counter of refusals in which every code of the table has a series, so that a rate sees the first one.
fn refusal_counter() -> Result<IntCounterVec, prometheus::Error> {
    let help = "Requests refused, by the code of the error.";
    let refusals = IntCounterVec::new(Opts::new("lienbook_refusals_total", help), &["code"])?;
    for code in ErrorCode::ALL {
        refusals.with_label_values(&[code.code()]);
    }
    Ok(refusals)
}

/// Returns the version of the program and the network, with the value 1.
fn build_info(network: Network) -> Result<IntGauge, prometheus::Error> {
    let build = Opts::new("lienbook_build_info", "The program's version and its network: always 1.");
    let build = build.const_label("version", env!("CARGO_PKG_VERSION")).const_label("network", network.to_string());
    let info = IntGauge::with_opts(build)?;
    info.set(1);
    Ok(info)
}
