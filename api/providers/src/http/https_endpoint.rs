//! An HTTPS client for one remote server, with bounded time and response size.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;

use super::request_error::{RequestError, SetupError, error_chain};
use super::time_limit::retry_after;

/// The timeout class of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeoutClass {
    /// The usual timeout.
    Normal,
    /// The timeout for data that is known immediately, such as the height of the tip.
    Short,
    /// The timeout for aggregated data, such as markets and sales.
    Long,
}

/// A request to a server.
#[derive(Clone, Debug)]
pub(crate) struct HttpRequest {
    pub(crate) timeout_class: TimeoutClass,
    method: Method,
    path: String,
    content_type: &'static str,
    body: Bytes,
}

impl HttpRequest {
    /// Creates a GET request for a path with its query.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        let path = path.into();
        Self { timeout_class: TimeoutClass::Normal, method: Method::GET, path, content_type: "", body: Bytes::new() }
    }

    /// Creates a POST request with a JSON body.
    pub(crate) fn json(path: impl Into<String>, json: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, content_type: "application/json", body: json.into(), ..Self::get(path) }
    }

    /// Creates a POST request with a text body.
    pub(crate) fn text(path: impl Into<String>, text: impl Into<Bytes>) -> Self {
        Self { content_type: "text/plain", ..Self::json(path, text) }
    }

    /// Returns the same request with another timeout class.
    pub(crate) fn with_timeout(self, class: TimeoutClass) -> Self {
        Self { timeout_class: class, ..self }
    }
}

/// The response of a server.
#[derive(Clone, Debug)]
pub(crate) struct HttpsResponse {
    /// The HTTP status.
    pub(crate) status: StatusCode,
    /// The `Retry-After` delay, if given in seconds.
    pub(crate) retry_after: Option<Duration>,
    /// The whole body.
    pub(crate) body: Bytes,
}

/// The reason why there is no answer to a request that must not be repeated.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SendError {
    /// No connection was made, so nothing was sent.
    Unsent(String),
    /// The server may have read it.
    OutcomeUnknown(RequestError),
}

/// One server. Redirects are not followed, and proxies of the environment are not used.
#[derive(Debug)]
pub(crate) struct HttpsEndpoint {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: String,
    time_limit: Duration,
    answer_bytes_max: usize,
}

impl HttpsEndpoint {
    /// Creates an endpoint for `url`: over TLS with the root certificates that the program was built with, or
    /// unencrypted on this machine only.
    pub(crate) fn new(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        let uri: Uri = url.parse().map_err(|_| SetupError::InvalidUrl(url.to_owned()))?;
        match (uri.scheme_str(), uri.host()) {
            (Some("https"), Some(_)) | (Some("http"), Some("127.0.0.1" | "[::1]" | "localhost")) => {}
            _ => return Err(SetupError::InvalidUrl(url.to_owned())),
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(SetupError::CredentialsInUrl);
        }
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        // Shorter than the whole timeout, so that an address that does not answer is known to have received nothing.
        tcp.set_connect_timeout(Some(time_limit / 2));
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, base: url.trim_end_matches('/').to_owned(), time_limit, answer_bytes_max })
    }

    /// Posts JSON to the address itself and returns the whole answer, whatever its status.
    pub(crate) async fn post(&self, json: Vec<u8>) -> Result<(StatusCode, Bytes), RequestError> {
        let answer = self.send(HttpRequest::json("", json), None, self.time_limit).await?;
        Ok((answer.status, answer.body))
    }

    /// Sends a request and returns the whole answer within the time limit, whatever its status. The header identifies
    /// us.
    pub(crate) async fn send(
        &self,
        request: HttpRequest,
        header: Option<(HeaderName, HeaderValue)>,
        time_limit: Duration,
    ) -> Result<HttpsResponse, RequestError> {
        self.send_once(request, header, time_limit).await.map_err(|error| match error {
            SendError::Unsent(why) => RequestError::Unreachable(why),
            SendError::OutcomeUnknown(no_answer) => no_answer,
        })
    }

    /// Does the same for a request that must not be repeated: an error says whether anything was sent at all.
    pub(crate) async fn send_once(
        &self,
        request: HttpRequest,
        header: Option<(HeaderName, HeaderValue)>,
        time_limit: Duration,
    ) -> Result<HttpsResponse, SendError> {
        let late = |_| {
            let why = format!("no answer within {} ms", time_limit.as_millis());
            SendError::OutcomeUnknown(RequestError::Unreachable(why))
        };
        timeout(time_limit, self.exchange(request, header)).await.map_err(late)?
    }

    async fn exchange(
        &self,
        request: HttpRequest,
        header: Option<(HeaderName, HeaderValue)>,
    ) -> Result<HttpsResponse, SendError> {
        let HttpRequest { method, path, content_type, body, .. } = request;
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        request = request.header(ACCEPT, "application/json").header(USER_AGENT, "lienbook");
        if !content_type.is_empty() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        let request = request.body(Full::from(body)).map_err(|error| SendError::Unsent(error.to_string()))?;
        let answer = self.client.request(request).await.map_err(|error| {
            let why = error_chain(&error);
            if error.is_connect() {
                SendError::Unsent(why)
            } else {
                SendError::OutcomeUnknown(RequestError::Unreachable(why))
            }
        })?;
        let status = answer.status();
        let retry_after = retry_after(answer.headers());
        let max = self.answer_bytes_max;
        let lost = |no_answer| Err(SendError::OutcomeUnknown(no_answer));
        match Limited::new(answer.into_body(), max).collect().await {
            Ok(body) => Ok(HttpsResponse { status, retry_after, body: body.to_bytes() }),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => lost(RequestError::TooLarge { max }),
            Err(error) => lost(RequestError::Unreachable(error_chain(&*error))),
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::scripted_server::{ScriptedResponse, start};

    const SOON: Duration = Duration::from_millis(500);

    #[test]
    fn only_this_machine_is_asked_without_tls() {
        let setup = |url| HttpsEndpoint::new(url, SOON, 1).err();
        for right in
            ["https://challenges.cloudflare.com/a", "http://127.0.0.1:1/a", "http://[::1]:1", "http://localhost"]
        {
            assert_eq!(setup(right), None, "{right}");
        }
        for wrong in ["", "/a", "challenges.cloudflare.com", "http://challenges.cloudflare.com", "ftp://127.0.0.1"] {
            assert_eq!(setup(wrong), Some(SetupError::InvalidUrl(wrong.to_owned())), "{wrong}");
        }
        assert_eq!(setup("https://user:secret@host"), Some(SetupError::CredentialsInUrl));
    }

    #[tokio::test]
    async fn a_server_without_a_valid_certificate_receives_nothing() {
        let (url, asked) = start(|_| ScriptedResponse::ok("{}")).await;
        let endpoint = HttpsEndpoint::new(&url.replace("http://", "https://"), SOON, 100).unwrap();
        assert!(matches!(endpoint.post(b"secret".to_vec()).await, Err(RequestError::Unreachable(_))));
        assert!(asked.lock().unwrap().is_empty());
    }
}
