//! A request to a webhook, and what its answer means.

use std::time::{Duration, Instant};

use actix_web::web::Bytes;
use domain::{AttemptResult, Message, UserId, Webhook};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use providers::{CallbackError, CallbackUrl};

use super::links::Links;
use super::outcome::SendOutcome;
use super::webhook_event::WebhookEvent;
use super::webhooks::Webhooks;
use crate::clock;
use crate::config::delivery_timing::millis;

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The longest delay that a webhook or a push service may ask for.
pub(super) const RETRY_AFTER_MAX: Duration = Duration::from_hours(24);

/// The status of a webhook that will never accept anything.
const GONE: u16 = 410;

/// A request to a webhook, to be signed when it is sent.
pub struct WebhookRequest {
    user: UserId,
    webhook: Webhook,
    event: WebhookEvent,
}

/// The result of an attempt.
pub struct WebhookAttemptResult {
    /// The outcome for the message.
    pub outcome: SendOutcome,
    /// The result as it is shown to the user.
    pub result: AttemptResult,
    /// Its duration, in milliseconds.
    pub duration_ms: u32,
    /// The beginning of the answer; empty without an answer.
    pub excerpt: String,
}

impl WebhookRequest {
    /// Prepares the request of a message to a webhook; `None` if it has no event.
    #[must_use]
    pub fn of(message: &Message, webhook: &Webhook, links: &Links<'_>) -> Option<Self> {
        let event = WebhookEvent::of(message, links)?;
        Some(Self { user: message.user, webhook: webhook.clone(), event })
    }

    /// Signs and sends the request once.
    pub async fn send(&self, webhooks: &Webhooks) -> WebhookAttemptResult {
        let begin = Instant::now();
        // The policy may have become stricter since the URL was accepted.
        let answer = match CallbackUrl::parse(&self.webhook.url, webhooks.client.policy()) {
            Ok(url) => {
                let body = serde_json::to_vec(&self.event).unwrap_or_default();
                webhooks.client.post(&url, self.headers(webhooks, &body), Bytes::from(body)).await
            }
            Err(_) => Err(CallbackError::AddressRefused),
        };
        let duration_ms = u32::try_from(millis(begin.elapsed())).unwrap_or(u32::MAX);
        match answer {
            Ok(answer) => WebhookAttemptResult {
                outcome: outcome(answer.status, answer.retry_after),
                result: AttemptResult::Status(answer.status),
                duration_ms,
                excerpt: answer.excerpt,
            },
            Err(error) => WebhookAttemptResult {
                outcome: SendOutcome::Deferred { why: error.to_string(), after: None },
                result: match error {
                    CallbackError::AddressRefused => AttemptResult::AddressRefused,
                    CallbackError::Unreachable => AttemptResult::Unreachable,
                    CallbackError::TimedOut => AttemptResult::TimedOut,
                    CallbackError::NoAnswer => AttemptResult::NoAnswer,
                },
                duration_ms,
                excerpt: String::new(),
            },
        }
    }

    fn headers(&self, webhooks: &Webhooks, body: &[u8]) -> Vec<(HeaderName, HeaderValue)> {
        let (now, id) = (clock::now(), self.event.id());
        let sign = |version| webhooks.secret(self.user, &self.webhook, version).sign(id, now.seconds(), body);
        let signatures: Vec<String> = self.webhook.signing_versions(now).map(sign).collect();
        let headers = [
            (CONTENT_TYPE, "application/json".to_owned()),
            (WEBHOOK_ID, id.to_owned()),
            (WEBHOOK_TIMESTAMP, now.seconds().to_string()),
            (WEBHOOK_SIGNATURE, signatures.join(" ")),
        ];
        // Ids of events are ASCII.
        headers.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::try_from(value).ok()?))).collect()
    }
}

/// Any status but 2xx is tried again: a server that is configured wrongly is mended within days, and misses nothing.
fn outcome(status: u16, retry_after: Option<Duration>) -> SendOutcome {
    let why = format!("status {status}");
    match status {
        200..=299 => SendOutcome::Accepted,
        GONE => SendOutcome::Closed(why),
        _ => SendOutcome::Deferred { why, after: retry_after.map(|after| after.min(RETRY_AFTER_MAX)) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_2xx_accepts_and_only_410_ends() {
        for status in [200, 201, 204, 299] {
            assert_eq!(outcome(status, None), SendOutcome::Accepted);
        }
        for status in [100, 301, 302, 304, 400, 401, 404, 409, 429, 500, 503, 599] {
            assert!(matches!(outcome(status, None), SendOutcome::Deferred { after: None, .. }), "{status}");
        }
        assert!(matches!(outcome(410, None), SendOutcome::Closed(_)));
        let month = Some(Duration::from_hours(24 * 30));
        assert!(matches!(outcome(429, month), SendOutcome::Deferred { after: Some(RETRY_AFTER_MAX), .. }));
    }
}
