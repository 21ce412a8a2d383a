//! The HTTP client of the exporter, on a thread of its own: the server's threads do no work for it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use providers::TraceCollector;
use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// A client of the collector.
pub(super) struct CollectorClient {
    collector: Arc<TraceCollector>,
    runtime: Runtime,
    /// Whether the last request failed, so that an outage is logged once.
    is_down: AtomicBool,
}

impl fmt::Debug for CollectorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CollectorClient").field(&self.collector).finish()
    }
}

impl CollectorClient {
    /// Starts the client's thread.
    pub(super) fn start(url: &str) -> Result<Self, Failure> {
        let collector = TraceCollector::new(url)
            .map_err(|error| Failure::new(format!("the setting traces.otlp is not accepted: {error}")))?;
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("trace-client").enable_all().build();
        let runtime = runtime.map_err(|error| Failure::new(error).while_doing("cannot start the client of traces"))?;
        Ok(Self { collector: Arc::new(collector), runtime, is_down: AtomicBool::new(false) })
    }

    /// Logs the begin and the end of an outage.
    fn record(&self, failure: Option<&str>) {
        let was_down = self.is_down.swap(failure.is_some(), Ordering::Relaxed);
        match failure {
            Some(error) if !was_down => tracing::warn!(error, "the collector of traces does not accept them"),
            None if was_down => tracing::info!("the collector of traces accepts them again"),
            _ => {}
        }
    }

    async fn send(&self, traces: Bytes) -> Result<Response<Bytes>, HttpError> {
        let collector = Arc::clone(&self.collector);
        let sent = self.runtime.spawn(async move { collector.send(traces).await }).await;
        let sent = sent.map_err(|error| error.to_string()).and_then(|answer| answer);
        let refused = sent.as_ref().ok().filter(|(status, _)| !(200..300).contains(status));
        let failure = sent.as_ref().err().cloned().or(refused.map(|(status, _)| format!("status {status}")));
        self.record(failure.as_deref());
        let (status, body) = sent?;
        Ok(Response::builder().status(status).body(body)?)
    }
}

/// The address and the headers of a request are those of [`TraceCollector`], whatever the exporter asks for.
impl HttpClient for CollectorClient {
    fn send_bytes<'client, 'sent>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'sent>>
    where
        'client: 'sent,
        Self: 'sent,
    {
        Box::pin(self.send(request.into_body()))
    }
}
