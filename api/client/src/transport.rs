//! The HTTP connections to one server, with bounded time and answers of bounded size.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use tokio::time::timeout;

/// The time limit of one attempt.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// The largest accepted answer. The largest book is a third of it.
const ANSWER_BYTES_MAX: usize = 32 * 1_024 * 1_024;

/// An answer, whatever its status.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// An attempt without an answer.
#[derive(Debug)]
pub(crate) struct Lost {
    /// The reason, without the URL.
    pub(crate) reason: String,
    /// Whether the server may have read the request.
    pub(crate) may_be_sent: bool,
}

/// The connections. Redirects are not followed and proxies of the environment not used, so that a key goes only to the
/// given server.
pub(crate) struct Transport(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Transport {
    pub(crate) fn new(tls: &Arc<ClientConfig>) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Shorter than the whole limit, so that an address that does not answer is known to have received nothing.
        tcp.set_connect_timeout(Some(TIME_LIMIT / 2));
        let tls = ClientConfig::clone(tls);
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let connector = connector.wrap_connector(tcp);
        Self(Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector))
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Answer, Lost> {
        let late = |_| Lost { reason: format!("no answer within {} s", TIME_LIMIT.as_secs()), may_be_sent: true };
        timeout(TIME_LIMIT, self.exchange(request)).await.map_err(late)?
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Answer, Lost> {
        let answer = self.0.request(request).await;
        let answer = answer.map_err(|error| Lost { reason: causes(&error), may_be_sent: !error.is_connect() })?;
        let (parts, body) = answer.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| Lost { reason: causes(&*error), may_be_sent: true })?;
        Ok(Answer { status: parts.status, headers: parts.headers, body: body.to_bytes() })
    }
}

/// The texts of an error and its causes.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
