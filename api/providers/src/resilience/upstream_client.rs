//! A client of one upstream, with its key, timeouts, rate limit, retries and circuit breaker.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::locks::MutexExt as _;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;

use super::environment::UpstreamEnvironment;
use super::health::Health;
use super::rate_limiter::RateLimiter;
use super::retry::{AttemptFailure, RetryPolicy};
use super::time_limits::TimeLimits;
use crate::capability::UpstreamError;
use crate::http::{HttpEndpoint, HttpRequest, HttpResponse, RequestError, SetupError, TimeoutClass};
use crate::parsing::text::excerpt;

/// The maximum size of an answer: a wallet's inscriptions with full descriptions fit.
const ANSWER_BYTES_MAX: usize = 8_000_000;
/// The longest that a request waits for the rate limit, in microseconds.
const RATE_LIMIT_WAIT_MAX_US: u64 = 5_000_000;

/// The API key of an upstream.
#[derive(Clone, Debug)]
pub(crate) struct ApiKey {
    /// The name of the header.
    pub(crate) header: &'static str,
    /// The text before the key in the header.
    pub(crate) scheme: &'static str,
    /// The key itself.
    pub(crate) secret: SecretString,
}

/// The configuration of an upstream.
pub(crate) struct UpstreamClientConfig {
    /// Its name in the configuration, in metrics and in errors.
    pub(crate) name: String,
    /// Its address.
    pub(crate) url: String,
    /// Its API key.
    pub(crate) key: Option<ApiKey>,
    /// The maximum number of requests per minute.
    pub(crate) per_minute: NonZeroU32,
}

/// A client of one upstream.
pub(crate) struct UpstreamClient {
    health: Health,
    endpoint: HttpEndpoint,
    header: Option<(HeaderName, HeaderValue)>,
    time_limits: TimeLimits,
    retry: RetryPolicy,
    random: Arc<dyn Fn() -> u32 + Send + Sync>,
    rate_limiter: Mutex<RateLimiter>,
}

impl UpstreamClient {
    pub(crate) fn new(plan: UpstreamClientConfig, environment: &UpstreamEnvironment) -> Result<Self, SetupError> {
        let UpstreamEnvironment { time_limits, retry, breaker, .. } = *environment;
        let header = plan.key.map(|ApiKey { header, scheme, secret }| {
            let mut value = HeaderValue::try_from(format!("{scheme}{}", secret.expose_secret().trim()))
                .map_err(|_| SetupError::Client("the key is no text for a header".to_owned()))?;
            value.set_sensitive(true);
            Ok((HeaderName::from_static(header), value))
        });
        Ok(Self {
            endpoint: HttpEndpoint::remote(&plan.url, time_limits.normal, ANSWER_BYTES_MAX)?,
            health: Health::new(plan.name, environment.metrics.clone(), breaker),
            header: header.transpose()?,
            time_limits,
            retry,
            random: Arc::clone(&environment.random),
            rate_limiter: Mutex::new(RateLimiter::per_minute(plan.per_minute)),
        })
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &str {
        self.health.name()
    }

    /// Returns the answer to a request, parsed; `None` for what it does not know.
    pub(crate) async fn read<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<Option<T>, UpstreamError> {
        let Some(body) = self.send(request).await? else { return Ok(None) };
        let read = serde_json::from_slice(&body);
        read.map(Some).map_err(|error| self.record_failure(UpstreamError::invalid_response(&error.to_string())))
    }

    /// Returns the same for what it must know.
    pub(crate) async fn read_required<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<T, UpstreamError> {
        self.read(request).await?.ok_or(UpstreamError::Status(404))
    }

    /// Returns the raw answer to a request; `None` for what it does not know.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<Option<Bytes>, UpstreamError> {
        let (mut retries, limit) = (0, self.time_limits.of(request.timeout_class));
        let request = request.with_header(self.header.clone());
        let is_marketplace = request.timeout_class == TimeoutClass::Long;
        let policy = if is_marketplace { self.retry.for_marketplace() } else { self.retry };
        loop {
            self.acquire().await?;
            let asked = Instant::now();
            let answer = self.endpoint.send(request.clone(), limit).await;
            self.health.record_attempt(asked.elapsed());
            let (error, failure) = match classified(answer.map_err(|error| error.failure)) {
                Ok(body) => {
                    self.health.record_success();
                    return Ok(body);
                }
                Err(rejected) => rejected,
            };
            let wait = failure.and_then(|failure| policy.delay(failure, retries, (self.random)()));
            let Some(wait) = wait else { return Err(self.record_failure(error)) };
            retries += 1;
            tokio::time::sleep(wait).await;
        }
    }

    /// Waits for the rate limit, unless the circuit breaker is open.
    async fn acquire(&self) -> Result<(), UpstreamError> {
        self.health.admit()?;
        let now_us = u64::try_from(self.health.age().as_micros()).unwrap_or(u64::MAX);
        let wait = self.rate_limiter.lock_unpoisoned().reserve(now_us, RATE_LIMIT_WAIT_MAX_US);
        tokio::time::sleep(Duration::from_micros(wait.ok_or(UpstreamError::RateLimited)?)).await;
        Ok(())
    }

    /// Counts a failure, which may open the circuit breaker, and returns it.
    pub(crate) fn record_failure(&self, error: UpstreamError) -> UpstreamError {
        self.health.record_failure(&error);
        error
    }
}

/// Returns the body, or the error and whether a retry may help.
fn classified(
    answer: Result<HttpResponse, RequestError>,
) -> Result<Option<Bytes>, (UpstreamError, Option<AttemptFailure>)> {
    let HttpResponse { status, retry_after, body } = match answer {
        Ok(answer) => answer,
        Err(RequestError::Unreachable(why)) => {
            return Err((UpstreamError::Unreachable(excerpt(&why)), Some(AttemptFailure::Network)));
        }
        Err(error @ RequestError::TooLarge { .. }) => {
            return Err((UpstreamError::invalid_response(&error.to_string()), None));
        }
    };
    match status.as_u16() {
        200..=299 => Ok(Some(body)),
        404 => Ok(None),
        401 | 403 => Err((UpstreamError::Unauthorized, None)),
        400 | 422 => Err((UpstreamError::Refused(excerpt(&String::from_utf8_lossy(&body))), None)),
        code => Err((UpstreamError::Status(code), Some(AttemptFailure::Status { code, retry_after }))),
    }
}
