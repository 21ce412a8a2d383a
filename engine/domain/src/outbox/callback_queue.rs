//! The messages to URLs of users, which are webhooks or push subscriptions: their order, and a record of the latest of each
//! webhook.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::{AttemptResult, GiveUpReason, Message, MessageContent, MessageId};
use crate::{ContactChannel, LoanId, OfferId, UnixMs};

/// The subject of a message. Messages about one subject are delivered in their order: programs follow the events of a loan,
/// while a person is to read what is urgent however late the message before it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Subject {
    Loan(LoanId),
    Offer(OfferId),
    Other,
    Own(MessageId),
}

impl Subject {
    /// The last subject of the order.
    const LAST: Self = Self::Own(MessageId(u64::MAX));

    fn of(message: &Message) -> Self {
        if message.channel.webhook().is_none() {
            return Self::Own(message.id);
        }
        let Some(facts) = message.content.facts() else { return Self::Other };
        match (facts.loan, facts.offer) {
            (Some(loan), _) => Self::Loan(loan),
            (None, Some(offer)) => Self::Offer(offer),
            (None, None) => Self::Other,
        }
    }
}

/// A delivery attempt at a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookAttempt {
    /// The time of its end.
    pub at: UnixMs,
    /// Its result.
    pub result: AttemptResult,
    /// Its duration, in milliseconds.
    pub duration_ms: u32,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It waits for its next attempt, or for an earlier event of its subject.
    Waiting {
        /// The earliest time of the next attempt.
        not_before: UnixMs,
    },
    /// An attempt is in progress.
    InFlight,
    /// The webhook has accepted it.
    Delivered,
    /// It is not sent any more.
    GivenUp(GiveUpReason),
}

/// A message to a webhook, also one that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// The id of the message.
    pub id: MessageId,
    /// The content.
    pub content: MessageContent,
    /// The time at which it was queued.
    pub queued_at: UnixMs,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The last attempt with a recorded result.
    pub last_attempt: Option<WebhookAttempt>,
    /// The state.
    pub state: DeliveryState,
}

/// The messages to the URLs of users of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct CallbackQueue {
    /// The latest messages of each webhook, the newest last.
    log: HashMap<ContactChannel, VecDeque<WebhookDelivery>>,
    /// The messages of each subject that have not ended. Only the first is delivered.
    lanes: BTreeMap<(ContactChannel, Subject), BTreeSet<MessageId>>,
    /// The waiting messages by the time they wait for.
    waiting: BTreeSet<(UnixMs, MessageId)>,
    /// The numbers of messages that have not ended.
    pending: HashMap<ContactChannel, usize>,
    total: usize,
}

impl CallbackQueue {
    /// The number of messages in the record of a webhook.
    pub(super) const LOG_MAX: usize = 50;

    /// The number of messages that have not ended, of all channels.
    pub(super) const fn len(&self) -> usize {
        self.total
    }

    /// The number of messages of a channel that have not ended.
    pub(super) fn pending(&self, channel: ContactChannel) -> usize {
        self.pending.get(&channel).copied().unwrap_or(0)
    }

    /// The latest messages of a webhook, the newest first.
    pub(super) fn deliveries(&self, webhook: ContactChannel) -> impl Iterator<Item = &WebhookDelivery> {
        self.log.get(&webhook).into_iter().flatten().rev()
    }

    /// The messages that are due, the longest waiting first; of each channel at most one, and none before an earlier one
    /// of its subject has ended. `message` returns a pending message.
    pub(super) fn due<'queue>(
        &'queue self,
        now: UnixMs,
        message: impl Fn(MessageId) -> Option<&'queue Message>,
    ) -> impl Iterator<Item = &'queue Message> {
        let mut channels = HashSet::new();
        let due = self.waiting.range(..=(now, MessageId(u64::MAX)));
        due.filter_map(move |(_, id)| message(*id))
            .filter(move |message| self.is_first(message) && channels.insert(message.channel))
    }

    /// Whether no earlier message of its subject is pending.
    pub(super) fn is_first(&self, message: &Message) -> bool {
        let lane = self.lanes.get(&(message.channel, Subject::of(message)));
        lane.and_then(BTreeSet::first) == Some(&message.id)
    }

    pub(super) fn enqueue(&mut self, message: &Message, at: UnixMs) {
        self.lanes.entry((message.channel, Subject::of(message))).or_default().insert(message.id);
        self.waiting.insert((at, message.id));
        *self.pending.entry(message.channel).or_default() += 1;
        self.total += 1;
        if message.channel.webhook().is_none() {
            return;
        }
        let log = self.log.entry(message.channel).or_default();
        if log.len() >= Self::LOG_MAX {
            log.pop_front();
        }
        log.push_back(WebhookDelivery {
            id: message.id,
            content: message.content.clone(),
            queued_at: at,
            attempts: 0,
            last_attempt: None,
            state: DeliveryState::Waiting { not_before: at },
        });
    }

    /// Notes a change of a pending message from one time of waiting, if it waited, to the next.
    pub(super) fn set_waiting(
        &mut self,
        channel: ContactChannel,
        id: MessageId,
        was: Option<UnixMs>,
        is: Option<UnixMs>,
    ) {
        if let Some(was) = was {
            self.waiting.remove(&(was, id));
        }
        if let Some(not_before) = is {
            self.waiting.insert((not_before, id));
        }
        self.change(channel, id, |delivery| {
            delivery.attempts += u32::from(is.is_none());
            delivery.state = is.map_or(DeliveryState::InFlight, |not_before| DeliveryState::Waiting { not_before });
        });
    }

    pub(super) fn note_attempt(&mut self, webhook: ContactChannel, id: MessageId, attempt: WebhookAttempt) {
        self.change(webhook, id, |delivery| delivery.last_attempt = Some(attempt));
    }

    /// Ends a message that waited since `was`, or was in flight.
    pub(super) fn end(&mut self, message: &Message, was: Option<UnixMs>, state: DeliveryState) {
        if let Some(was) = was {
            self.waiting.remove(&(was, message.id));
        }
        let key = (message.channel, Subject::of(message));
        if let Some(lane) = self.lanes.get_mut(&key) {
            lane.remove(&message.id);
            if lane.is_empty() {
                self.lanes.remove(&key);
            }
        }
        if let Some(pending) = self.pending.get_mut(&message.channel) {
            *pending -= 1;
            if *pending == 0 {
                self.pending.remove(&message.channel);
            }
        }
        self.total -= 1;
        self.change(message.channel, message.id, |delivery| delivery.state = state);
    }

    /// The ids of a channel's messages that have not ended.
    pub(super) fn pending_of(&self, channel: ContactChannel) -> Vec<MessageId> {
        let lanes = self.lanes.range((channel, Subject::Loan(LoanId(0)))..=(channel, Subject::LAST));
        lanes.flat_map(|(_, lane)| lane.iter().copied()).collect()
    }

    /// Drops the record of a webhook.
    pub(super) fn forget(&mut self, webhook: ContactChannel) {
        self.log.remove(&webhook);
    }

    fn change(&mut self, webhook: ContactChannel, id: MessageId, change: impl FnOnce(&mut WebhookDelivery)) {
        let delivery = self.log.get_mut(&webhook).and_then(|log| log.iter_mut().find(|delivery| delivery.id == id));
        if let Some(delivery) = delivery {
            change(delivery);
        }
    }
}
