//! A client of one server that the operator runs, with retries and a circuit breaker where it is in constant use.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use hyper::body::Bytes;

use super::breaker::BreakerConfig;
use super::environment::UpstreamEnvironment;
use super::health::Health;
use super::retry::{AttemptFailure, RetryPolicy};
use crate::capability::UpstreamError;
use crate::http::{HttpEndpoint, HttpRequest, HttpResponse, RequestError, SendError, SetupError};
use crate::parsing::text::excerpt;

/// The circuit breaker of services that every loan depends on: it closes again soon after they recover.
const BREAKER: BreakerConfig =
    BreakerConfig { failures_max: 3, open_first_ms: 500, open_max_ms: 4_000, probe_timeout_ms: 15_000 };

/// A client of one server that the operator runs.
#[derive(Debug)]
pub(crate) struct SelfHostedClient {
    endpoint: HttpEndpoint,
    time_limit: Duration,
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

impl SelfHostedClient {
    /// Creates a client of the server at `url`, such as `http://127.0.0.1:8332`.
    pub(crate) fn new(url: &str, time_limit: Duration, answer_bytes_max: usize) -> Result<Self, SetupError> {
        let endpoint = HttpEndpoint::self_hosted(url, time_limit, answer_bytes_max)?;
        Ok(Self { endpoint, time_limit, resilience: None })
    }

    /// Adds metrics, retries and a circuit breaker under this name. Its requests must be safe to repeat.
    pub(crate) fn with_resilience(self, name: &str, environment: &UpstreamEnvironment) -> Self {
        let health = Health::new(name.to_owned(), environment.metrics.clone(), BREAKER);
        let resilience = Resilience { health, retry: environment.retry, random: Arc::clone(&environment.random) };
        Self { resilience: Some(resilience), ..self }
    }

    /// Sends a request and returns the whole answer, whatever its status.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<(StatusCode, Bytes), RequestError> {
        self.send_within(request, self.time_limit).await
    }

    /// Does the same with another time limit than usual.
    pub(crate) async fn send_within(
        &self,
        request: HttpRequest,
        time_limit: Duration,
    ) -> Result<(StatusCode, Bytes), RequestError> {
        let Some(resilience) = &self.resilience else {
            return outcome(self.endpoint.send(request, time_limit).await);
        };
        let mut retries = 0;
        loop {
            resilience.health.admit().map_err(|error| RequestError::Unreachable(error.to_string()))?;
            let asked = Instant::now();
            let answer = self.endpoint.send(request.clone(), time_limit).await;
            resilience.health.record_attempt(asked.elapsed());
            let Some((error, failure)) = failure(&answer) else {
                resilience.health.record_success();
                return outcome(answer);
            };
            let wait = failure.and_then(|failure| resilience.retry.delay(failure, retries, (resilience.random)()));
            let Some(wait) = wait else {
                resilience.health.record_failure(&error);
                return outcome(answer);
            };
            retries += 1;
            tokio::time::sleep(wait).await;
        }
    }
}

/// Returns the answer, or why there is none.
fn outcome(answer: Result<HttpResponse, SendError>) -> Result<(StatusCode, Bytes), RequestError> {
    answer.map(|HttpResponse { status, body, .. }| (status, body)).map_err(|error| error.failure)
}

/// Returns the error, if there is one, and whether a retry may help. A status that refuses the request is an
/// answer. A timeout is not retried: a slow server must not start over.
fn failure(answer: &Result<HttpResponse, SendError>) -> Option<(UpstreamError, Option<AttemptFailure>)> {
    match answer {
        Ok(HttpResponse { status, retry_after, .. }) => match status.as_u16() {
            code @ (429 | 502..=504) => {
                Some((UpstreamError::Status(code), Some(AttemptFailure::Status { code, retry_after: *retry_after })))
            }
            401 | 403 => Some((UpstreamError::Unauthorized, None)),
            _ => None,
        },
        Err(SendError { failure: failure @ RequestError::TooLarge { .. }, .. }) => {
            Some((UpstreamError::invalid_response(&failure.to_string()), None))
        }
        Err(SendError { failure, is_late, .. }) => {
            let retried = (!is_late).then_some(AttemptFailure::Network);
            Some((UpstreamError::Unreachable(excerpt(&failure.to_string())), retried))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};
    use crate::resilience::test_client::test_environment;
    use crate::resilience::{BreakerState, UpstreamStats};

    /// The time limit of each request.
    const TIME_LIMIT: Duration = Duration::from_secs(2);

    /// An upstream with retries and a circuit breaker, whose server sends the scripted responses and repeats the last
    /// one.
    struct ScriptedUpstream {
        upstream: SelfHostedClient,
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
            let upstream = SelfHostedClient::new(&url, TIME_LIMIT, 1_000).unwrap().with_resilience("it", &environment);
            Self { upstream, environment, asked }
        }

        async fn ask(&self) -> Result<StatusCode, RequestError> {
            self.upstream.send(HttpRequest::text("/", "what")).await.map(|(status, _)| status)
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
    async fn errors_name_no_url_and_redirects_are_not_followed() {
        const SECRET: &str = "bot123:AAbb";
        let long = ScriptedResponse::Body(200, " ".repeat(1_001));
        let faults = [
            ScriptedResponse::NoResponse,
            ScriptedResponse::Bytes(Vec::new()),
            ScriptedResponse::Bytes(b"hello".to_vec()),
            ScriptedResponse::Endless,
            ScriptedResponse::truncated("{"),
            long,
        ];
        for fault in faults {
            let shown = format!("{fault:?}").chars().take(40).collect::<String>();
            let it = ScriptedUpstream::start(vec![fault]).await;
            let request = HttpRequest::text(format!("/{SECRET}"), "");
            let error = it.upstream.send(request).await.expect_err(&shown);
            assert_no_url(&error, SECRET, &shown);
        }
        let unreachable = SelfHostedClient::new("http://127.0.0.1:9", TIME_LIMIT, 1_000).unwrap();
        for path in [format!("/{SECRET}"), format!("/{SECRET} \n")] {
            let error = unreachable.send(HttpRequest::text(path.as_str(), "")).await.unwrap_err();
            assert_no_url(&error, SECRET, &path);
        }
        let elsewhere = b"HTTP/1.1 302 Found\r\nlocation: /else\r\ncontent-length: 0\r\n\r\n".to_vec();
        let it = ScriptedUpstream::start(vec![ScriptedResponse::Bytes(elsewhere)]).await;
        assert_eq!(it.ask().await, Ok(StatusCode::FOUND));
        assert_eq!(it.asked(), 1);
    }

    fn assert_no_url(error: &RequestError, secret: &str, case: &str) {
        let text = format!("{error} {error:?}");
        assert!(!text.contains(secret) && !text.contains("127.0.0.1") && !text.contains("http://"), "{case}: {text}");
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
        assert!(begun.elapsed() < TIME_LIMIT);
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
}
