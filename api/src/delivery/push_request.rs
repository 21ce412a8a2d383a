//! A request to a push service, and the meaning of its answer.

use std::time::Duration;

use actix_web::web::Bytes;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{NoticeFacts, NoticeKind, Outbox, PushId, PushSubscription, UnixMs};
use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use serde::Serialize;

use super::message_text::MessageText;
use super::outcome::SendOutcome;
use super::push_address::PushAddress;
use super::pushes::Pushes;
use super::webhook_request::RETRY_AFTER_MAX;
use crate::clock;

const TTL: HeaderName = HeaderName::from_static("ttl");
const URGENCY: HeaderName = HeaderName::from_static("urgency");
const TOPIC: HeaderName = HeaderName::from_static("topic");

/// The shortest time for which a push service keeps a message, in seconds.
const TTL_MIN_S: u64 = 60;
const HOUR_MS: u64 = 3_600_000;

/// The length of texts is a multiple of this, in bytes, so that a push service does not tell them apart by it.
const PADDED_TO: usize = 1_024;

/// A request to a push service, to be encrypted and signed when it is sent.
pub struct PushRequest {
    subscription: PushSubscription,
    facts: NoticeFacts,
    text: Vec<u8>,
}

/// The text for the browser, as JSON. It has no amounts: a locked screen shows it.
#[derive(Serialize)]
struct PushText<'a> {
    id: &'a str,
    title: &'a str,
    body: &'a str,
    url: &'a str,
}

impl PushRequest {
    /// Prepares the request of a notice.
    #[must_use]
    pub fn of(subscription: &PushSubscription, facts: &NoticeFacts, text: &MessageText) -> Self {
        // The last paragraph is about what to do; the one before it has the sums.
        let body = text.paragraphs.last().map(String::as_str).unwrap_or_default();
        let text = PushText { id: &facts.id, title: &text.subject, body, url: &text.link };
        let mut text = serde_json::to_vec(&text).unwrap_or_default();
        text.resize(text.len().next_multiple_of(PADDED_TO), b' ');
        Self { subscription: subscription.clone(), facts: facts.clone(), text }
    }

    /// Returns the id of the subscription.
    #[must_use]
    pub const fn subscription(&self) -> PushId {
        self.subscription.id
    }

    /// Encrypts, signs and sends the request once.
    pub async fn send(&self, pushes: &Pushes) -> SendOutcome {
        let address = match PushAddress::parse(&self.subscription.target, pushes.client.policy()) {
            Ok(address) => address,
            Err(error) => return SendOutcome::Deferred { why: error.to_string(), after: None },
        };
        let Some((headers, body)) = self.headers(pushes, &address).zip(address.encrypt(self.text.clone())) else {
            return SendOutcome::Refused("the message cannot be encrypted or signed".to_owned());
        };
        match pushes.client.post(&address.url, headers, Bytes::from(body)).await {
            Ok(answer) => outcome(answer.status, answer.retry_after),
            Err(error) => SendOutcome::Deferred { why: error.to_string(), after: None },
        }
    }

    fn headers(&self, pushes: &Pushes, address: &PushAddress) -> Option<Vec<(HeaderName, HeaderValue)>> {
        let now = clock::now();
        let authorization = pushes.key.authorization(address.origin(), pushes.contact.as_deref(), now)?;
        let headers = [
            (AUTHORIZATION, authorization),
            (CONTENT_TYPE, "application/octet-stream".to_owned()),
            (CONTENT_ENCODING, "aes128gcm".to_owned()),
            (TTL, ttl_s(&self.facts, now).to_string()),
            (URGENCY, if self.facts.kind.is_critical() { "high" } else { "normal" }.to_owned()),
            (TOPIC, self.topic(pushes)),
        ];
        headers.into_iter().map(|(name, value)| Some((name, HeaderValue::try_from(value).ok()?))).collect()
    }

    /// Returns the name by which a message that is sent again replaces itself at the push service, as long as the browser
    /// does not have it. It says nothing about the notice.
    fn topic(&self, pushes: &Pushes) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&pushes.topic_key);
        hasher.update(&self.subscription.id.0.to_be_bytes()).update(self.facts.id.as_bytes());
        URL_SAFE_NO_PAD.encode(&hasher.finalize().as_bytes()[..16])
    }
}

/// Returns the time for which a browser that is not reachable may still get a notice, in seconds: as long as its user can
/// do what it asks for.
fn ttl_s(facts: &NoticeFacts, now: UnixMs) -> u64 {
    let lifetime_ms = match facts.kind {
        NoticeKind::CounterSignatureNeeded
        | NoticeKind::SignatureNeeded
        | NoticeKind::RequestFilled
        | NoticeKind::CounterOfferAccepted => 12 * HOUR_MS,
        NoticeKind::DueIn24Hours => 24 * HOUR_MS,
        _ => Outbox::NOTICE_AGE_MAX_MS,
    };
    (facts.at.plus_ms(lifetime_ms).0.saturating_sub(now.0) / 1_000).max(TTL_MIN_S)
}

/// A push service that is busy or ill is asked again. It has forgotten the subscription by 404 and 410, and refuses the
/// message for its key, size or form by other codes, which no repetition mends.
fn outcome(status: u16, retry_after: Option<Duration>) -> SendOutcome {
    let why = format!("status {status}");
    match status {
        200..=299 => SendOutcome::Accepted,
        404 | 410 => SendOutcome::Closed(why),
        408 | 425 | 429 => SendOutcome::Deferred { why, after: retry_after.map(|after| after.min(RETRY_AFTER_MAX)) },
        400..=499 => SendOutcome::Refused(why),
        _ => SendOutcome::Deferred { why, after: retry_after.map(|after| after.min(RETRY_AFTER_MAX)) },
    }
}

#[cfg(test)]
mod tests {
    use domain::{LoanId, NoticeKinds, PushTarget, Role};

    use super::*;

    fn facts(kind: NoticeKind, at: u64) -> NoticeFacts {
        NoticeFacts {
            id: "ln_7-overdue".to_owned(),
            kind,
            at: UnixMs(at),
            collection_name: "paper frogs".to_owned(),
            loan: Some(LoanId(7)),
            role: Some(Role::Borrower),
            offer: None,
        }
    }

    #[test]
    fn texts_of_all_lengths_look_alike_and_have_no_sums() {
        let target = PushTarget { endpoint: String::new(), public_key: String::new(), auth: String::new() };
        let (agent, kinds, added_at) = (String::new(), NoticeKinds::default(), UnixMs(0));
        let subscription = PushSubscription { id: PushId(1), target, agent, kinds, added_at };
        let text = |last: &str| {
            let paragraphs = vec!["Principal 0.5 BTC.".to_owned(), last.to_owned()];
            let text =
                MessageText { subject: "Overdue".to_owned(), paragraphs, link: "https://a.example/b".to_owned() };
            PushRequest::of(&subscription, &facts(NoticeKind::Overdue, 0), &text).text
        };
        let (short, long) = (text("Repay."), text(&"Repay soon. ".repeat(20)));
        assert_eq!((short.len(), long.len()), (PADDED_TO, PADDED_TO));
        assert_eq!(text(&"x".repeat(PADDED_TO)).len(), 2 * PADDED_TO);
        let read: serde_json::Value = serde_json::from_slice(&short).unwrap();
        let expected = serde_json::json!({
            "id": "ln_7-overdue", "title": "Overdue", "body": "Repay.", "url": "https://a.example/b",
        });
        assert_eq!(read, expected);
    }

    #[test]
    fn a_notice_waits_for_its_browser_as_long_as_its_user_can_act() {
        let hours = |kind, now_ms| ttl_s(&facts(kind, 1_000), UnixMs(1_000 + now_ms)) / 3_600;
        assert_eq!(hours(NoticeKind::CounterSignatureNeeded, 0), 12);
        assert_eq!(hours(NoticeKind::CounterSignatureNeeded, 5 * HOUR_MS), 7);
        assert_eq!((hours(NoticeKind::DueIn24Hours, 0), hours(NoticeKind::Repaid, 0)), (24, 72));
        assert_eq!(ttl_s(&facts(NoticeKind::Repaid, 1_000), UnixMs(u64::MAX)), TTL_MIN_S);
    }

    #[test]
    fn only_404_and_410_end_a_subscription_and_only_a_service_that_may_recover_is_asked_again() {
        for status in [200, 201, 202, 204] {
            assert_eq!(outcome(status, None), SendOutcome::Accepted);
        }
        for status in [404, 410] {
            assert!(matches!(outcome(status, None), SendOutcome::Closed(_)), "{status}");
        }
        for status in [400, 401, 403, 405, 413, 422] {
            assert!(matches!(outcome(status, None), SendOutcome::Refused(_)), "{status}");
        }
        for status in [302, 408, 429, 500, 502, 503] {
            assert!(matches!(outcome(status, None), SendOutcome::Deferred { after: None, .. }), "{status}");
        }
        let month = Some(Duration::from_hours(24 * 30));
        assert!(matches!(outcome(429, month), SendOutcome::Deferred { after: Some(RETRY_AFTER_MAX), .. }));
    }
}
