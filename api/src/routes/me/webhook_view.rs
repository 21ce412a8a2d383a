//! Webhooks and their deliveries as their user sees them.

use domain::{AttemptResult, GiveUpReason, UnixMs, Webhook, WebhookDelivery, WebhookPauseReason};
use engine::wire::NoticeKind;
use serde::Serialize;
use utoipa::ToSchema;

use crate::delivery::webhook_event::event_id;
use crate::delivery::webhooks::Webhooks;

/// A webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    /// The id.
    webhook_id: String,
    /// The URL that is called.
    url: String,
    /// The kinds of events that are sent to it.
    kinds: Vec<NoticeKind>,
    /// The time of its creation, in unix milliseconds.
    #[schema(value_type = u64)]
    created_at: UnixMs,
    /// The time since which it is paused, in unix milliseconds; `null` while events are sent to it.
    #[schema(value_type = Option<u64>, required)]
    paused_at: Option<UnixMs>,
    /// The reason of its pause.
    #[schema(required)]
    pause_reason: Option<PauseReason>,
    /// The time until which requests are also signed by the secret before, in unix milliseconds.
    #[schema(value_type = Option<u64>, required)]
    previous_secret_until: Option<UnixMs>,
}

/// The reason why a webhook is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// Its user paused it.
    ByUser,
    /// It has not accepted an event within about three days.
    Failing,
    /// It answered with status 410.
    Gone,
}

impl WebhookView {
    /// Returns the view of a webhook.
    #[must_use]
    pub fn of(webhook: &Webhook, now: UnixMs) -> Self {
        Self {
            webhook_id: webhook.id.to_string(),
            url: webhook.url.clone(),
            kinds: webhook.kinds.iter().map(Into::into).collect(),
            created_at: webhook.created_at,
            paused_at: webhook.pause.map(|pause| pause.since),
            pause_reason: webhook.pause.map(|pause| match pause.reason {
                WebhookPauseReason::ByUser => PauseReason::ByUser,
                WebhookPauseReason::Failing => PauseReason::Failing,
                WebhookPauseReason::Gone => PauseReason::Gone,
            }),
            previous_secret_until: webhook.previous_until.filter(|until| now < *until),
        }
    }
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStateName {
    /// It waits for its next attempt, or for an earlier event of the same loan or offer.
    Waiting,
    /// An attempt is in progress.
    InFlight,
    /// The webhook has accepted it.
    Delivered,
    /// The webhook has not accepted it, and it is not sent any more.
    Failed,
    /// The webhook was paused before it was sent.
    Dropped,
}

/// The reason why an attempt got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptFailure {
    /// The host has no address in the public Internet.
    AddressRefused,
    /// No connection was made, or not one that its certificate is valid for.
    Unreachable,
    /// It did not answer in time.
    TimedOut,
    /// The connection was lost before the answer.
    NoAnswer,
}

/// A delivery of an event to a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    /// The id of the delivery.
    delivery_id: String,
    /// The id of the event, as in the header `webhook-id`.
    event_id: String,
    /// The kind of the event; `null` for a test event.
    #[schema(required)]
    kind: Option<NoticeKind>,
    /// The time at which it was queued, in unix milliseconds.
    #[schema(value_type = u64)]
    queued_at: UnixMs,
    /// The number of attempts so far.
    attempts: u32,
    /// The state.
    state: DeliveryStateName,
    /// The earliest time of the next attempt, in unix milliseconds, while it waits.
    #[schema(value_type = Option<u64>, required)]
    next_attempt_at: Option<UnixMs>,
    /// The time of the last attempt, in unix milliseconds.
    #[schema(value_type = Option<u64>, required)]
    last_attempt_at: Option<UnixMs>,
    /// The HTTP status of the last answer.
    #[schema(required)]
    status: Option<u16>,
    /// The reason why the last attempt got no answer.
    #[schema(required)]
    failure: Option<AttemptFailure>,
    /// The duration of the last attempt, in milliseconds.
    #[schema(required)]
    duration_ms: Option<u32>,
    /// The first 512 bytes of the last answer as plain text; `null` if it was empty, or this server does not keep it any
    /// more.
    #[schema(required)]
    answer: Option<String>,
}

impl DeliveryView {
    /// Returns the view of a delivery.
    #[must_use]
    pub fn of(delivery: &WebhookDelivery, webhooks: &Webhooks) -> Self {
        let (state, next_attempt_at) = match delivery.state {
            domain::DeliveryState::Waiting { not_before } => (DeliveryStateName::Waiting, Some(not_before)),
            domain::DeliveryState::InFlight => (DeliveryStateName::InFlight, None),
            domain::DeliveryState::Delivered => (DeliveryStateName::Delivered, None),
            domain::DeliveryState::GivenUp(GiveUpReason::NotWanted) => (DeliveryStateName::Dropped, None),
            domain::DeliveryState::GivenUp(_) => (DeliveryStateName::Failed, None),
        };
        let last = delivery.last_attempt;
        let (status, failure) = match last.map(|attempt| attempt.result) {
            Some(AttemptResult::Status(status)) => (Some(status), None),
            Some(AttemptResult::AddressRefused) => (None, Some(AttemptFailure::AddressRefused)),
            Some(AttemptResult::Unreachable) => (None, Some(AttemptFailure::Unreachable)),
            Some(AttemptResult::TimedOut) => (None, Some(AttemptFailure::TimedOut)),
            Some(AttemptResult::NoAnswer) => (None, Some(AttemptFailure::NoAnswer)),
            None => (None, None),
        };
        Self {
            delivery_id: delivery.id.to_string(),
            event_id: event_id(delivery.id, &delivery.content),
            kind: delivery.content.facts().map(|facts| facts.kind.into()),
            queued_at: delivery.queued_at,
            attempts: delivery.attempts,
            state,
            next_attempt_at,
            last_attempt_at: last.map(|attempt| attempt.at),
            status,
            failure,
            duration_ms: last.map(|attempt| attempt.duration_ms),
            answer: webhooks.answers.get(delivery.id),
        }
    }
}
