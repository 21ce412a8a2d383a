//! A client of one upstream, with its key, timeouts, rate limit, retries and circuit breaker.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;

use super::breaker::BreakerRules;
use super::health::Health;
use super::meters::Meters;
use super::pace::Pace;
use super::retry::{RetryPolicy, Setback};
use super::trouble::Trouble;
use crate::https::{HttpsAnswer, HttpsEndpoint, Patience, Question};
use crate::text::excerpt;
use crate::upstream::{NoAnswer, SetupError, TIME_LIMIT, TIP_TIME_LIMIT};

/// The longest that a request waits for the rate limit, in microseconds.
const RATE_LIMIT_WAIT_MAX_US: u64 = 5_000_000;

/// The API key of an upstream.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// The name of the header.
    pub(crate) header: &'static str,
    /// The text before the key in the header.
    pub(crate) scheme: &'static str,
    /// The key itself.
    pub(crate) secret: SecretString,
}

/// The timeouts for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeLimits {
    pub(crate) usual: Duration,
    pub(crate) short: Duration,
    pub(crate) long: Duration,
}

impl Default for TimeLimits {
    /// The timeouts that apply in production.
    fn default() -> Self {
        Self { usual: TIME_LIMIT, short: TIP_TIME_LIMIT, long: Duration::from_secs(30) }
    }
}

impl TimeLimits {
    fn of(&self, class: Patience) -> Duration {
        match class {
            Patience::Usual => self.usual,
            Patience::Short => self.short,
            Patience::Long => self.long,
        }
    }
}

/// The configuration of an upstream.
pub(crate) struct SitePlan {
    /// Its name in the configuration, in metrics and in errors.
    pub(crate) name: String,
    /// Its address.
    pub(crate) url: String,
    /// Its API key.
    pub(crate) key: Option<Key>,
    /// The maximum number of requests per minute.
    pub(crate) per_minute: NonZeroU32,
    /// The timeouts for its answers.
    pub(crate) time_limits: TimeLimits,
    /// The maximum size of an answer, in bytes.
    pub(crate) answer_bytes_max: usize,
    /// Its retry policy.
    pub(crate) retry: RetryPolicy,
    /// The limits of its circuit breaker.
    pub(crate) rest: BreakerRules,
    /// A source of random numbers for the jitter of retries.
    pub(crate) random: Arc<dyn Fn() -> u32 + Send + Sync>,
    /// The metrics that count its requests.
    pub(crate) meters: Meters,
}

/// A client of one upstream.
pub(crate) struct Site {
    health: Health,
    endpoint: HttpsEndpoint,
    header: Option<(HeaderName, HeaderValue)>,
    time_limits: TimeLimits,
    retry: RetryPolicy,
    random: Arc<dyn Fn() -> u32 + Send + Sync>,
    rate_limiter: Mutex<Pace>,
}

impl Site {
    pub(crate) fn new(plan: SitePlan) -> Result<Self, SetupError> {
        let header = plan.key.map(|Key { header, scheme, secret }| {
            let mut value = HeaderValue::try_from(format!("{scheme}{}", secret.expose_secret().trim()))
                .map_err(|_| SetupError::Client("the key is no text for a header".to_owned()))?;
            value.set_sensitive(true);
            Ok((HeaderName::from_static(header), value))
        });
        Ok(Self {
            endpoint: HttpsEndpoint::new(&plan.url, plan.time_limits.usual, plan.answer_bytes_max)?,
            health: Health::new(plan.name, plan.meters, plan.rest),
            header: header.transpose()?,
            time_limits: plan.time_limits,
            retry: plan.retry,
            random: plan.random,
            rate_limiter: Mutex::new(Pace::per_minute(plan.per_minute)),
        })
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &str {
        self.health.name()
    }

    /// Returns the answer to a request, parsed; `None` for what it does not know.
    pub(crate) async fn read<T: DeserializeOwned>(&self, request: Question) -> Result<Option<T>, Trouble> {
        let Some(body) = self.ask(request).await? else { return Ok(None) };
        let read = serde_json::from_slice(&body);
        read.map(Some).map_err(|error| self.blamed(Trouble::nonsense(&error.to_string())))
    }

    /// Returns the same for what it must know.
    pub(crate) async fn known<T: DeserializeOwned>(&self, request: Question) -> Result<T, Trouble> {
        self.read(request).await?.ok_or(Trouble::Status(404))
    }

    /// Returns the raw answer to a request; `None` for what it does not know.
    pub(crate) async fn ask(&self, request: Question) -> Result<Option<Bytes>, Trouble> {
        let (mut retries, limit) = (0, self.time_limits.of(request.patience));
        let is_marketplace = request.patience == Patience::Long;
        let policy = if is_marketplace { self.retry.of_marketplace() } else { self.retry };
        loop {
            self.acquire().await?;
            let asked = Instant::now();
            let answer = self.endpoint.ask(request.clone(), self.header.clone(), limit).await;
            self.health.tried(asked.elapsed());
            let (error, failure) = match classified(answer) {
                Ok(body) => {
                    self.health.answered();
                    return Ok(body);
                }
                Err(rejected) => rejected,
            };
            let wait = failure.and_then(|failure| policy.wait(failure, retries, (self.random)()));
            let Some(wait) = wait else { return Err(self.blamed(error)) };
            retries += 1;
            tokio::time::sleep(wait).await;
        }
    }

    /// Waits for the rate limit, unless the circuit breaker is open.
    async fn acquire(&self) -> Result<(), Trouble> {
        self.health.admit()?;
        let now_us = u64::try_from(self.health.age().as_micros()).unwrap_or(u64::MAX);
        let wait = self.rate_limiter.lock().unwrap_or_else(PoisonError::into_inner).book(now_us, RATE_LIMIT_WAIT_MAX_US);
        tokio::time::sleep(Duration::from_micros(wait.ok_or(Trouble::Busy)?)).await;
        Ok(())
    }

    /// Counts a failure, which may open the circuit breaker, and returns it.
    pub(crate) fn blamed(&self, error: Trouble) -> Trouble {
        self.health.blame(&error);
        error
    }
}

/// Returns the body, or the error and whether a retry may help.
fn classified(answer: Result<HttpsAnswer, NoAnswer>) -> Result<Option<Bytes>, (Trouble, Option<Setback>)> {
    let HttpsAnswer { status, retry_after, body } = match answer {
        Ok(answer) => answer,
        Err(NoAnswer::Unreachable(why)) => {
            return Err((Trouble::Unreachable(excerpt(&why)), Some(Setback::Network)));
        }
        Err(error @ NoAnswer::TooLarge { .. }) => return Err((Trouble::nonsense(&error.to_string()), None)),
    };
    match status.as_u16() {
        200..=299 => Ok(Some(body)),
        404 => Ok(None),
        401 | 403 => Err((Trouble::Key, None)),
        400 | 422 => Err((Trouble::Refused(excerpt(&String::from_utf8_lossy(&body))), None)),
        code => Err((Trouble::Status(code), Some(Setback::Status { code, retry_after }))),
    }
}
