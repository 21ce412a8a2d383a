//! The outbox: messages to be delivered to users outside the app.
//!
//! A delivery attempt is recorded before it begins, and its outcome afterwards. A crash in between, or a lost answer,
//! leaves a message whose delivery is unknown. Such a message is sent again, since a user who misses a notice may lose
//! funds: a mail carries the same Message-ID each time, by which duplicates are recognized, and a chat message, which
//! would be shown twice, is repeated a few times at most. A request to a webhook carries the id of its event each time,
//! and is not sent before the earlier events of the same loan or offer have ended. A message to a browser replaces its
//! earlier self there.

mod callback_queue;
mod event;
mod message;
mod push_messages;
mod rejection;
mod webhook_messages;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::{ChannelKind, ContactChannel, DAY_MS, UnixMs, UserId};

use self::callback_queue::CallbackQueue;

pub use callback_queue::{DeliveryState, WebhookAttempt, WebhookDelivery};
pub use event::{AttemptResult, GiveUpReason, OutboxEvent};
pub use message::{Message, MessageContent, MessageId, NoticeFacts};
pub use rejection::OutboxRejection;

/// The outcome of a delivery attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The other side has accepted the message.
    Accepted,
    /// The other side has not accepted it, and may do so later.
    Deferred {
        /// The time of the next attempt.
        retry_at: UnixMs,
    },
    /// It is unknown whether the other side has accepted it: an answer was lost, or the process ended before it came.
    Unknown {
        /// The time of the next attempt.
        retry_at: UnixMs,
    },
    /// It will never be accepted.
    Rejected(GiveUpReason),
}

/// A message that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pending {
    message: Message,
    queued_at: UnixMs,
    /// The number of delivery attempts so far.
    attempts: u32,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting { not_before: UnixMs },
    InFlight,
}

/// The key that identifies a queued notice.
type NoticeKey = (UserId, ContactChannel, Arc<str>);

/// The messages that have not ended, and the keys of notices that have.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    pending: BTreeMap<MessageId, Pending>,
    /// Waiting messages by mail and Telegram: the most urgent first, then by the time they wait for.
    waiting: BTreeSet<(Urgency, UnixMs, MessageId)>,
    webhooks: CallbackQueue,
    pushes: CallbackQueue,
    /// The notices that were queued and could be queued again.
    seen_notices: HashSet<NoticeKey>,
    /// The times at which their keys expire: such a notice is too old to be queued again.
    key_expiries: BTreeSet<(UnixMs, NoticeKey)>,
    /// The times at which messages were queued within the last day, the oldest first.
    queued_at: HashMap<(UserId, ContactChannel), VecDeque<UnixMs>>,
    latest: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    Critical,
    Other,
}

impl Outbox {
    /// The maximum number of messages that have not ended, without those to webhooks and browsers.
    pub const PENDING_MAX: usize = 10_000;
    /// The number of messages per user, channel and day from which on messages that are not critical are refused.
    pub const MESSAGES_PER_DAY_MAX: usize = 40;
    /// The same for critical messages; all messages count.
    pub const CRITICAL_MESSAGES_PER_DAY_MAX: usize = 80;
    /// The maximum number of delivery attempts of a message.
    pub const ATTEMPTS_MAX: u32 = 8;
    /// The number of attempts with unknown outcome after which a message that would be shown twice is not sent again.
    pub const UNKNOWN_ATTEMPTS_MAX: u32 = 3;
    /// The age from which a notice is stale and not sent any more, in milliseconds. Until then its key is remembered.
    pub const NOTICE_AGE_MAX_MS: u64 = 3 * DAY_MS;

    /// The number of messages to webhooks and browsers that have not ended.
    #[must_use]
    pub const fn callbacks_len(&self) -> usize {
        self.webhooks.len() + self.pushes.len()
    }

    /// The number of messages that have not ended.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether every message has ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// The time at which the oldest message that has not ended was queued, without those to webhooks and browsers: they
    /// may be away for days.
    #[must_use]
    pub fn oldest_queued_at(&self) -> Option<UnixMs> {
        let others = self.pending.values().filter(|pending| !pending.message.channel.is_callback());
        others.map(|pending| pending.queued_at).min()
    }

    /// Queues a message; no event if it was queued before or is stale.
    ///
    /// # Errors
    /// [`OutboxRejection::Full`]; [`OutboxRejection::TooMany`], for a webhook [`OutboxRejection::WebhookFull`].
    pub fn queue(
        &self,
        user: UserId,
        channel: ContactChannel,
        content: MessageContent,
        now: UnixMs,
    ) -> Result<Option<OutboxEvent>, OutboxRejection> {
        let is_critical = content.is_critical();
        if let MessageContent::Notice(facts) = &content
            && (facts.at.plus_ms(Self::NOTICE_AGE_MAX_MS) <= now || self.was_queued(user, channel, &facts.id))
        {
            return Ok(None);
        }
        match channel {
            ContactChannel::Webhook(webhook) => self.check_webhook_room(user, webhook, 1, now)?,
            ContactChannel::Push(_) => self.check_push_room(user, channel, is_critical, now)?,
            ContactChannel::Email | ContactChannel::Telegram => self.check_room(user, channel, is_critical, now)?,
        }
        let message = Message { id: MessageId(self.latest + 1), user, channel, content };
        Ok(Some(OutboxEvent::Queued(Box::new(message))))
    }

    fn check_room(
        &self,
        user: UserId,
        channel: ContactChannel,
        is_critical: bool,
        now: UnixMs,
    ) -> Result<(), OutboxRejection> {
        if self.pending.len() - self.callbacks_len() >= Self::PENDING_MAX {
            return Err(OutboxRejection::Full { max: Self::PENDING_MAX });
        }
        self.check_day(user, channel, is_critical, now)
    }

    fn check_day(
        &self,
        user: UserId,
        channel: ContactChannel,
        is_critical: bool,
        now: UnixMs,
    ) -> Result<(), OutboxRejection> {
        let max = if is_critical { Self::CRITICAL_MESSAGES_PER_DAY_MAX } else { Self::MESSAGES_PER_DAY_MAX };
        if self.queued_within_day((user, channel), now) >= max {
            return Err(OutboxRejection::TooMany { max });
        }
        Ok(())
    }

    fn queued_within_day(&self, recipient: (UserId, ContactChannel), now: UnixMs) -> usize {
        let queued = self.queued_at.get(&recipient).into_iter().flatten();
        queued.filter(|at| at.plus_ms(DAY_MS) > now).count()
    }

    /// Whether a notice was queued and could be queued again.
    #[must_use]
    pub fn was_queued(&self, user: UserId, channel: ContactChannel, notice: &str) -> bool {
        self.seen_notices.contains(&(user, channel, Arc::from(notice)))
    }

    /// Messages of one kind of channel that are due for delivery now, the most urgent first; to each webhook and
    /// browser at most one, the longest waiting first.
    pub fn due(&self, kind: ChannelKind, now: UnixMs) -> impl Iterator<Item = &Message> {
        let callbacks = match kind {
            ChannelKind::Webhook => Some(&self.webhooks),
            ChannelKind::Push => Some(&self.pushes),
            ChannelKind::Email | ChannelKind::Telegram => None,
        };
        let others = self.waiting.iter().take(if callbacks.is_some() { 0 } else { usize::MAX });
        let due = others.filter(move |(_, not_before, _)| *not_before <= now);
        let due = due.filter_map(|(_, _, id)| self.message(*id)).filter(move |message| message.channel.kind() == kind);
        let of_callbacks = callbacks.map(|queue| queue.due(now, |id| self.message(id)));
        due.chain(of_callbacks.into_iter().flatten())
    }

    /// The queue of a channel; `None` for mail and Telegram.
    const fn callbacks(&self, channel: ContactChannel) -> Option<&CallbackQueue> {
        match channel {
            ContactChannel::Webhook(_) => Some(&self.webhooks),
            ContactChannel::Push(_) => Some(&self.pushes),
            ContactChannel::Email | ContactChannel::Telegram => None,
        }
    }

    const fn callbacks_mut(&mut self, channel: ContactChannel) -> Option<&mut CallbackQueue> {
        match channel {
            ContactChannel::Webhook(_) => Some(&mut self.webhooks),
            ContactChannel::Push(_) => Some(&mut self.pushes),
            ContactChannel::Email | ContactChannel::Telegram => None,
        }
    }

    fn message(&self, id: MessageId) -> Option<&Message> {
        self.pending.get(&id).map(|pending| &pending.message)
    }

    /// Messages in flight: their delivery began and has no recorded outcome.
    pub fn in_flight(&self) -> impl Iterator<Item = MessageId> {
        self.pending.iter().filter(|(_, pending)| pending.stage == Stage::InFlight).map(|(id, _)| *id)
    }

    /// The number of delivery attempts of a message so far; `None` if it has ended.
    #[must_use]
    pub fn attempts(&self, id: MessageId) -> Option<u32> {
        self.pending.get(&id).map(|pending| pending.attempts)
    }

    /// Records that a message is about to be sent.
    ///
    /// # Errors
    /// [`OutboxRejection::Unknown`], [`OutboxRejection::NotDue`].
    pub fn begin_delivery(&self, id: MessageId, now: UnixMs) -> Result<OutboxEvent, OutboxRejection> {
        let pending = self.pending.get(&id).ok_or(OutboxRejection::Unknown(id))?;
        let is_next = self.callbacks(pending.message.channel).is_none_or(|queue| queue.is_first(&pending.message));
        match pending.stage {
            Stage::Waiting { not_before } if not_before <= now && is_next => Ok(OutboxEvent::DeliveryStarted { id }),
            Stage::Waiting { .. } | Stage::InFlight => Err(OutboxRejection::NotDue(id)),
        }
    }

    /// Records the outcome of a delivery attempt.
    ///
    /// # Errors
    /// [`OutboxRejection::Unknown`], [`OutboxRejection::NotInFlight`].
    pub fn record_outcome(&self, id: MessageId, outcome: DeliveryOutcome) -> Result<OutboxEvent, OutboxRejection> {
        let pending = self.pending.get(&id).ok_or(OutboxRejection::Unknown(id))?;
        if pending.stage != Stage::InFlight {
            return Err(OutboxRejection::NotInFlight(id));
        }
        Ok(match outcome {
            DeliveryOutcome::Accepted => OutboxEvent::Delivered { id },
            DeliveryOutcome::Unknown { .. } if pending.reached_repeat_limit() => {
                OutboxEvent::GivenUp { id, reason: GiveUpReason::Unknown }
            }
            DeliveryOutcome::Deferred { .. } | DeliveryOutcome::Unknown { .. }
                if pending.attempts >= pending.message.attempts_max() =>
            {
                OutboxEvent::GivenUp { id, reason: GiveUpReason::TooManyAttempts }
            }
            DeliveryOutcome::Deferred { retry_at } | DeliveryOutcome::Unknown { retry_at } => {
                OutboxEvent::Failed { id, retry_at }
            }
            DeliveryOutcome::Rejected(reason) => OutboxEvent::GivenUp { id, reason },
        })
    }

    /// Ends a waiting message whose user cannot be reached, or does not want it, any more.
    ///
    /// # Errors
    /// [`OutboxRejection::Unknown`], [`OutboxRejection::NotDue`] if it is in flight.
    pub fn drop_queued(&self, id: MessageId) -> Result<OutboxEvent, OutboxRejection> {
        match self.pending.get(&id).ok_or(OutboxRejection::Unknown(id))?.stage {
            Stage::Waiting { .. } => Ok(OutboxEvent::GivenUp { id, reason: GiveUpReason::NotWanted }),
            Stage::InFlight => Err(OutboxRejection::NotDue(id)),
        }
    }

    /// Applies an event. Keys of notices that cannot be queued again after `at` are dropped.
    pub fn apply(&mut self, event: &OutboxEvent, at: UnixMs) {
        match event {
            OutboxEvent::Queued(message) => self.enqueue(message, at),
            OutboxEvent::DeliveryStarted { id } => self.set_stage(*id, Stage::InFlight),
            OutboxEvent::Failed { id, retry_at } => self.set_stage(*id, Stage::Waiting { not_before: *retry_at }),
            OutboxEvent::Delivered { id } => self.end(*id, DeliveryState::Delivered),
            OutboxEvent::GivenUp { id, reason } => self.end(*id, DeliveryState::GivenUp(*reason)),
            OutboxEvent::Attempted { id, result, duration_ms } => {
                if let Some(channel) = self.message(*id).map(|message| message.channel) {
                    let attempt = WebhookAttempt { at, result: *result, duration_ms: *duration_ms };
                    self.webhooks.note_attempt(channel, *id, attempt);
                }
            }
            OutboxEvent::WebhookStopped { webhook } => self.stop(ContactChannel::Webhook(*webhook)),
            OutboxEvent::WebhookForgotten { webhook } => {
                self.stop(ContactChannel::Webhook(*webhook));
                self.webhooks.forget(ContactChannel::Webhook(*webhook));
            }
            OutboxEvent::PushStopped { push } => self.stop(ContactChannel::Push(*push)),
        }
        self.drop_expired_keys(at);
    }

    /// Ends a message.
    fn end(&mut self, id: MessageId, state: DeliveryState) {
        let Some(ended) = self.pending.remove(&id) else { return };
        match self.callbacks_mut(ended.message.channel) {
            Some(queue) => queue.end(&ended.message, ended.waits_for(), state),
            None => drop(self.waiting.remove(&ended.queue_key())),
        }
    }

    /// Ends the waiting messages of a channel, which may be in flight no more than once at a time.
    fn stop(&mut self, channel: ContactChannel) {
        let pending = self.callbacks(channel).map(|queue| queue.pending_of(channel)).unwrap_or_default();
        for id in pending {
            if self.pending.get(&id).is_some_and(|pending| pending.stage != Stage::InFlight) {
                self.end(id, DeliveryState::GivenUp(GiveUpReason::NotWanted));
            }
        }
    }

    fn enqueue(&mut self, message: &Message, at: UnixMs) {
        self.latest = self.latest.max(message.id.0);
        if let MessageContent::Notice(facts) = &message.content {
            let key = (message.user, message.channel, Arc::from(facts.id.as_str()));
            self.seen_notices.insert(key.clone());
            self.key_expiries.insert((facts.at.plus_ms(Self::NOTICE_AGE_MAX_MS), key));
        }
        self.prune_daily_count((message.user, message.channel), at);
        self.queued_at.entry((message.user, message.channel)).or_default().push_back(at);
        let pending =
            Pending { message: message.clone(), queued_at: at, attempts: 0, stage: Stage::Waiting { not_before: at } };
        match self.callbacks_mut(message.channel) {
            Some(queue) => queue.enqueue(message, at),
            None => drop(self.waiting.insert(pending.queue_key())),
        }
        self.pending.insert(message.id, pending);
    }

    fn set_stage(&mut self, id: MessageId, stage: Stage) {
        let Some(pending) = self.pending.get_mut(&id) else { return };
        let (key, waited_for) = (pending.queue_key(), pending.waits_for());
        pending.attempts += u32::from(stage == Stage::InFlight);
        pending.stage = stage;
        let (channel, next_key, waits_for) = (pending.message.channel, pending.queue_key(), pending.waits_for());
        if let Some(queue) = self.callbacks_mut(channel) {
            queue.set_waiting(channel, id, waited_for, waits_for);
            return;
        }
        self.waiting.remove(&key);
        if stage != Stage::InFlight {
            self.waiting.insert(next_key);
        }
    }

    fn drop_expired_keys(&mut self, at: UnixMs) {
        while let Some((expires_at, _)) = self.key_expiries.first() {
            if *expires_at > at {
                break;
            }
            if let Some((_, key)) = self.key_expiries.pop_first() {
                self.prune_daily_count((key.0, key.1), at);
                self.seen_notices.remove(&key);
            }
        }
    }

    /// Drops the queuing times that are more than a day old, and the entry of a user without any left.
    fn prune_daily_count(&mut self, recipient: (UserId, ContactChannel), at: UnixMs) {
        if let Some(queued) = self.queued_at.get_mut(&recipient) {
            queued.retain(|queued| queued.plus_ms(DAY_MS) > at);
            if queued.is_empty() {
                self.queued_at.remove(&recipient);
            }
        }
    }
}

impl Pending {
    /// Whether it reached the limit for messages that are shown again each time they arrive.
    const fn reached_repeat_limit(&self) -> bool {
        matches!(self.message.channel, ContactChannel::Telegram) && self.attempts >= Outbox::UNKNOWN_ATTEMPTS_MAX
    }

    /// Its position among the waiting messages.
    fn queue_key(&self) -> (Urgency, UnixMs, MessageId) {
        let urgency = if self.message.content.is_critical() { Urgency::Critical } else { Urgency::Other };
        (urgency, self.waits_for().unwrap_or(UnixMs(0)), self.message.id)
    }

    /// The time that it waits for; `None` while it is in flight.
    const fn waits_for(&self) -> Option<UnixMs> {
        match self.stage {
            Stage::Waiting { not_before } => Some(not_before),
            Stage::InFlight => None,
        }
    }
}

#[cfg(test)]
mod push_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod webhook_tests;
