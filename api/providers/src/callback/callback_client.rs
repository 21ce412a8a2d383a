//! The client that calls URLs of users.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

use super::address_policy::AddressPolicy;
use super::callback_url::CallbackUrl;
use super::checked_connector::{CheckedConnector, ConnectError};
use crate::http::retry_after;

/// The number of bytes of an answer that are read.
pub const EXCERPT_BYTES_MAX: usize = 512;
/// The limit for the head of an answer, in bytes.
const HEAD_BYTES_MAX: usize = 16 * 1_024;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The `Retry-After` delay, if given in seconds.
    pub retry_after: Option<Duration>,
    /// The beginning of the body as plain text without control characters.
    pub excerpt: String,
}

/// The reason why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CallbackError {
    /// The host has no address that a connection may be made to. Nothing was sent.
    #[error("the host has no address in the public Internet")]
    AddressRefused,
    /// No connection, or none with a valid certificate. Nothing was sent.
    #[error("no connection, or no valid certificate")]
    Unreachable,
    /// No answer in time. The request may have been received.
    #[error("no answer in time")]
    TimedOut,
    /// The connection was lost, or the answer is not HTTP. The request may have been received.
    #[error("the connection was lost before an answer")]
    NoAnswer,
}

/// A client that calls URLs of users.
#[derive(Clone, Debug)]
pub struct CallbackClient {
    client: Client<HttpsConnector<CheckedConnector>, Full<Bytes>>,
    policy: AddressPolicy,
    time_limit: Duration,
}

impl CallbackClient {
    /// Creates a client that connects to the addresses of a policy, and waits as long as `time_limit` for an answer.
    #[must_use]
    pub fn new(policy: AddressPolicy, time_limit: Duration) -> Self {
        let tcp = CheckedConnector { policy, time_limit: time_limit / 2 };
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            // A kept connection would be to an address that was checked for an earlier request.
            .pool_max_idle_per_host(0)
            .http1_max_buf_size(HEAD_BYTES_MAX)
            .build(connector);
        Self { client, policy, time_limit }
    }

    /// Returns the policy, by which URLs are parsed.
    #[must_use]
    pub const fn policy(&self) -> AddressPolicy {
        self.policy
    }

    /// Sends a POST request once.
    pub async fn post(
        &self,
        url: &CallbackUrl,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<CallbackAnswer, CallbackError> {
        let deadline = Instant::now() + self.time_limit;
        let mut request = Request::post(url.uri().clone()).header(USER_AGENT, "lienbook");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::from(body)).map_err(|_| CallbackError::Unreachable)?;
        let answer = match timeout_at(deadline, self.client.request(request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(failure(&error)),
            Err(_) => return Err(CallbackError::TimedOut),
        };
        let (status, retry_after) = (answer.status().as_u16(), retry_after(answer.headers()));
        Ok(CallbackAnswer { status, retry_after, excerpt: excerpt(answer, deadline).await })
    }
}

fn failure(error: &hyper_util::client::legacy::Error) -> CallbackError {
    let causes = || std::iter::successors(std::error::Error::source(error), |error| error.source());
    let is_refused = causes().any(|cause| matches!(cause.downcast_ref(), Some(ConnectError::AddressRefused)));
    if is_refused {
        CallbackError::AddressRefused
    } else if error.is_connect() {
        CallbackError::Unreachable
    } else {
        CallbackError::NoAnswer
    }
}

/// Reads the beginning of a body. The rest is not read, and neither is a body that is late: the status is known.
async fn excerpt(answer: Response<Incoming>, deadline: Instant) -> String {
    let (mut body, mut bytes) = (answer.into_body(), Vec::new());
    while bytes.len() < EXCERPT_BYTES_MAX {
        let Ok(Some(Ok(frame))) = timeout_at(deadline, body.frame()).await else { break };
        if let Ok(data) = frame.into_data() {
            bytes.extend(data.iter().take(EXCERPT_BYTES_MAX - bytes.len()));
        }
    }
    plain(&bytes)
}

/// Returns text without the characters that control terminals or the direction of text.
fn plain(bytes: &[u8]) -> String {
    let is_plain = |letter: &char| {
        !(letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
            || *letter == '\n'
    };
    String::from_utf8_lossy(bytes).chars().filter(is_plain).collect()
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;

    use super::*;
    use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};

    const SOON: Duration = Duration::from_secs(2);
    const LOOPBACK: AddressPolicy = AddressPolicy { is_loopback_permitted: true };

    async fn post(base: &str, policy: AddressPolicy) -> Result<CallbackAnswer, CallbackError> {
        let url = CallbackUrl::parse(&format!("{base}/hook?a=b"), LOOPBACK).unwrap();
        let header = (HeaderName::from_static("webhook-id"), HeaderValue::from_static("ln_1-overdue"));
        CallbackClient::new(policy, SOON).post(&url, vec![header], Bytes::from_static(b"{}")).await
    }

    async fn answered(response: ScriptedResponse) -> Result<CallbackAnswer, CallbackError> {
        let (base, _) = start(move |_: &ReceivedRequest| response.clone()).await;
        post(&base, LOOPBACK).await
    }

    #[tokio::test]
    async fn a_request_is_sent_once_and_the_beginning_of_its_answer_is_read() {
        let (base, asked) =
            start(|_| ScriptedResponse::Body(503, format!("a\u{202e}b\r\n\u{1b}[31m{}", "ä".repeat(600)))).await;
        let answer = post(&base, LOOPBACK).await.unwrap();
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE.as_u16());
        assert!(answer.excerpt.starts_with("ab\n[31mä") && answer.excerpt.len() <= EXCERPT_BYTES_MAX + 2, "{answer:?}");
        let asked = asked.lock().unwrap();
        assert_eq!((asked.len(), asked[0].body.as_str()), (1, "{}"));
        assert!(asked[0].line.starts_with("POST /hook?a=b"), "{}", asked[0].line);
        assert!(asked[0].headers.contains("webhook-id: ln_1-overdue"), "{}", asked[0].headers);
    }

    #[tokio::test]
    async fn redirects_are_not_followed_and_answers_are_bounded() {
        let moved = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".to_vec();
        assert_eq!(answered(ScriptedResponse::Bytes(moved)).await.unwrap().status, 302);
        let endless = answered(ScriptedResponse::Endless).await.unwrap();
        assert_eq!(endless.excerpt.len(), EXCERPT_BYTES_MAX);
        let short = answered(ScriptedResponse::truncated("ok")).await.unwrap();
        assert_eq!((short.status, short.excerpt.as_str()), (200, "ok"));
        let later = b"HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n".to_vec();
        assert_eq!(answered(ScriptedResponse::Bytes(later)).await.unwrap().retry_after, Some(Duration::from_secs(7)));
        assert_eq!(answered(ScriptedResponse::NoResponse).await, Err(CallbackError::TimedOut));
        assert_eq!(answered(ScriptedResponse::Bytes(b"SSH-2.0\r\n".to_vec())).await, Err(CallbackError::NoAnswer));
        let head = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"a: b\r\n".repeat(HEAD_BYTES_MAX)].concat();
        assert_eq!(answered(ScriptedResponse::Bytes(head)).await, Err(CallbackError::NoAnswer));
    }

    #[tokio::test]
    async fn an_address_is_checked_after_its_name_is_resolved_and_receives_nothing() {
        let (base, asked) = start(|_| ScriptedResponse::ok("")).await;
        let port = base.rsplit(':').next().unwrap();
        for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"] {
            let refused = post(&format!("http://{host}:{port}"), AddressPolicy::default()).await;
            assert_eq!(refused, Err(CallbackError::AddressRefused), "{host}");
        }
        assert!(asked.lock().unwrap().is_empty());
        // A server that does not speak TLS is sent no request; then a port that is closed.
        let insecure = post(&format!("https://localhost:{port}"), LOOPBACK).await;
        assert_eq!(insecure, Err(CallbackError::TimedOut));
        assert!(asked.lock().unwrap().is_empty());
        let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        assert_eq!(post(&format!("http://{closed}"), LOOPBACK).await, Err(CallbackError::Unreachable));
        post(&format!("http://localhost:{port}"), LOOPBACK).await.unwrap();
        assert_eq!(asked.lock().unwrap().len(), 1);
    }
}
