//! A collector of traces, which takes OTLP over HTTP.

use std::time::Duration;

use hyper::body::Bytes;

use crate::http::{HttpEndpoint, HttpRequest, SetupError};

/// The time limit of a request. Traces that wait longer are dropped.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The maximum size of an answer, which reports what was not accepted.
const ANSWER_BYTES_MAX: usize = 64 * 1_024;
/// The path that the protocol prescribes.
const PATH: &str = "/v1/traces";

/// A collector that the operator runs.
#[derive(Debug)]
pub struct TraceCollector(HttpEndpoint);

impl TraceCollector {
    /// Returns the collector at `url`, such as `http://127.0.0.1:4318`.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(url: &str) -> Result<Self, SetupError> {
        HttpEndpoint::self_hosted(url, TIME_LIMIT, ANSWER_BYTES_MAX).map(Self)
    }

    /// Sends traces in the binary encoding once; returns the status and the body of the answer.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub async fn send(&self, traces: Bytes) -> Result<(u16, Bytes), String> {
        let answer = self.0.send(HttpRequest::protobuf(PATH, traces), TIME_LIMIT).await;
        answer.map(|answer| (answer.status.as_u16(), answer.body)).map_err(|error| error.failure.to_string())
    }
}
