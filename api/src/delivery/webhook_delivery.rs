//! The delivery of a message to a webhook: recorded, sent, recorded.

use std::time::Duration;

use domain::{DeliveryOutcome, GiveUpReason, Message, OutboxEvent, UnixMs};
use engine::Refusal;

use super::context::DeliveryContext;
use super::outcome::SendOutcome;
use super::outcome_log::log_outcome;
use super::webhook_request::{WebhookAttemptResult, WebhookRequest};
use crate::config::delivery_timing::millis;

/// Sends a message to its webhook; `None` when it was not sent.
pub async fn deliver(context: &DeliveryContext, message: &Message, request: &WebhookRequest) -> Option<SendOutcome> {
    let webhooks = context.delivery.webhooks()?;
    if context.delivery.is_stopping() {
        return None;
    }
    let attempt = match context.market.begin_delivery(message.id).await {
        Ok(attempt) => attempt,
        Err(refusal) => {
            tracing::debug!(message = %message.id, %refusal, "an event could not be recorded as handed over yet");
            return None;
        }
    };
    let sent = request.send(webhooks).await;
    webhooks.answers.put(message.id, sent.excerpt.clone());
    let settled = record(context, message, &sent, attempt).await;
    log_outcome(context, message, &sent.outcome, attempt, settled.as_ref());
    Some(sent.outcome)
}

/// Records the result, with retries under overload: without a record the message is sent again.
async fn record(
    context: &DeliveryContext,
    message: &Message,
    sent: &WebhookAttemptResult,
    attempt: u32,
) -> Option<OutboxEvent> {
    let outcome = delivery_outcome(context, &sent.outcome, attempt);
    loop {
        match context.market.record_webhook_attempt(message.id, (sent.result, sent.duration_ms), outcome).await {
            Ok(event) => return Some(event),
            Err(Refusal::Overloaded { .. }) => tokio::time::sleep(context.delivery.timing.poll_interval).await,
            Err(refusal) => {
                tracing::warn!(message = %message.id, %refusal, "the outcome of an event was not recorded");
                return None;
            }
        }
    }
}

fn delivery_outcome(context: &DeliveryContext, outcome: &SendOutcome, attempt: u32) -> DeliveryOutcome {
    let now = context.now();
    let retry_at = |after: Option<Duration>| {
        let requested_at = after.map_or(UnixMs(0), |after| now.plus_ms(millis(after)));
        context.delivery.timing.webhook_retry_at(attempt, rand::random(), now).max(requested_at)
    };
    match outcome {
        SendOutcome::Accepted => DeliveryOutcome::Accepted,
        SendOutcome::Refused(_) | SendOutcome::Closed(_) => DeliveryOutcome::Rejected(GiveUpReason::Refused),
        SendOutcome::Deferred { after, .. } => DeliveryOutcome::Deferred { retry_at: retry_at(*after) },
        SendOutcome::Unavailable(_) | SendOutcome::Unknown(_) => DeliveryOutcome::Deferred { retry_at: retry_at(None) },
    }
}
