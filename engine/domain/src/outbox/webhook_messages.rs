//! The commands and the events of messages to webhooks.

use super::{
    AttemptResult, GiveUpReason, Message, MessageContent, MessageId, NoticeFacts, Outbox, OutboxEvent, OutboxRejection,
    Stage, WebhookDelivery,
};
use crate::{ContactChannel, DAY_MS, UnixMs, UserId, WebhookId, WebhookPauseReason};

impl Outbox {
    /// The maximum number of messages to one webhook that have not ended.
    pub const WEBHOOK_PENDING_MAX: usize = 100;
    /// The maximum number of messages to all webhooks that have not ended.
    pub const WEBHOOKS_PENDING_MAX: usize = 50_000;
    /// The maximum number of messages to one webhook per day.
    pub const WEBHOOK_MESSAGES_PER_DAY_MAX: usize = 1_000;
    /// The maximum number of delivery attempts of a message to a webhook.
    pub const WEBHOOK_ATTEMPTS_MAX: u32 = 10;
    /// The age from which a notice is not sent to a webhook any more, in milliseconds: later than the last attempt.
    pub const WEBHOOK_AGE_MAX_MS: u64 = 5 * DAY_MS;

    /// The latest messages to a webhook, the newest first, also those that have ended.
    pub fn webhook_deliveries(&self, webhook: WebhookId) -> impl Iterator<Item = &WebhookDelivery> {
        self.webhooks.deliveries(ContactChannel::Webhook(webhook))
    }

    /// Refuses `count` further messages to a webhook that has too many.
    pub(super) fn check_webhook_room(
        &self,
        user: UserId,
        webhook: WebhookId,
        count: usize,
        now: UnixMs,
    ) -> Result<(), OutboxRejection> {
        if self.webhooks.len() + count > Self::WEBHOOKS_PENDING_MAX {
            return Err(OutboxRejection::Full { max: Self::WEBHOOKS_PENDING_MAX });
        }
        if self.webhooks.pending(ContactChannel::Webhook(webhook)) + count > Self::WEBHOOK_PENDING_MAX {
            return Err(OutboxRejection::WebhookFull { max: Self::WEBHOOK_PENDING_MAX });
        }
        let max = Self::WEBHOOK_MESSAGES_PER_DAY_MAX;
        if self.queued_within_day((user, ContactChannel::Webhook(webhook)), now) + count > max {
            return Err(OutboxRejection::WebhookFull { max });
        }
        Ok(())
    }

    /// Queues a test event for a webhook.
    ///
    /// # Errors
    /// [`OutboxRejection::Full`], [`OutboxRejection::WebhookFull`].
    pub fn queue_test(&self, user: UserId, webhook: WebhookId, now: UnixMs) -> Result<OutboxEvent, OutboxRejection> {
        self.check_webhook_room(user, webhook, 1, now)?;
        Ok(self.queued(1, user, webhook, MessageContent::Test { at: now }))
    }

    /// Queues notices again, in the given order, whether they were delivered or not. Those that are pending already are
    /// left out.
    ///
    /// # Errors
    /// [`OutboxRejection::Full`], [`OutboxRejection::WebhookFull`].
    pub fn replay(
        &self,
        user: UserId,
        webhook: WebhookId,
        notices: Vec<NoticeFacts>,
        now: UnixMs,
    ) -> Result<Vec<OutboxEvent>, OutboxRejection> {
        let pending = self.webhooks.pending_of(ContactChannel::Webhook(webhook));
        let is_pending = |notice: &NoticeFacts| {
            let contents = pending.iter().filter_map(|id| self.pending.get(id)?.message.content.facts());
            contents.into_iter().any(|facts| facts.id == notice.id)
        };
        let notices: Vec<NoticeFacts> = notices.into_iter().filter(|notice| !is_pending(notice)).collect();
        self.check_webhook_room(user, webhook, notices.len(), now)?;
        let contents = notices.into_iter().map(MessageContent::Replayed);
        Ok((1..).zip(contents).map(|(place, content)| self.queued(place, user, webhook, content)).collect())
    }

    /// Queues the event of an earlier message again. A test event is repeated as a new one.
    ///
    /// # Errors
    /// [`OutboxRejection::UnknownEvent`] for a message that is not in the record of the webhook; those of
    /// [`Self::replay`].
    pub fn redeliver(
        &self,
        user: UserId,
        webhook: WebhookId,
        id: MessageId,
        now: UnixMs,
    ) -> Result<Vec<OutboxEvent>, OutboxRejection> {
        let delivery = self.webhooks.deliveries(ContactChannel::Webhook(webhook)).find(|delivery| delivery.id == id);
        match delivery.ok_or(OutboxRejection::UnknownEvent)?.content.facts() {
            Some(facts) => self.replay(user, webhook, vec![facts.clone()], now),
            None => Ok(vec![self.queue_test(user, webhook, now)?]),
        }
    }

    fn queued(&self, place: u64, user: UserId, webhook: WebhookId, content: MessageContent) -> OutboxEvent {
        let (id, channel) = (MessageId(self.latest.saturating_add(place)), ContactChannel::Webhook(webhook));
        OutboxEvent::Queued(Box::new(Message { id, user, channel, content }))
    }

    /// Records the result of an attempt at a webhook, before its outcome.
    ///
    /// # Errors
    /// [`OutboxRejection::Unknown`], [`OutboxRejection::NotInFlight`].
    pub fn record_attempt(
        &self,
        id: MessageId,
        result: AttemptResult,
        duration_ms: u32,
    ) -> Result<OutboxEvent, OutboxRejection> {
        let pending = self.pending.get(&id).ok_or(OutboxRejection::Unknown(id))?;
        if pending.stage != Stage::InFlight {
            return Err(OutboxRejection::NotInFlight(id));
        }
        Ok(OutboxEvent::Attempted { id, result, duration_ms })
    }

    /// The webhook that is to be paused with the end of a message: it has accepted none of its attempts, or is gone. A
    /// failed test event pauses nothing.
    #[must_use]
    pub fn pause_with(&self, event: &OutboxEvent) -> Option<(UserId, WebhookId, WebhookPauseReason)> {
        let OutboxEvent::GivenUp { id, reason } = event else { return None };
        let message = &self.pending.get(id)?.message;
        let webhook = message.channel.webhook()?;
        let is_test = message.content.facts().is_none();
        match reason {
            GiveUpReason::Refused => Some((message.user, webhook, WebhookPauseReason::Gone)),
            GiveUpReason::TooManyAttempts if !is_test => Some((message.user, webhook, WebhookPauseReason::Failing)),
            _ => None,
        }
    }
}
