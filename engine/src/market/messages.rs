//! Messages delivered to users outside the app: which notices become one, when they are due, and their outcomes.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ChannelKind, ContactChannel, DeliveryOutcome, MessageContent, MessageId, NoticeFacts, OutboxEvent, OutboxRejection,
    UnixMs, UserId,
};

use super::{
    Market,
    message_end::{Ended, Pause},
};
use crate::{
    Refusal,
    ledger::{DueMessage, LedgerEvent, LedgerState},
    wire::NoticeView,
};

/// The result of queuing a notice.
enum Queued {
    Yes,
    /// It was queued before, or is not wanted any more.
    No,
    /// Too many messages to this recipient.
    Full,
}

/// The maximum number of users returned in one step.
const USERS_PAGE: usize = 64;

impl Market {
    /// Waits until something has happened to a user; returns the users. Only one task can wait.
    pub async fn next_dirty_users(&self) -> BTreeSet<UserId> {
        self.shared.dirty_users.take().await
    }

    /// Some of the users reachable outside the app, by id, after the given one.
    #[must_use]
    pub fn reachable_users(&self, after: Option<UserId>) -> Vec<UserId> {
        let guard = self.shared.ledger.lock();
        guard.state().contacts().reachable_after(after).take(USERS_PAGE).collect()
    }

    /// The number of messages that have not ended.
    #[must_use]
    pub fn waiting_messages(&self) -> usize {
        self.shared.ledger.lock().state().outbox().len()
    }

    /// Queues a user's notices that the user chose to get by channels of these kinds, if they were not queued before and
    /// are newer than the contact; returns the number of messages.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`]. A user at the message limit gets the remaining notices later, or
    /// never.
    pub async fn queue_notices(&self, user: UserId, kinds: &[ChannelKind]) -> Result<usize, Refusal> {
        let mut ways = {
            let guard = self.shared.ledger.lock();
            let contacts = guard.state().contacts();
            if !contacts.is_reachable(user) {
                return Ok(0);
            }
            contacts.get(user).channels(kinds)
        };
        let mut notices = self.my_notices(user).await?;
        notices.reverse();
        // One batch for each, since each decision depends on the state after the one before.
        let mut count = 0;
        for notice in notices {
            let mut full = Vec::new();
            for way in ways.iter().copied() {
                if self.wants(user, way, &notice) {
                    match self.queue_notice(user, way, &notice).await? {
                        Queued::Yes => count += 1,
                        Queued::No => {}
                        Queued::Full => full.push(way),
                    }
                }
            }
            // A later event must not be queued for a webhook before this one.
            ways.retain(|way| way.webhook().is_none() || !full.contains(way));
        }
        Ok(count)
    }

    fn wants(&self, user: UserId, way: ContactChannel, notice: &NoticeView) -> bool {
        let guard = self.shared.ledger.lock();
        is_wanted(guard.state(), user, way, notice) && !guard.state().outbox().was_queued(user, way, &notice.id)
    }

    async fn queue_notice(&self, user: UserId, way: ContactChannel, notice: &NoticeView) -> Result<Queued, Refusal> {
        let content = MessageContent::Notice(facts(notice));
        let queue = |ledger: &LedgerState, now| {
            if !is_wanted(ledger, user, way, notice) {
                return Ok((Vec::new(), Queued::No));
            }
            match ledger.outbox().queue(user, way, content, now) {
                Ok(event) => {
                    let queued = if event.is_some() { Queued::Yes } else { Queued::No };
                    Ok((event.map(LedgerEvent::Message).into_iter().collect(), queued))
                }
                Err(OutboxRejection::TooMany { .. } | OutboxRejection::WebhookFull { .. }) => {
                    Ok((Vec::new(), Queued::Full))
                }
                // Too much waits for URLs of users, which does not keep a notice from its user's mailbox.
                Err(OutboxRejection::Full { .. }) if way.is_callback() => Ok((Vec::new(), Queued::Full)),
                Err(rejection) => Err(rejection.into()),
            }
        };
        Ok(self.on_ledger(queue).await?.0)
    }

    /// Messages by channels of one kind that are due for delivery now, the most urgent first, at most `count`.
    #[must_use]
    pub fn due_messages(&self, kind: ChannelKind, count: usize) -> Vec<DueMessage> {
        let now = self.shared.clock.now();
        let guard = self.shared.ledger.lock();
        let state = guard.state();
        let due = state.outbox().due(kind, now).take(count);
        due.map(|message| DueMessage { message: message.clone(), contact: state.contacts().get(message.user) })
            .collect()
    }

    /// Records that a message is about to be handed over, and returns the number of this attempt. The handover may
    /// begin only after this.
    ///
    /// # Errors
    /// Those of [`domain::Outbox::hand`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn begin_delivery(&self, id: MessageId) -> Result<u32, Refusal> {
        let hand = |ledger: &LedgerState, now| {
            let event = ledger.outbox().begin_delivery(id, now)?;
            let attempt = ledger.outbox().attempts(id).unwrap_or(0).saturating_add(1);
            Ok((vec![LedgerEvent::Message(event)], attempt))
        };
        Ok(self.on_ledger(hand).await?.0)
    }

    /// Records the outcome of a handover, and returns the event that it led to.
    ///
    /// # Errors
    /// Those of [`domain::Outbox::settle`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn record_delivery(&self, id: MessageId, handover: DeliveryOutcome) -> Result<OutboxEvent, Refusal> {
        let settle = |ledger: &LedgerState, _| {
            let event = ledger.outbox().record_outcome(id, handover)?;
            Ok((vec![LedgerEvent::Message(event.clone())], event))
        };
        Ok(self.on_ledger(settle).await?.0)
    }

    /// Ends a waiting message whose user cannot be reached, or does not want it, any more.
    ///
    /// # Errors
    /// Those of [`domain::Outbox::drop_queued`], [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn drop_message(&self, id: MessageId) -> Result<(), Refusal> {
        self.on_messages(|ledger, _| Ok(vec![ledger.outbox().drop_queued(id)?])).await
    }

    /// Requeues the messages that were handed over before the process ended, since their outcome is unknown; returns
    /// their number. What was in its last attempt ends, and a webhook is paused by that as by an attempt that failed.
    /// Called once, before anything else is handed over.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn requeue_unknown_deliveries(&self) -> Result<usize, Refusal> {
        let handed = self.shared.ledger.lock().state().deliveries_in_progress();
        let requeue = |ledger: &LedgerState, now| {
            let unknown = DeliveryOutcome::Unknown { retry_at: now };
            let (mut events, mut pauses) = (Vec::new(), BTreeMap::new());
            for id in &handed {
                let Ended { event, pause } = Ended::of(ledger, *id, unknown)?;
                events.push(LedgerEvent::Message(event));
                pauses.extend(pause.map(|pause| ((pause.user, pause.webhook), pause)));
            }
            let webhooks: Vec<_> = pauses.keys().copied().collect();
            events.extend(pauses.into_values().flat_map(Pause::events));
            Ok((events, webhooks))
        };
        for (user, webhook) in self.on_ledger(requeue).await?.0 {
            self.publish_webhook_notice(user, webhook);
        }
        Ok(handed.len())
    }

    async fn on_messages(
        &self,
        decide: impl FnOnce(&LedgerState, UnixMs) -> Result<Vec<OutboxEvent>, Refusal>,
    ) -> Result<(), Refusal> {
        let decide =
            |ledger: &LedgerState, now| Ok((decide(ledger, now)?.into_iter().map(LedgerEvent::Message).collect(), ()));
        self.on_ledger(decide).await.map(drop)
    }
}

/// Whether a user is reachable in this way since before the notice, and wants notices of its kind.
fn is_wanted(ledger: &LedgerState, user: UserId, way: ContactChannel, notice: &NoticeView) -> bool {
    let contact = ledger.contacts().get(user);
    contact.reachable_since(way).is_some_and(|since| since <= notice.at) && contact.wants(way, notice.kind.into())
}

pub(super) fn facts(notice: &NoticeView) -> NoticeFacts {
    NoticeFacts {
        id: notice.id.clone(),
        kind: notice.kind.into(),
        at: notice.at,
        collection_name: notice.collection_name.to_string(),
        loan: notice.loan_id.map(|id| id.0),
        role: notice.role.map(Into::into),
        offer: notice.offer_id.map(|id| id.0),
    }
}
