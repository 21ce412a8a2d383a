//! The webhooks of users, and the deliveries of events to them.

use std::{collections::BTreeMap, ops::Bound};

use domain::{
    AttemptResult, ContactEvent, ContactRejection, DeliveryOutcome, MessageId, NoticeFacts, NoticeKinds, OutboxEvent,
    OutboxRejection, UnixMs, UserId, Webhook, WebhookDelivery, WebhookId, WebhookPauseReason,
};

use super::{
    Market,
    message_end::{Ended, Pause},
    messages::facts,
};
use crate::{
    Refusal,
    ledger::{LedgerEvent, LedgerState},
    wire::{NoticeKind, NoticeView},
};

/// The begin of a replay of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayFrom {
    /// The event after the one with this id.
    After(String),
    /// The events from this time on.
    Time(UnixMs),
}

impl Market {
    /// A webhook of a user, once durable.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`], [`Refusal::Closed`].
    pub async fn webhook(&self, user: UserId, id: WebhookId) -> Result<Webhook, Refusal> {
        let contact = self.contact(user).await?;
        Ok(contact.webhook(id).cloned().ok_or(ContactRejection::UnknownWebhook(id))?)
    }

    /// Registers a webhook; the caller has validated the URL.
    ///
    /// # Errors
    /// [`ContactRejection::TooManyWebhooks`].
    pub async fn add_webhook(&self, user: UserId, url: &str, kinds: NoticeKinds) -> Result<Webhook, Refusal> {
        let add = |ledger: &LedgerState, _| {
            ledger.check_account(user)?;
            let (id, event) = ledger.contacts().add_webhook(user, url, kinds)?;
            Ok((vec![LedgerEvent::Contact(event)], id))
        };
        let (id, _) = self.on_ledger(add).await?;
        self.webhook(user, id).await
    }

    /// Chooses the kinds that are sent to a webhook, and whether it is paused. A pause ends what waits for it.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub async fn change_webhook(
        &self,
        user: UserId,
        id: WebhookId,
        kinds: NoticeKinds,
        is_paused: bool,
    ) -> Result<Webhook, Refusal> {
        self.on_contacts(|ledger, _| {
            let contacts = ledger.contacts();
            let chosen = contacts.set_webhook_kinds(user, id, kinds)?;
            let switched = if is_paused {
                contacts.pause_webhook(user, id, WebhookPauseReason::ByUser)?
            } else {
                contacts.resume_webhook(user, id)?
            };
            let is_pause = matches!(switched, Some(ContactEvent::WebhookPaused { .. }));
            let stopped = is_pause.then_some(LedgerEvent::Message(OutboxEvent::WebhookStopped { webhook: id }));
            Ok(chosen.into_iter().chain(switched).map(LedgerEvent::Contact).chain(stopped).collect())
        })
        .await?;
        self.webhook(user, id).await
    }

    /// Replaces the secret of a webhook.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub async fn rotate_webhook_secret(&self, user: UserId, id: WebhookId) -> Result<Webhook, Refusal> {
        let rotate = |ledger: &LedgerState, _| {
            Ok(vec![LedgerEvent::Contact(ledger.contacts().rotate_webhook_secret(user, id)?)])
        };
        self.on_contacts(rotate).await?;
        self.webhook(user, id).await
    }

    /// Removes a webhook with the record of its deliveries.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`].
    pub async fn remove_webhook(&self, user: UserId, id: WebhookId) -> Result<(), Refusal> {
        self.on_contacts(|ledger, _| {
            let removed = LedgerEvent::Contact(ledger.contacts().remove_webhook(user, id)?);
            Ok(vec![removed, LedgerEvent::Message(OutboxEvent::WebhookForgotten { webhook: id })])
        })
        .await
    }

    /// The latest deliveries to a webhook, the newest first, once durable.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`], [`Refusal::Closed`].
    pub async fn webhook_deliveries(&self, user: UserId, id: WebhookId) -> Result<Vec<WebhookDelivery>, Refusal> {
        let deliveries = {
            let guard = self.shared.ledger.lock();
            guard.state().contacts().webhook(user, id)?;
            guard.state().outbox().webhook_deliveries(id).cloned().collect()
        };
        if self.shared.ledger.wait_all_durable().await { Ok(deliveries) } else { Err(Refusal::Closed) }
    }

    /// Queues a test event for a webhook, also for a paused one.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`]; those of [`domain::Outbox::queue_test`].
    pub async fn send_test_event(&self, user: UserId, id: WebhookId) -> Result<MessageId, Refusal> {
        let test = |ledger: &LedgerState, now| {
            ledger.contacts().webhook(user, id)?;
            Ok(first_queued(vec![ledger.outbox().queue_test(user, id, now)?]))
        };
        self.on_ledger(test).await?.0.ok_or(Refusal::Closed)
    }

    /// Queues the event of a delivery again; the id of the new delivery, `None` if it waits already.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`], [`ContactRejection::WebhookPaused`]; those of [`domain::Outbox::redeliver`].
    pub async fn redeliver(
        &self,
        user: UserId,
        id: WebhookId,
        delivery: MessageId,
    ) -> Result<Option<MessageId>, Refusal> {
        let redeliver = |ledger: &LedgerState, now| {
            ledger.contacts().active_webhook(user, id)?;
            Ok(first_queued(ledger.outbox().redeliver(user, id, delivery, now)?))
        };
        Ok(self.on_ledger(redeliver).await?.0)
    }

    /// Queues a user's latest events of the chosen kinds again, in their order, also those from before the webhook and
    /// from its pauses; returns their number. They are those of [`Market::my_notices`], and those in the record of the
    /// webhook's deliveries.
    ///
    /// # Errors
    /// [`ContactRejection::UnknownWebhook`], [`ContactRejection::WebhookPaused`]; [`OutboxRejection::UnknownEvent`];
    /// those of [`domain::Outbox::replay`].
    pub async fn replay_events(&self, user: UserId, id: WebhookId, from: ReplayFrom) -> Result<usize, Refusal> {
        let notices = self.my_notices(user).await?;
        let replay = move |ledger: &LedgerState, now| {
            let webhook = ledger.contacts().active_webhook(user, id)?;
            let recorded = ledger.outbox().webhook_deliveries(id).filter_map(|delivery| delivery.content.facts());
            let known = recorded.cloned().chain(notices.iter().map(facts));
            // Ordered as the notices are, see `NoticeView::position`.
            let events: BTreeMap<(UnixMs, domain::NoticeKind, String), NoticeFacts> =
                known.map(|facts| ((facts.at, facts.kind, facts.id.clone()), facts)).collect();
            let begin = match &from {
                ReplayFrom::Time(at) => Bound::Included((*at, domain::NoticeKind::ALL[0], String::new())),
                ReplayFrom::After(event) => {
                    let last = events.keys().rfind(|(.., id)| id == event).ok_or(OutboxRejection::UnknownEvent)?;
                    Bound::Excluded(last.clone())
                }
            };
            let wanted = events.range((begin, Bound::Unbounded)).map(|(_, facts)| facts.clone());
            let mut wanted: Vec<NoticeFacts> = wanted.filter(|facts| webhook.kinds.contains(facts.kind)).collect();
            let excess = wanted.len().saturating_sub(domain::Outbox::WEBHOOK_PENDING_MAX);
            wanted.drain(..excess);
            let queued = ledger.outbox().replay(user, id, wanted, now)?;
            let count = queued.len();
            Ok((queued.into_iter().map(LedgerEvent::Message).collect(), count))
        };
        Ok(self.on_ledger(replay).await?.0)
    }

    /// Records the result and the outcome of an attempt at a webhook in one batch, with the pause of the webhook that
    /// may follow from it; returns the event of the outcome.
    ///
    /// # Errors
    /// Those of [`domain::Outbox::record_outcome`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn record_webhook_attempt(
        &self,
        message: MessageId,
        (result, duration_ms): (AttemptResult, u32),
        outcome: DeliveryOutcome,
    ) -> Result<OutboxEvent, Refusal> {
        let record = |ledger: &LedgerState, _| {
            let attempted = ledger.outbox().record_attempt(message, result, duration_ms)?;
            let Ended { event, pause } = Ended::of(ledger, message, outcome)?;
            let paused = pause.as_ref().map(|pause| (pause.user, pause.webhook));
            let events = [attempted, event.clone()].into_iter().map(LedgerEvent::Message);
            Ok((events.chain(pause.into_iter().flat_map(Pause::events)).collect(), (event, paused)))
        };
        let ((ended, paused), _) = self.on_ledger(record).await?;
        if let Some((user, webhook)) = paused {
            self.publish_webhook_notice(user, webhook);
        }
        Ok(ended)
    }

    /// The notices about a user's webhooks that are paused for a reason other than the user's command.
    pub(super) fn webhook_notices(&self, user: UserId) -> Vec<NoticeView> {
        let contact = self.shared.ledger.lock().state().contacts().get(user);
        contact.webhooks.iter().filter_map(notice).collect()
    }

    pub(super) fn publish_webhook_notice(&self, user: UserId, webhook: WebhookId) {
        let contact = self.shared.ledger.lock().state().contacts().get(user);
        if let Some(notice) = contact.webhook(webhook).and_then(notice) {
            self.publish_notice(user, notice);
        }
    }
}

fn first_queued(events: Vec<OutboxEvent>) -> (Vec<LedgerEvent>, Option<MessageId>) {
    let first = events.first().and_then(|event| match event {
        OutboxEvent::Queued(message) => Some(message.id),
        _ => None,
    });
    (events.into_iter().map(LedgerEvent::Message).collect(), first)
}

fn notice(webhook: &Webhook) -> Option<NoticeView> {
    let pause = webhook.pause.filter(|pause| pause.reason != WebhookPauseReason::ByUser)?;
    let kind = NoticeKind::WebhookPaused;
    Some(NoticeView {
        id: format!("{}-{}-{}", webhook.id, kind.name(), pause.since.0),
        kind,
        at: pause.since,
        collection_name: host(&webhook.url).into(),
        loan_id: None,
        role: None,
        offer_id: None,
    })
}

/// The host of a validated URL, with its port.
fn host(url: &str) -> &str {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}
