//! Messages on their way to people, outside of the app.
//!
//! A message is handed over after that is written down, and what came of it is written down afterwards. So a crash between
//! the two leaves a message of which nobody knows whether it arrived, and so does an answer that is lost on its way. Such a
//! message is handed over again, since somebody may lose money who does not hear of something: a mail carries the same
//! Message-ID each time, by which it is recognised, and what a chat would show twice is repeated a few times at most.

mod event;
mod message;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use thiserror::Error;

use crate::{ContactWay, UnixMs, UserId};

pub use event::{OutboxEvent, WhyGivenUp};
pub use message::{Message, MessageContent, MessageId, NoticeFacts};

/// Why a message does not go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OutboxRejection {
    /// Too many messages wait.
    #[error("at most {max} messages wait")]
    Full {
        /// How many can.
        max: usize,
    },
    /// Somebody had as many messages as there are in a day.
    #[error("at most {max} such messages in a day")]
    TooMany {
        /// How many there are.
        max: usize,
    },
    /// The message is not known, or has ended.
    #[error("there is no message {0}")]
    Unknown(MessageId),
    /// The message was handed over, or waits for its time.
    #[error("message {0} is not due")]
    NotDue(MessageId),
    /// Nothing can come of a message that was not handed over.
    #[error("message {0} was not handed over")]
    NotHanded(MessageId),
}

/// What came of a message that was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handover {
    /// The other side has taken it.
    Taken,
    /// The other side has not taken it, and may later.
    Postponed {
        /// When to try again.
        retry_at: UnixMs,
    },
    /// Nobody knows whether the other side has taken it: an answer was lost, or the process ended before it came.
    Unknown {
        /// When to try again.
        retry_at: UnixMs,
    },
    /// It will never be taken.
    Lost(WhyGivenUp),
}

/// A message that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pending {
    message: Message,
    /// How often it was handed over.
    attempts: u32,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting { not_before: UnixMs },
    Handed,
}

/// What tells a notice that was queued from all others.
type Known = (UserId, ContactWay, Arc<str>);

/// The messages that have not ended, and what is known of those that have.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    pending: BTreeMap<MessageId, Pending>,
    /// Waiting messages: what matters most first, then by the time they wait for.
    waiting: BTreeSet<(Urgency, UnixMs, MessageId)>,
    /// The notices that were queued and could come again.
    known: HashSet<Known>,
    /// When they cannot come again any more.
    forgotten_at: BTreeSet<(UnixMs, Known)>,
    /// When messages of the last day were queued, the oldest first.
    queued: HashMap<(UserId, ContactWay), VecDeque<UnixMs>>,
    latest: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    Critical,
    Other,
}

impl Outbox {
    /// Messages that have not ended.
    pub const PENDING_MAX: usize = 10_000;
    /// Messages of one person in one way in a day that are not critical.
    pub const MESSAGES_MAX: usize = 40;
    /// The same with critical ones.
    pub const CRITICAL_MESSAGES_MAX: usize = 80;
    /// A message is handed over so often.
    pub const ATTEMPTS_MAX: u32 = 8;
    /// A message that would be shown twice is not handed over again after so often, when nobody knows whether it arrived.
    pub const UNKNOWN_ATTEMPTS_MAX: u32 = 3;
    /// A notice that is older is no news, in milliseconds. Until then it is remembered that it was queued.
    pub const NEWS_MS: u64 = 3 * 24 * 3_600_000;

    const DAY_MS: u64 = 24 * 3_600_000;

    /// Messages that have not ended.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether every message has ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Queues a message; no event when it was queued before or is no news.
    ///
    /// # Errors
    /// [`OutboxRejection::Full`], [`OutboxRejection::TooMany`].
    pub fn queue(
        &self,
        user: UserId,
        way: ContactWay,
        content: MessageContent,
        now: UnixMs,
    ) -> Result<Option<OutboxEvent>, OutboxRejection> {
        let is_critical = content.is_critical();
        if let MessageContent::Notice(facts) = &content
            && (facts.at.plus_ms(Self::NEWS_MS) <= now || self.is_known(user, way, &facts.id))
        {
            return Ok(None);
        }
        if self.pending.len() >= Self::PENDING_MAX {
            return Err(OutboxRejection::Full { max: Self::PENDING_MAX });
        }
        let max = if is_critical { Self::CRITICAL_MESSAGES_MAX } else { Self::MESSAGES_MAX };
        let today = self.queued.get(&(user, way)).into_iter().flatten();
        if today.filter(|at| at.plus_ms(Self::DAY_MS) > now).count() >= max {
            return Err(OutboxRejection::TooMany { max });
        }
        let message = Message { id: MessageId(self.latest + 1), user, way, content };
        Ok(Some(OutboxEvent::Queued(Box::new(message))))
    }

    /// Whether a notice was queued and could come again.
    #[must_use]
    pub fn is_known(&self, user: UserId, way: ContactWay, notice: &str) -> bool {
        self.known.contains(&(user, way, Arc::from(notice)))
    }

    /// Messages in one way that can be handed over now, the most urgent first.
    pub fn due(&self, way: ContactWay, now: UnixMs) -> impl Iterator<Item = &Message> {
        let due = self.waiting.iter().filter(move |(_, not_before, _)| *not_before <= now);
        due.filter_map(|(_, _, id)| self.pending.get(id))
            .map(|pending| &pending.message)
            .filter(move |message| message.way == way)
    }

    /// Messages that were handed over and of which nobody wrote down what came of it.
    pub fn handed(&self) -> impl Iterator<Item = MessageId> {
        self.pending.iter().filter(|(_, pending)| pending.stage == Stage::Handed).map(|(id, _)| *id)
    }

    /// How often a message was handed over before; `None` when it has ended.
    #[must_use]
    pub fn attempts(&self, id: MessageId) -> Option<u32> {
        self.pending.get(&id).map(|pending| pending.attempts)
    }

    /// A message is about to be handed over.
    ///
    /// # Errors
    /// [`OutboxRejection::Unknown`], [`OutboxRejection::NotDue`].
    pub fn hand(&self, id: MessageId, now: UnixMs) -> Result<OutboxEvent, OutboxRejection> {
        match self.pending.get(&id).ok_or(OutboxRejection::Unknown(id))?.stage {
            Stage::Waiting { not_before } if not_before <= now => Ok(OutboxEvent::Handed { id }),
            Stage::Waiting { .. } | Stage::Handed => Err(OutboxRejection::NotDue(id)),
        }
    }

    /// Says what came of a message that was handed over.
    ///
    /// # Errors
    /// [`OutboxRejection::Unknown`], [`OutboxRejection::NotHanded`].
    pub fn settle(&self, id: MessageId, handover: Handover) -> Result<OutboxEvent, OutboxRejection> {
        let pending = self.pending.get(&id).ok_or(OutboxRejection::Unknown(id))?;
        if pending.stage != Stage::Handed {
            return Err(OutboxRejection::NotHanded(id));
        }
        Ok(match handover {
            Handover::Taken => OutboxEvent::Delivered { id },
            Handover::Unknown { .. } if pending.is_repeated_enough() => {
                OutboxEvent::GivenUp { id, why: WhyGivenUp::Unknown }
            }
            Handover::Postponed { .. } | Handover::Unknown { .. } if pending.attempts >= Self::ATTEMPTS_MAX => {
                OutboxEvent::GivenUp { id, why: WhyGivenUp::TooManyAttempts }
            }
            Handover::Postponed { retry_at } | Handover::Unknown { retry_at } => OutboxEvent::Failed { id, retry_at },
            Handover::Lost(why) => OutboxEvent::GivenUp { id, why },
        })
    }

    /// Ends a message that waits and that nobody can or wants to be told any more.
    ///
    /// # Errors
    /// [`OutboxRejection::Unknown`], [`OutboxRejection::NotDue`] when it was handed over.
    pub fn drop_waiting(&self, id: MessageId) -> Result<OutboxEvent, OutboxRejection> {
        match self.pending.get(&id).ok_or(OutboxRejection::Unknown(id))?.stage {
            Stage::Waiting { .. } => Ok(OutboxEvent::GivenUp { id, why: WhyGivenUp::NotWanted }),
            Stage::Handed => Err(OutboxRejection::NotDue(id)),
        }
    }

    /// Takes an event in. What cannot come again after `at` is forgotten.
    pub fn apply(&mut self, event: &OutboxEvent, at: UnixMs) {
        match event {
            OutboxEvent::Queued(message) => self.take_in(message, at),
            OutboxEvent::Handed { id } => self.move_to(*id, Stage::Handed),
            OutboxEvent::Failed { id, retry_at } => self.move_to(*id, Stage::Waiting { not_before: *retry_at }),
            OutboxEvent::Delivered { id } | OutboxEvent::GivenUp { id, .. } => {
                if let Some(ended) = self.pending.remove(id) {
                    self.waiting.remove(&ended.place());
                }
            }
        }
        self.forget_until(at);
    }

    fn take_in(&mut self, message: &Message, at: UnixMs) {
        self.latest = self.latest.max(message.id.0);
        if let MessageContent::Notice(facts) = &message.content {
            let known = (message.user, message.way, Arc::from(facts.id.as_str()));
            self.known.insert(known.clone());
            self.forgotten_at.insert((facts.at.plus_ms(Self::NEWS_MS), known));
        }
        self.forget_day((message.user, message.way), at);
        self.queued.entry((message.user, message.way)).or_default().push_back(at);
        let pending = Pending { message: message.clone(), attempts: 0, stage: Stage::Waiting { not_before: at } };
        self.waiting.insert(pending.place());
        self.pending.insert(message.id, pending);
    }

    fn move_to(&mut self, id: MessageId, stage: Stage) {
        let Some(pending) = self.pending.get_mut(&id) else { return };
        self.waiting.remove(&pending.place());
        pending.attempts += u32::from(stage == Stage::Handed);
        pending.stage = stage;
        if stage != Stage::Handed {
            self.waiting.insert(pending.place());
        }
    }

    fn forget_until(&mut self, at: UnixMs) {
        while let Some((forgotten_at, _)) = self.forgotten_at.first() {
            if *forgotten_at > at {
                break;
            }
            if let Some((_, known)) = self.forgotten_at.pop_first() {
                self.forget_day((known.0, known.1), at);
                self.known.remove(&known);
            }
        }
    }

    /// Forgets when messages of more than a day ago were queued. Whoever was sent nothing since is not counted any more.
    fn forget_day(&mut self, whose: (UserId, ContactWay), at: UnixMs) {
        if let Some(queued) = self.queued.get_mut(&whose) {
            queued.retain(|queued| queued.plus_ms(Self::DAY_MS) > at);
            if queued.is_empty() {
                self.queued.remove(&whose);
            }
        }
    }
}

impl Pending {
    /// Whether it was handed over as often as something may be that people see again each time it arrives.
    const fn is_repeated_enough(&self) -> bool {
        matches!(self.message.way, ContactWay::Telegram) && self.attempts >= Outbox::UNKNOWN_ATTEMPTS_MAX
    }

    /// Where it stands among those that wait.
    fn place(&self) -> (Urgency, UnixMs, MessageId) {
        let urgency = if self.message.content.is_critical() { Urgency::Critical } else { Urgency::Other };
        let not_before = match self.stage {
            Stage::Waiting { not_before } => not_before,
            Stage::Handed => UnixMs(0),
        };
        (urgency, not_before, self.message.id)
    }
}

#[cfg(test)]
mod tests;
