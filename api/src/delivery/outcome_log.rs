//! The log and the counters of deliveries.

use domain::{ChannelKind, Message, OutboxEvent};

use super::context::DeliveryContext;
use super::outcome::SendOutcome;

/// Logs the result for the operator, without the user or the text.
pub fn log_outcome(
    context: &DeliveryContext,
    message: &Message,
    outcome: &SendOutcome,
    attempt: u32,
    settled: Option<&OutboxEvent>,
) {
    let (id, channel) = (message.id, channel_name(message.channel.kind()));
    context.metrics.count_message(channel, settled);
    let why = match outcome {
        SendOutcome::Accepted => return,
        SendOutcome::Refused(why)
        | SendOutcome::Closed(why)
        | SendOutcome::Unavailable(why)
        | SendOutcome::Unknown(why)
        | SendOutcome::Deferred { why, .. } => why,
    };
    if message.channel.is_callback() {
        // It is on its user to mend it; there may be many of them.
        tracing::debug!(message = %id, channel, attempt, why, "a URL of a user did not accept a message");
    } else if let Some(OutboxEvent::GivenUp { reason: ending, .. }) = settled {
        tracing::warn!(message = %id, channel, attempt, why, ?ending, "a message was given up");
    } else {
        tracing::warn!(message = %id, channel, attempt, why, "a message will be sent again later");
    }
}

/// Returns the name of a channel in logs and metrics.
const fn channel_name(channel: ChannelKind) -> &'static str {
    match channel {
        ChannelKind::Email => "email",
        ChannelKind::Telegram => "telegram",
        ChannelKind::Webhook => "webhook",
        ChannelKind::Push => "push",
    }
}
