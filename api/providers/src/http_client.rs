//! An HTTP client for one server that the operator runs, with bounded time and response size.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{RequestBuilder, StatusCode, Url, redirect};
use thiserror::Error;

use crate::fallback::{AttemptFailure, BreakerConfig, Health, RetryPolicy, UpstreamError};
use crate::text::excerpt;
use crate::upstreams::UpstreamEnvironment;

/// The usual timeout.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The timeout for the height of the tip.
pub(crate) const TIP_TIME_LIMIT: Duration = Duration::from_secs(5);

/// The circuit breaker of services that every loan depends on: it closes again soon after they recover.
const BREAKER: BreakerConfig =
    BreakerConfig { failures_max: 3, open_first_ms: 500, open_max_ms: 4_000, probe_timeout_ms: 15_000 };

/// The reason why an upstream cannot be used at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// The URL is not of an HTTP server.
    #[error("{0:?} is not the URL of an HTTP server")]
    InvalidUrl(String),
    /// The URL contains credentials, which would end up in logs.
    #[error("a URL must not carry a user name or a password: configure them beside it")]
    CredentialsInUrl,
    /// The HTTP client cannot be created.
    #[error("the HTTP client does not start: {0}")]
    Client(String),
}

/// The reason why there is no answer to read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// No connection, a broken one, or a timeout.
    #[error("{0}")]
    Unreachable(String),
    /// The answer exceeds the limit.
    #[error("it is larger than {max} bytes")]
    TooLarge {
        /// The limit, in bytes.
        max: usize,
    },
}

/// A client of one server.
#[derive(Debug)]
pub(crate) struct HttpClient {
    http: reqwest::Client,
    base: String,
    answer_bytes_max: usize,
    resilience: Option<Resilience>,
}

/// The state of an upstream that is in constant use: metrics, retries after short failures, and a circuit breaker, so
/// that callers do not wait for it while it is down.
struct Resilience {
    health: Health,
    retry: RetryPolicy,
    random: Arc<dyn Fn() -> u32 + Send + Sync>,
}

impl fmt::Debug for Resilience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resilience").field("name", &self.health.name()).finish_non_exhaustive()
    }
}

/// The outcome of one try.
enum Attempt {
    /// An answer, whatever its status, with its `Retry-After` delay.
    Answered((StatusCode, Vec<u8>), Option<Duration>),
    /// A timeout, which is not retried: a slow server must not start over.
    Late(RequestError),
    /// No answer.
    Failed(RequestError),
}

impl HttpClient {
    /// Creates a client of the server at `url`, such as `http://127.0.0.1:8332`.
    pub(crate) fn new(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let parsed = parsed.ok_or_else(|| SetupError::InvalidUrl(without_credentials(url)))?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(SetupError::CredentialsInUrl);
        }
        // Credentials go only to the configured server, never to a redirect or through a proxy of the environment.
        let http = reqwest::Client::builder().timeout(time_limit).redirect(redirect::Policy::none()).no_proxy();
        let http = http.build().map_err(|error| SetupError::Client(error.to_string()))?;
        Ok(Self { http, base: url.trim_end_matches('/').to_owned(), answer_bytes_max, resilience: None })
    }

    /// Adds metrics, retries and a circuit breaker under this name. Its requests must be safe to repeat.
    pub(crate) fn with_resilience(self, name: &str, environment: &UpstreamEnvironment) -> Self {
        let health = Health::new(name.to_owned(), environment.metrics.clone(), BREAKER);
        let resilience = Resilience { health, retry: environment.retry, random: Arc::clone(&environment.random) };
        Self { resilience: Some(resilience), ..self }
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(format!("{}{path}", self.base))
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.http.post(format!("{}{path}", self.base))
    }

    /// Sends a request and returns the whole answer, whatever its status.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), RequestError> {
        let Some(resilience) = &self.resilience else { return self.attempt(request).await.outcome() };
        let (mut request, mut retries) = (request, 0);
        loop {
            resilience.health.admit().map_err(|error| RequestError::Unreachable(error.to_string()))?;
            let next = request.try_clone();
            let asked = Instant::now();
            let attempt = self.attempt(request).await;
            resilience.health.record_attempt(asked.elapsed());
            let Some((error, failure)) = attempt.failure() else {
                resilience.health.record_success();
                return attempt.outcome();
            };
            let wait = failure.and_then(|failure| resilience.retry.delay(failure, retries, (resilience.random)()));
            let Some((wait, again)) = wait.zip(next) else {
                resilience.health.record_failure(&error);
                return attempt.outcome();
            };
            (request, retries) = (again, retries + 1);
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(&self, request: RequestBuilder) -> Attempt {
        let failed = |error: reqwest::Error| {
            let is_late = error.is_timeout() && !error.is_connect();
            let failure = RequestError::Unreachable(error_chain(&error.without_url()));
            if is_late { Attempt::Late(failure) } else { Attempt::Failed(failure) }
        };
        let max = self.answer_bytes_max;
        let mut response = match request.send().await {
            Ok(response) => response,
            Err(error) => return failed(error),
        };
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if chunk.len() > max - body.len() => {
                    return Attempt::Failed(RequestError::TooLarge { max });
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Attempt::Answered((response.status(), body), retry_after(response.headers())),
                Err(error) => return failed(error),
            }
        }
    }
}

impl Attempt {
    fn outcome(self) -> Result<(StatusCode, Vec<u8>), RequestError> {
        match self {
            Self::Answered(answer, _) => Ok(answer),
            Self::Late(failure) | Self::Failed(failure) => Err(failure),
        }
    }

    /// Returns the error, if there is one, and whether a retry may help. A status that refuses the request is an
    /// answer.
    fn failure(&self) -> Option<(UpstreamError, Option<AttemptFailure>)> {
        match self {
            Self::Answered((status, _), retry_after) => match status.as_u16() {
                code @ (429 | 502..=504) => Some((
                    UpstreamError::Status(code),
                    Some(AttemptFailure::Status { code, retry_after: *retry_after }),
                )),
                401 | 403 => Some((UpstreamError::Unauthorized, None)),
                _ => None,
            },
            Self::Late(failure) => Some((UpstreamError::Unreachable(excerpt(&failure.to_string())), None)),
            Self::Failed(failure @ RequestError::TooLarge { .. }) => {
                Some((UpstreamError::invalid_response(&failure.to_string()), None))
            }
            Self::Failed(failure) => {
                Some((UpstreamError::Unreachable(excerpt(&failure.to_string())), Some(AttemptFailure::Network)))
            }
        }
    }
}

/// Returns the `Retry-After` delay, if it is given in seconds.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// Removes everything before an `@`.
fn without_credentials(url: &str) -> String {
    url.rsplit('@').next().unwrap_or_default().to_owned()
}

/// Returns an error with its causes: reqwest's own text omits them.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::fallback::{BreakerState, UpstreamStats};
    use crate::scripted_server::{ReceivedRequest, ScriptedResponse, start};
    use crate::test_upstreams::test_environment;

    /// An upstream with retries and a circuit breaker, whose server sends the scripted responses and repeats the last
    /// one.
    struct ScriptedUpstream {
        upstream: HttpClient,
        environment: UpstreamEnvironment,
        asked: Arc<Mutex<Vec<ReceivedRequest>>>,
    }

    impl ScriptedUpstream {
        async fn start(script: Vec<ScriptedResponse>) -> Self {
            let lines = Mutex::new(script.into_iter());
            let last = Mutex::new(ScriptedResponse::NoResponse);
            let (url, asked) = start(move |_| {
                let mut last = last.lock().unwrap();
                *last = lines.lock().unwrap().next().unwrap_or_else(|| last.clone());
                last.clone()
            })
            .await;
            let environment = test_environment();
            let upstream =
                HttpClient::new(&url, Duration::from_millis(300), 1_000).unwrap().with_resilience("it", &environment);
            Self { upstream, environment, asked }
        }

        async fn ask(&self) -> Result<StatusCode, RequestError> {
            let request = self.upstream.post("/").body("what");
            self.upstream.send(request).await.map(|(status, _)| status)
        }

        fn asked(&self) -> usize {
            self.asked.lock().unwrap().len()
        }

        fn stats(&self) -> UpstreamStats {
            self.environment.metrics.stats().remove(0)
        }
    }

    #[tokio::test]
    async fn a_short_failure_is_retried() {
        let busy = || ScriptedResponse::Body(503, "work queue depth exceeded".to_owned());
        let gone = || ScriptedResponse::Body(502, String::new());
        let it =
            ScriptedUpstream::start(vec![gone(), ScriptedResponse::truncated("{"), gone(), ScriptedResponse::ok("{}")])
                .await;
        assert_eq!(it.ask().await, Ok(StatusCode::OK));
        assert_eq!((it.asked(), it.stats().tries()), (4, 4));
        assert_eq!(it.stats().failures.len(), 0, "a retry that succeeds is no failure");
        let all_the_same = it.asked.lock().unwrap().iter().all(|asked| asked.body == "what");
        assert!(all_the_same);
        // A server that reports overload is not asked again.
        let it = ScriptedUpstream::start(vec![busy()]).await;
        assert_eq!(it.ask().await, Ok(StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!(it.asked(), 1);
        assert_eq!(it.stats().failures, [("status".to_owned(), 1)].into());
    }

    #[tokio::test]
    async fn a_timeout_is_not_retried() {
        let it = ScriptedUpstream::start(vec![ScriptedResponse::NoResponse]).await;
        assert!(it.ask().await.is_err());
        assert_eq!(it.asked(), 1);
        assert_eq!(it.stats().failures, [("unreachable".to_owned(), 1)].into());
    }

    #[tokio::test]
    async fn callers_do_not_wait_for_an_upstream_while_its_circuit_breaker_is_open() {
        let it = ScriptedUpstream::start(vec![
            ScriptedResponse::NoResponse,
            ScriptedResponse::NoResponse,
            ScriptedResponse::NoResponse,
            ScriptedResponse::ok("{}"),
        ])
        .await;
        for _ in 0..3 {
            assert!(it.ask().await.is_err());
        }
        assert_eq!(it.stats().breaker, BreakerState::Open);
        let begun = Instant::now();
        let refused = it.ask().await.unwrap_err().to_string();
        assert!(refused.contains("circuit breaker is open"), "{refused}");
        assert!(begun.elapsed() < Duration::from_millis(150));
        assert_eq!(it.asked(), 3);
        tokio::time::sleep(Duration::from_millis(BREAKER.open_first_ms + 50)).await;
        assert_eq!(it.ask().await, Ok(StatusCode::OK));
        assert_eq!(it.stats().breaker, BreakerState::Closed);
    }

    #[tokio::test]
    async fn an_error_status_is_an_answer() {
        let it = ScriptedUpstream::start(vec![ScriptedResponse::Body(500, "{}".to_owned())]).await;
        for _ in 0..5 {
            assert_eq!(it.ask().await, Ok(StatusCode::INTERNAL_SERVER_ERROR));
        }
        assert_eq!((it.stats().breaker, it.asked()), (BreakerState::Closed, 5));
    }

    #[test]
    fn an_upstream_is_a_url_without_secrets() {
        let setup = |url| HttpClient::new(url, TIME_LIMIT, 1).err();
        assert_eq!(setup("http://127.0.0.1:8332/"), None);
        for wrong in ["", "127.0.0.1:8332", "file:///etc", "http://"] {
            assert_eq!(setup(wrong), Some(SetupError::InvalidUrl(wrong.to_owned())), "{wrong}");
        }
        for wrong in ["http://user@host", "http://user:secret@host", "http://:secret@host"] {
            assert_eq!(setup(wrong), Some(SetupError::CredentialsInUrl), "{wrong}");
        }
        assert_eq!(setup("ftp://user:secret@host"), Some(SetupError::InvalidUrl("host".to_owned())));
    }
}
