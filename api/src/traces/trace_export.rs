//! The export of finished spans.

use std::time::Duration;

use engine::command_trace::TARGET;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider};
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use super::collector_client::CollectorClient;
use crate::failure::Failure;

/// The most finished spans that wait for the export; further ones are dropped.
const QUEUE_MAX: usize = 4_096;
/// The most spans of one request to the collector.
const BATCH_MAX: usize = 512;
/// The interval between two exports.
const INTERVAL: Duration = Duration::from_secs(1);
/// The time limit of an export with its retries, and of the last export at the stop.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// The running export.
#[derive(Debug)]
pub struct TraceExport {
    provider: SdkTracerProvider,
}

impl TraceExport {
    /// Starts the threads that export spans to a collector. It need not be running.
    ///
    /// # Errors
    /// One line: a URL that is not of an HTTP server, or no thread.
    pub fn start(url: &str) -> Result<Self, Failure> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(CollectorClient::start(url)?)
            .with_endpoint(url)
            .with_timeout(EXPORT_TIMEOUT)
            .build()
            .map_err(Failure::new)?;
        let config = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_MAX)
            .with_max_export_batch_size(BATCH_MAX)
            .with_scheduled_delay(INTERVAL)
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(BatchSpanProcessor::builder(exporter).with_batch_config(config).build())
            // A request that is not sampled has no spans at all.
            .with_sampler(Sampler::AlwaysOn)
            .with_resource(Resource::builder_empty().with_service_name("lienbook").build())
            .build();
        Ok(Self { provider })
    }

    /// Returns the layer that passes finished spans of traces on. Events of the log are not among them.
    #[must_use]
    pub fn layer<S: Subscriber + for<'span> LookupSpan<'span>>(&self) -> impl Layer<S> + use<S> {
        let layer = tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("lienbook"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_level(false)
            .with_target(false);
        layer.with_filter(Targets::new().with_target(TARGET, Level::INFO))
    }

    /// Exports what is left, within two seconds. Blocks; not for asynchronous code.
    pub fn stop(self) {
        // Traces that are lost at the stop are no reason to fail.
        let _ = self.provider.shutdown_with_timeout(STOP_TIMEOUT);
    }
}
