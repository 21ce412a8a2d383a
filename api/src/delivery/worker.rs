//! The delivery worker, which sends due messages of the outbox and records the results.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{
    ChannelKind, ContactChannel, ContactRejection, DeliveryOutcome, GiveUpReason, MessageId, OutboxEvent, PushId,
    UnixMs, UserId, WebhookId,
};
use engine::{DueMessage, Refusal};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Instant;

use super::context::DeliveryContext;
use super::mailer::{CONCURRENT_MAILS_MAX, Mailer};
use super::outcome::SendOutcome;
use super::outcome_log::log_outcome;
use super::payload::Payload;
use super::{bot, enqueue, webhook_delivery};
use crate::config::delivery_timing::{BACKOFF_MAX, DeliveryTiming, millis};
use crate::http::rate_limit::RateLimit;

/// The number of chat messages that are sent concurrently.
pub const CONCURRENT_CHATS_MAX: usize = 8;
/// The number of messages that are examined in one pass, so that users at their rate limit do not delay others.
const SCAN_MAX: usize = 256;
/// The limit of mails in ten seconds.
const MAILS_MAX: u32 = 50;
/// The limit of chat messages in ten seconds; Telegram accepts 30 per second.
const CHAT_MESSAGES_MAX: u32 = 200;
const TEN_SECONDS_MS: u64 = 10_000;
/// The limit of mails to one user in a minute.
const MAILS_PER_USER_MAX: u32 = 10;
/// The limit of chat messages to one chat in a minute; Telegram accepts one per second, and more for a short time.
const MESSAGES_PER_CHAT_MAX: u32 = 20;
const MINUTE_MS: u64 = 60_000;
/// The number of webhooks, and of push services, that are called concurrently. A hostile one holds its place until its
/// timeout.
pub const CONCURRENT_WEBHOOKS_MAX: usize = 64;
/// The limit of requests to webhooks, and to push services, in ten seconds.
const REQUESTS_MAX: u32 = 500;
/// The limit of requests to one webhook or for one browser in a minute.
const REQUESTS_PER_WEBHOOK_MAX: u32 = 120;

/// Delivers messages until it is stopped.
pub async fn run(context: &DeliveryContext) {
    while let Err(refusal) = context.market.requeue_unknown_deliveries().await {
        if refusal == Refusal::Closed || context.delivery.is_stopping() {
            return;
        }
        tokio::time::sleep(context.delivery.timing.poll_interval).await;
    }
    tokio::join!(
        enqueue::run(context),
        ChannelWorker::new(context, ChannelKind::Email).run(),
        ChannelWorker::new(context, ChannelKind::Telegram).run(),
        ChannelWorker::new(context, ChannelKind::Webhook).run(),
        ChannelWorker::new(context, ChannelKind::Push).run(),
        bot::listen(context),
    );
}

/// The worker of one channel.
struct ChannelWorker<'a> {
    context: &'a DeliveryContext,
    channel: ChannelKind,
    concurrency_max: usize,
    channel_limit: RateLimit<()>,
    recipient_limit: RateLimit<Recipient>,
    /// The number of consecutive failures of the channel.
    failures: u32,
    /// The end of the retry delay of the channel.
    backoff_until: Option<Instant>,
    /// The messages in delivery and their recipients. One at a time to each, so that they arrive in order.
    in_flight: BTreeSet<MessageId>,
    busy_recipients: BTreeSet<Recipient>,
}

/// A recipient. Several users can share one chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Recipient {
    User(UserId),
    Chat(i64),
    Webhook(WebhookId),
    Push(PushId),
}

impl Recipient {
    fn of(due: &DueMessage) -> Self {
        match (due.message.channel, due.contact.telegram) {
            (ContactChannel::Telegram, Some(telegram)) => Self::Chat(telegram.chat),
            (ContactChannel::Webhook(webhook), _) => Self::Webhook(webhook),
            (ContactChannel::Push(push), _) => Self::Push(push),
            _ => Self::User(due.message.user),
        }
    }
}

/// The result of a delivery.
struct Completed {
    id: MessageId,
    recipient: Recipient,
    outcome: Option<SendOutcome>,
}

impl<'a> ChannelWorker<'a> {
    fn new(context: &'a DeliveryContext, channel: ChannelKind) -> Self {
        let (concurrency_max, channel_limit, recipient_limit) = match channel {
            ChannelKind::Email => (CONCURRENT_MAILS_MAX, MAILS_MAX, MAILS_PER_USER_MAX),
            ChannelKind::Telegram => (CONCURRENT_CHATS_MAX, CHAT_MESSAGES_MAX, MESSAGES_PER_CHAT_MAX),
            ChannelKind::Webhook | ChannelKind::Push => {
                (CONCURRENT_WEBHOOKS_MAX, REQUESTS_MAX, REQUESTS_PER_WEBHOOK_MAX)
            }
        };
        Self {
            context,
            channel,
            concurrency_max,
            channel_limit: RateLimit::within(channel_limit, TEN_SECONDS_MS),
            recipient_limit: RateLimit::within(recipient_limit, MINUTE_MS),
            failures: 0,
            backoff_until: None,
            in_flight: BTreeSet::new(),
            busy_recipients: BTreeSet::new(),
        }
    }

    async fn run(mut self) {
        let context = self.context;
        let mut deliveries: FuturesUnordered<LocalBoxFuture<'a, Completed>> = FuturesUnordered::new();
        loop {
            if !context.delivery.is_stopping() {
                for due in self.select_due().await {
                    let (id, recipient) = (due.message.id, Recipient::of(&due));
                    self.in_flight.insert(id);
                    self.busy_recipients.insert(recipient);
                    deliveries.push(Box::pin(async move {
                        Completed { id, recipient, outcome: deliver(context, due).await }
                    }));
                }
            } else if deliveries.is_empty() {
                return;
            }
            tokio::select! {
                Some(completed) = deliveries.next(), if !deliveries.is_empty() => self.record_result(&completed),
                () = context.delivery.waits(self.channel).notified() => {}
                () = tokio::time::sleep(context.delivery.timing.poll_interval) => {}
                () = context.delivery.stopped(), if !context.delivery.is_stopping() => {}
            }
        }
    }

    /// Chooses the messages to send next. Messages that are no longer wanted or cannot be delivered are dropped.
    async fn select_due(&mut self) -> Vec<DueMessage> {
        let (context, now) = (self.context, self.context.now());
        let is_available = context.delivery.channels().contains(&self.channel);
        let is_backing_off = self.backoff_until.is_some_and(|until| Instant::now() < until);
        let mut selected: Vec<DueMessage> = Vec::new();
        for due in context.market.due_messages(self.channel, SCAN_MAX) {
            let (id, recipient) = (due.message.id, Recipient::of(&due));
            if self.in_flight.contains(&id) {
                continue;
            }
            // While the channel is unavailable they wait for it, until they are stale.
            let is_wanted =
                if is_available { due.message.is_wanted(&due.contact, now) } else { !due.message.is_stale(now) };
            if !is_wanted {
                if let Err(refusal) = context.market.drop_message(id).await {
                    tracing::debug!(message = %id, %refusal, "an unwanted message could not be dropped yet");
                }
                continue;
            }
            let is_busy = self.busy_recipients.contains(&recipient)
                || selected.iter().any(|other| Recipient::of(other) == recipient);
            if !is_available
                || is_backing_off
                || is_busy
                || self.in_flight.len() + selected.len() >= self.concurrency_max
            {
                continue;
            }
            if !self.recipient_limit.try_take(recipient, now) {
                continue;
            }
            if !self.channel_limit.try_take((), now) {
                self.recipient_limit.refund(&recipient, now);
                break;
            }
            selected.push(due);
        }
        selected
    }

    /// Updates the state of the channel by the result of a delivery.
    fn record_result(&mut self, completed: &Completed) {
        self.in_flight.remove(&completed.id);
        self.busy_recipients.remove(&completed.recipient);
        match &completed.outcome {
            // One webhook says nothing about another, and neither does a push service, which browsers name.
            Some(_) if matches!(self.channel, ChannelKind::Webhook | ChannelKind::Push) => {}
            Some(SendOutcome::Unavailable(_)) => {
                self.failures = self.failures.saturating_add(1);
                self.back_off(self.context.delivery.timing.backoff(self.failures, rand::random()));
            }
            Some(SendOutcome::Deferred { after: Some(after), .. }) => self.back_off((*after).min(BACKOFF_MAX)),
            Some(_) => self.failures = 0,
            // It stays in the outbox, and would be chosen again at once.
            None => self.back_off(self.context.delivery.timing.poll_interval),
        }
    }

    fn back_off(&mut self, delay: Duration) {
        let until = Instant::now() + delay;
        self.backoff_until = Some(self.backoff_until.map_or(until, |known| known.max(until)));
    }
}

/// Sends a message; `None` when it was not sent.
async fn deliver(context: &DeliveryContext, due: DueMessage) -> Option<SendOutcome> {
    let (id, channel) = (due.message.id, due.message.channel);
    let Some(payload) = Payload::of(context, &due).await else {
        // It has no recipient, and will have none.
        let _ = context.market.drop_message(id).await;
        return None;
    };
    if let Payload::Webhook(request) = &payload {
        return webhook_delivery::deliver(context, &due.message, request).await;
    }
    let slot = match context.delivery.mailer() {
        Some(mailer) if channel == ContactChannel::Email => Some(mailer.slot().await?),
        _ => None,
    };
    if context.delivery.is_stopping() {
        return None;
    }
    let attempt = match context.market.begin_delivery(id).await {
        Ok(attempt) => attempt,
        Err(refusal) => {
            tracing::debug!(message = %id, %refusal, "a message could not be recorded as handed over yet");
            return None;
        }
    };
    let outcome = match (&payload, context.delivery.mailer(), context.delivery.bot(), slot) {
        (Payload::Mail(mail), Some(mailer), _, Some(slot)) => Mailer::send(mailer, slot, mail).await,
        (Payload::Chat { chat, text }, _, Some(bot), _) => bot.send(*chat, text).await,
        (Payload::Push(request), ..) => match context.delivery.pushes() {
            Some(pushes) => request.send(pushes).await,
            None => SendOutcome::Unavailable("the channel is not configured".to_owned()),
        },
        _ => SendOutcome::Unavailable("the channel is not configured".to_owned()),
    };
    let settled = record_outcome(context, id, delivery_outcome(context, channel, &outcome, attempt)).await;
    log_outcome(context, &due.message, &outcome, attempt, settled.as_ref());
    if matches!(outcome, SendOutcome::Closed(_))
        && let Err(refusal) = remove_contact(context, &due, &payload).await
    {
        tracing::warn!(message = %id, %refusal, "a contact that refuses messages could not be removed");
    }
    Some(outcome)
}

/// Removes a chat, address or subscription that permanently refuses messages.
async fn remove_contact(context: &DeliveryContext, due: &DueMessage, payload: &Payload) -> Result<(), Refusal> {
    match (payload, &due.contact.email) {
        (Payload::Chat { chat, .. }, _) => context.market.unlink_chat(*chat).await,
        (Payload::Mail(_), Some(email)) => context.market.mark_email_rejected(due.message.user, email.serial).await,
        (Payload::Push(request), _) => {
            let removed = context.market.remove_push(due.message.user, request.subscription()).await;
            // Its user may have been faster.
            if matches!(removed, Err(Refusal::Contact(ContactRejection::UnknownPush(_)))) { Ok(()) } else { removed }
        }
        (Payload::Mail(_), None) | (Payload::Webhook(_), _) => Ok(()),
    }
}

/// The result as recorded in the journal.
fn delivery_outcome(
    context: &DeliveryContext,
    channel: ContactChannel,
    outcome: &SendOutcome,
    attempt: u32,
) -> DeliveryOutcome {
    let retry_at = |after: Option<Duration>| {
        let now = context.now();
        let requested_at = after.map_or(UnixMs(0), |after| now.plus_ms(millis(after)));
        let timing = context.delivery.timing;
        let retry_at = if channel.is_callback() { DeliveryTiming::webhook_retry_at } else { DeliveryTiming::retry_at };
        retry_at(timing, attempt, rand::random(), now).max(requested_at)
    };
    match outcome {
        SendOutcome::Accepted => DeliveryOutcome::Accepted,
        SendOutcome::Refused(_) | SendOutcome::Closed(_) => DeliveryOutcome::Rejected(GiveUpReason::Refused),
        SendOutcome::Deferred { after, .. } => DeliveryOutcome::Deferred { retry_at: retry_at(*after) },
        SendOutcome::Unavailable(_) => DeliveryOutcome::Deferred { retry_at: retry_at(None) },
        SendOutcome::Unknown(_) => DeliveryOutcome::Unknown { retry_at: retry_at(None) },
    }
}

/// Records the result, with retries under overload: without a record the message is sent again.
async fn record_outcome(
    context: &DeliveryContext,
    id: MessageId,
    delivery_outcome: DeliveryOutcome,
) -> Option<OutboxEvent> {
    loop {
        match context.market.record_delivery(id, delivery_outcome).await {
            Ok(event) => return Some(event),
            Err(Refusal::Overloaded { .. }) => tokio::time::sleep(context.delivery.timing.poll_interval).await,
            Err(refusal) => {
                tracing::warn!(message = %id, %refusal, "the outcome of a message was not recorded");
                return None;
            }
        }
    }
}
