//! The client of the API.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use rustls::ClientConfig;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::api_key::ApiKey;
use crate::call::Call;
use crate::call_error::CallError;
use crate::quota::{QuotaName, Quotas};
use crate::retry::{Failure, Next, next};
use crate::server_url::ServerUrl;
use crate::tls;
use crate::transport::{Answer, Lost, Transport};
use crate::types::Problem;

/// The largest number of requests in flight; more wait for their turn.
const IN_FLIGHT_MAX: usize = 8;
/// The position of the market that an answer shows; sent back, so that another node shows nothing older.
const POSITION: HeaderName = HeaderName::from_static("lienbook-position");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const AGENT: &str = concat!("lienbook-client/", env!("CARGO_PKG_VERSION"));

/// A client of one server, as one user or as none. Clones share connections, quotas and the limit of requests in flight.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    url: ServerUrl,
    key: Option<ApiKey>,
    tls: Arc<ClientConfig>,
    transport: Transport,
    turns: Semaphore,
    quotas: Mutex<Quotas>,
    position: Mutex<Option<HeaderValue>>,
}

impl Client {
    /// Returns a client; without a key only public resources answer.
    ///
    /// # Errors
    /// [`CallError::Invalid`] if TLS cannot be set up.
    pub fn new(url: ServerUrl, key: Option<ApiKey>) -> Result<Self, CallError> {
        let tls = tls::config()?;
        Ok(Self(Arc::new(Inner {
            url,
            key,
            transport: Transport::new(&tls),
            tls,
            turns: Semaphore::new(IN_FLIGHT_MAX),
            quotas: Mutex::default(),
            position: Mutex::default(),
        })))
    }

    /// The address of the server.
    #[must_use]
    pub fn url(&self) -> &ServerUrl {
        &self.0.url
    }

    pub(crate) fn tls(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.0.tls)
    }

    /// Sends a call and reads the JSON of its answer.
    pub(crate) async fn read<T: DeserializeOwned>(&self, call: Call) -> Result<T, CallError> {
        let answer = self.exchange(&call).await?;
        serde_json::from_slice(&answer.body).map_err(|error| CallError::Unreadable(error.to_string()))
    }

    /// Sends a call and returns the text of its answer.
    pub(crate) async fn text(&self, call: Call) -> Result<String, CallError> {
        let answer = self.exchange(&call).await?;
        String::from_utf8(answer.body.into()).map_err(|error| CallError::Unreadable(error.to_string()))
    }

    /// Sends a call whose answer has no body.
    pub(crate) async fn send(&self, call: Call) -> Result<(), CallError> {
        self.exchange(&call).await.map(drop)
    }

    /// Sends a call until it is answered, refused for good, or out of attempts.
    async fn exchange(&self, call: &Call) -> Result<Answer, CallError> {
        let mut attempt = 1;
        loop {
            self.wait_for_quota(call.quota).await;
            let request = self.request(call)?;
            let answer = {
                let turn = self.0.turns.acquire().await;
                let _turn = turn.map_err(|error| CallError::Invalid(error.to_string()))?;
                self.0.transport.send(request).await
            };
            let (failure, error) = match answer {
                Ok(answer) => {
                    self.remember(&answer.headers);
                    if answer.status.is_success() {
                        return Ok(answer);
                    }
                    refusal(&answer)
                }
                Err(lost) => without_answer(lost),
            };
            match next(failure, attempt, call.is_repeatable(), rand::random()) {
                Next::Again(wait) => sleep(wait).await,
                Next::TooLong(wait) => return Err(CallError::Busy(wait)),
                Next::GiveUp => return Err(error),
            }
            attempt += 1;
        }
    }

    async fn wait_for_quota(&self, quota: QuotaName) {
        let wait = self.0.quotas.lock().unwrap_or_else(PoisonError::into_inner).wait(quota, Instant::now());
        if wait > Duration::ZERO {
            sleep(wait).await;
        }
    }

    fn request(&self, call: &Call) -> Result<Request<Full<Bytes>>, CallError> {
        let mut request = Request::builder()
            .method(call.method)
            .uri(self.0.url.resource(&call.path))
            .header(ACCEPT, "application/json, */*;q=0.5")
            .header(USER_AGENT, AGENT);
        if call.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(key) = &self.0.key {
            let value = HeaderValue::try_from(key.authorization());
            let mut value = value.map_err(|error| CallError::Invalid(error.to_string()))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        if let Some(key) = &call.idempotency_key {
            request = request.header(IDEMPOTENCY_KEY, key.as_str());
        }
        if let Some(position) = self.0.position.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            request = request.header(POSITION, position);
        }
        let body = Full::from(call.body.clone().unwrap_or_default());
        request.body(body).map_err(|error| CallError::Invalid(error.to_string()))
    }

    /// Remembers what the header fields of an answer say about quotas and the market's position.
    fn remember(&self, headers: &HeaderMap) {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some((policy, left)) = text("ratelimit-policy").zip(text("ratelimit")) {
            let mut quotas = self.0.quotas.lock().unwrap_or_else(PoisonError::into_inner);
            quotas.record(policy, left, Instant::now());
        }
        if let Some(position) = headers.get(POSITION) {
            *self.0.position.lock().unwrap_or_else(PoisonError::into_inner) = Some(position.clone());
        }
    }
}

/// The failure and the error of an answer that is not a success.
fn refusal(answer: &Answer) -> (Failure, CallError) {
    let seconds = answer.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let problem: Option<Problem> = serde_json::from_slice(&answer.body).ok();
    let failure = Failure::Answered {
        status: answer.status,
        code: problem.as_ref().map(|problem| problem.code),
        retry_after: seconds.map(Duration::from_secs),
    };
    let unreadable = || CallError::Unknown(format!("the server answered with status {}", answer.status));
    (failure, problem.map_or_else(unreadable, |problem| CallError::Refused(Box::new(problem))))
}

fn without_answer(lost: Lost) -> (Failure, CallError) {
    if lost.may_be_sent {
        (Failure::NoAnswer, CallError::Unknown(lost.reason))
    } else {
        (Failure::NotSent, CallError::Unreachable(lost.reason))
    }
}
