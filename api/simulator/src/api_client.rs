//! The HTTP client of the market's public API.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{COOKIE, HeaderMap, RETRY_AFTER, SET_COOKIE};
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::action_counters::{ActionCounters, CountedAction};
use crate::wire::Problem;

/// The maximum number of attempts to send a request.
const ATTEMPTS_MAX: u32 = 6;
/// The time limit of one attempt.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The longest wait that a server may ask for.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The reason why a request failed.
#[derive(Debug, Error)]
pub(crate) enum CallError {
    /// The server could not be reached, or did not answer in time.
    #[error("the server is out of reach: {0}")]
    Unreachable(#[source] reqwest::Error),
    /// The server was busy at every attempt.
    #[error("the server is busy: {0}")]
    Busy(String),
    /// The session has ended.
    #[error("the session is over: {0}")]
    SignedOut(String),
    /// The server refused the request.
    #[error("refused with {status} {code}: {detail}")]
    Refused {
        status: StatusCode,
        /// The error code.
        code: String,
        /// The description of the error.
        detail: String,
    },
    /// The answer does not have the expected form.
    #[error("the answer is not understood: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The message could not be built or signed.
    #[error("nothing was signed: {0}")]
    Unsigned(String),
}

pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    /// The path with the query.
    pub(crate) path: &'a str,
    pub(crate) body: Option<&'a Value>,
    /// The session's token.
    pub(crate) bearer: Option<&'a str>,
    /// The session's cookie.
    pub(crate) cookie: Option<&'a str>,
    /// The idempotency key, with which a repeated write takes effect once.
    pub(crate) idempotency_key: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// A request without a session.
    pub(crate) const fn public(method: Method, path: &'a str, body: Option<&'a Value>) -> Self {
        Self { method, path, body, bearer: None, cookie: None, idempotency_key: None }
    }
}

/// A successful response.
#[derive(Debug)]
pub(crate) struct ApiResponse {
    headers: HeaderMap,
    body: Vec<u8>,
}

impl ApiResponse {
    /// Parses the body.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, CallError> {
        Ok(serde_json::from_slice(&self.body)?)
    }

    /// Returns the `name=value` of a cookie that the response sets.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        self.headers.get_all(SET_COOKIE).iter().find_map(|set| {
            let pair = set.to_str().ok()?.split(';').next()?.trim();
            (pair.split_once('=')?.0 == name).then(|| pair.to_owned())
        })
    }
}

/// The outcome of one attempt.
enum Attempt {
    Done(ApiResponse),
    Failed(CallError),
    Again(Duration, CallError),
}

/// A client that sends a bounded number of requests at a time, and retries those for which a retry may help.
pub(crate) struct ApiClient {
    http: reqwest::Client,
    base: String,
    permits: Semaphore,
    counters: Arc<ActionCounters>,
}

impl ApiClient {
    /// Returns a client of the server at `base`, such as `http://127.0.0.1:8080`.
    pub(crate) fn new(base: &str, requests_max: usize, counters: Arc<ActionCounters>) -> Result<Self, CallError> {
        // The market of a demo runs on the same machine as the lenders, so no proxy is used.
        let http = reqwest::Client::builder().timeout(TIMEOUT).no_proxy().build().map_err(CallError::Unreachable)?;
        let base = base.trim_end_matches('/').to_owned();
        Ok(Self { http, base, permits: Semaphore::new(requests_max.max(1)), counters })
    }

    /// Sends a request, and retries it while the server is busy, cannot be reached or asks the client to wait.
    pub(crate) async fn send(&self, call: &Call<'_>) -> Result<ApiResponse, CallError> {
        for attempt in 1.. {
            match self.attempt(call, attempt).await {
                Attempt::Done(answer) => return Ok(answer),
                Attempt::Failed(error) => return Err(error),
                Attempt::Again(_, error) if attempt >= ATTEMPTS_MAX => return Err(error),
                Attempt::Again(wait, _) => {
                    self.counters.count(CountedAction::Retry);
                    tokio::time::sleep(wait).await;
                }
            }
        }
        Err(CallError::Busy("no attempt was made".to_owned()))
    }

    async fn attempt(&self, call: &Call<'_>, attempt: u32) -> Attempt {
        let response = {
            let Ok(_permit) = self.permits.acquire().await else {
                return Attempt::Failed(CallError::Busy("no more requests are sent".to_owned()));
            };
            match self.request(call).send().await {
                Ok(response) => {
                    let (status, headers) = (response.status(), response.headers().clone());
                    response.bytes().await.map(|body| (status, headers, body.to_vec()))
                }
                Err(error) => Err(error),
            }
        };
        match response {
            Ok((status, headers, body)) => classify(status, headers, body, attempt),
            Err(error) => Attempt::Again(retry_delay(attempt), CallError::Unreachable(error)),
        }
    }

    fn request(&self, call: &Call<'_>) -> reqwest::RequestBuilder {
        let mut request = self.http.request(call.method.clone(), format!("{}{}", self.base, call.path));
        if let Some(body) = call.body {
            request = request.json(body);
        }
        if let Some(token) = call.bearer {
            request = request.bearer_auth(token);
        }
        if let Some(cookie) = call.cookie {
            request = request.header(COOKIE, cookie);
        }
        if let Some(key) = call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        request
    }
}

/// Classifies a response.
fn classify(status: StatusCode, headers: HeaderMap, body: Vec<u8>, attempt: u32) -> Attempt {
    if status.is_success() {
        return Attempt::Done(ApiResponse { headers, body });
    }
    let Problem { code, detail } = serde_json::from_slice(&body).unwrap_or_default();
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            let asked = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
            // Jitter: clients that were turned away together must not come back together.
            let wait =
                asked.map_or_else(|| retry_delay(attempt), |seconds| Duration::from_secs(seconds) + retry_delay(1));
            Attempt::Again(wait.min(WAIT_MAX), CallError::Busy(format!("{code}: {detail}")))
        }
        StatusCode::CONFLICT if code == "idempotency_in_flight" => {
            Attempt::Again(retry_delay(attempt), CallError::Busy(detail))
        }
        StatusCode::UNAUTHORIZED => Attempt::Failed(CallError::SignedOut(format!("{code}: {detail}"))),
        _ => Attempt::Failed(CallError::Refused { status, code, detail }),
    }
}

/// The back-off before the next attempt: a quarter of a second, doubled at each attempt, with jitter.
fn retry_delay(attempt: u32) -> Duration {
    let usual = Duration::from_millis(250) * 2_u32.pow(attempt.saturating_sub(1).min(6));
    usual.mul_f64(rand::random_range(0.6..1.4)).min(WAIT_MAX)
}
