//! The HTTP client of one server, with bounded time and response size.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use super::http_request::HttpRequest;
use super::request_error::{RequestError, SetupError, error_chain};
use super::time_limit::retry_after;

/// The response of a server.
#[derive(Clone, Debug)]
pub(crate) struct HttpResponse {
    /// The HTTP status.
    pub(crate) status: StatusCode,
    /// The `Retry-After` delay, if given in seconds.
    pub(crate) retry_after: Option<Duration>,
    /// The whole body.
    pub(crate) body: Bytes,
}

/// A failed request. It names no URL, which can contain a secret.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SendError {
    /// The reason why there is no answer.
    pub(crate) failure: RequestError,
    /// Whether the server may have read the request: a connection was made.
    pub(crate) may_be_sent: bool,
    /// Whether a time limit ended it.
    pub(crate) is_late: bool,
}

/// One server. Redirects are not followed, and proxies of the environment are not used, so that credentials go only to
/// the configured server.
#[derive(Debug)]
pub(crate) struct HttpEndpoint {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: String,
    answer_bytes_max: usize,
}

impl HttpEndpoint {
    /// Creates an endpoint for a remote server at `url`: over TLS with the root certificates that the program was built
    /// with, or unencrypted on this machine only.
    pub(crate) fn remote(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        let is_allowed = |scheme: &str, host: &str| {
            scheme == "https" || (scheme == "http" && matches!(host, "127.0.0.1" | "[::1]" | "localhost"))
        };
        Self::new(url, is_allowed, time_limit, answer_bytes_max)
    }

    /// Creates an endpoint for a server that the operator runs, such as `http://127.0.0.1:8332`: unencrypted on a
    /// network of the operator, or over TLS.
    pub(crate) fn self_hosted(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        Self::new(url, |scheme, _| matches!(scheme, "http" | "https"), time_limit, answer_bytes_max)
    }

    fn new(
        url: &str,
        is_allowed: impl Fn(&str, &str) -> bool,
        time_limit: Duration,
        answer_bytes_max: usize,
    ) -> Result<Self, SetupError> {
        let invalid = || SetupError::InvalidUrl(without_credentials(url));
        let uri: Uri = url.parse().map_err(|_| invalid())?;
        if !uri.scheme_str().zip(uri.host()).is_some_and(|(scheme, host)| is_allowed(scheme, host)) {
            return Err(invalid());
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(SetupError::CredentialsInUrl);
        }
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Shorter than the whole timeout, so that an address that does not answer is known to have received nothing.
        tcp.set_connect_timeout(Some(time_limit / 2));
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector);
        Ok(Self { client, base: url.trim_end_matches('/').to_owned(), answer_bytes_max })
    }

    /// Sends a request once and returns the whole answer within the time limit, whatever its status.
    pub(crate) async fn send(&self, request: HttpRequest, time_limit: Duration) -> Result<HttpResponse, SendError> {
        #[cfg(any(test, fuzzing))]
        if let Some(answer) = super::fuzzed_answers::next() {
            return Ok(answer);
        }
        let late = |_| {
            let failure = RequestError::Unreachable(format!("no answer within {} ms", time_limit.as_millis()));
            SendError { failure, may_be_sent: true, is_late: true }
        };
        timeout(time_limit, self.exchange(request)).await.map_err(late)?
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, SendError> {
        let HttpRequest { method, path, content_type, header, body, .. } = request;
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        request = request.header(ACCEPT, "application/json").header(USER_AGENT, "lienbook");
        if !content_type.is_empty() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        let request = request.body(Full::from(body)).map_err(|error| SendError {
            failure: RequestError::Unreachable(error.to_string()),
            may_be_sent: false,
            is_late: false,
        })?;
        let answer = self.client.request(request).await.map_err(|error| SendError {
            failure: RequestError::Unreachable(error_chain(&error)),
            may_be_sent: !error.is_connect(),
            is_late: is_timeout(&error),
        })?;
        let status = answer.status();
        let retry_after = retry_after(answer.headers());
        let max = self.answer_bytes_max;
        let lost = |failure| Err(SendError { failure, may_be_sent: true, is_late: false });
        match Limited::new(answer.into_body(), max).collect().await {
            Ok(body) => Ok(HttpResponse { status, retry_after, body: body.to_bytes() }),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => lost(RequestError::TooLarge { max }),
            Err(error) => lost(RequestError::Unreachable(error_chain(&*error))),
        }
    }
}

/// Returns whether the time limit for a connection is among the causes of an error.
fn is_timeout(error: &dyn std::error::Error) -> bool {
    std::iter::successors(error.source(), |error| error.source())
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::TimedOut)
}

/// Removes everything before an `@`.
fn without_credentials(url: &str) -> String {
    url.rsplit('@').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::scripted_server::{ScriptedResponse, start};

    const SOON: Duration = Duration::from_millis(500);

    #[test]
    fn only_this_machine_is_asked_without_tls() {
        let setup = |url| HttpEndpoint::remote(url, SOON, 1).err();
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

    #[test]
    fn an_upstream_is_a_url_without_secrets() {
        let setup = |url| HttpEndpoint::self_hosted(url, SOON, 1).err();
        assert_eq!(setup("http://127.0.0.1:8332/"), None);
        for wrong in ["", "127.0.0.1:8332", "file:///etc", "http://"] {
            assert_eq!(setup(wrong), Some(SetupError::InvalidUrl(wrong.to_owned())), "{wrong}");
        }
        for wrong in ["http://user@host", "http://user:secret@host", "http://:secret@host"] {
            assert_eq!(setup(wrong), Some(SetupError::CredentialsInUrl), "{wrong}");
        }
        assert_eq!(setup("ftp://user:secret@host"), Some(SetupError::InvalidUrl("host".to_owned())));
    }

    #[tokio::test]
    async fn a_server_without_a_valid_certificate_receives_nothing() {
        let (url, asked) = start(|_| ScriptedResponse::ok("{}")).await;
        let endpoint = HttpEndpoint::remote(&url.replace("http://", "https://"), SOON, 100).unwrap();
        let error = endpoint.send(HttpRequest::json("", b"secret".to_vec()), SOON).await.unwrap_err();
        assert!(matches!(error.failure, RequestError::Unreachable(_)), "{error:?}");
        assert!(asked.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_connection_that_times_out_is_known_to_have_sent_nothing() {
        // A full accept queue: Linux then drops further SYNs.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let mut queued = Vec::new();
        while let Ok(Ok(stream)) = timeout(SOON, tokio::net::TcpStream::connect(address)).await {
            queued.push(stream);
        }
        let endpoint = HttpEndpoint::self_hosted(&format!("http://{address}"), SOON, 100).unwrap();
        let error = endpoint.send(HttpRequest::get("/"), SOON).await.unwrap_err();
        assert!(error.is_late && !error.may_be_sent, "{error:?}");
    }
}
