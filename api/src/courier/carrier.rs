//! The delivery worker, which sends due messages of the outbox and records the results.

use std::collections::BTreeSet;
use std::time::Duration;

use actix_web::web;
use domain::{ContactWay, Handover, Message, MessageId, OutboxEvent, UnixMs, UserId, WhyGivenUp};
use engine::{DueMessage, Refusal};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Instant;

use super::mailer::{MAILS_AT_ONCE, Mailer};
use super::outcome::Outcome;
use super::parcel::Parcel;
use super::tempo::{REST_MAX, millis};
use super::{bot, gather};
use crate::app::App;
use crate::http::rate_limit::RateLimit;

/// The number of chat messages that are sent concurrently.
pub const CHATS_AT_ONCE: usize = 8;
/// The number of messages that are examined in one pass, so that users at their rate limit do not delay others.
const LOOKED_AT: usize = 256;
/// The limit of mails in ten seconds.
const MAILS_MAX: u32 = 50;
/// The limit of chat messages in ten seconds; Telegram accepts 30 per second.
const CHATS_MAX: u32 = 200;
const TEN_SECONDS_MS: u64 = 10_000;
/// The limit of mails to one user in a minute.
const MAILS_OF_PERSON_MAX: u32 = 10;
/// The limit of chat messages to one chat in a minute; Telegram accepts one per second, and more for a short time.
const CHATS_OF_PERSON_MAX: u32 = 20;
const MINUTE_MS: u64 = 60_000;

/// Delivers messages until it is stopped.
pub async fn run(app: web::Data<App>) {
    while let Err(refusal) = app.market.take_up_unknown().await {
        if refusal == Refusal::Closed || app.courier.is_stopping() {
            return;
        }
        tokio::time::sleep(app.courier.tempo.look_every).await;
    }
    tokio::join!(
        gather::run(&app),
        Turn::new(&app, ContactWay::Email).run(),
        Turn::new(&app, ContactWay::Telegram).run(),
        bot::listen(&app),
    );
}

/// The worker of one channel.
struct Turn<'app> {
    app: &'app App,
    way: ContactWay,
    at_once_max: usize,
    all: RateLimit<()>,
    of_one: RateLimit<Whom>,
    /// The number of consecutive failures of the channel.
    failures: u32,
    /// The end of the retry delay of the channel.
    rests_until: Option<Instant>,
    /// The messages in delivery and their recipients. One at a time to each, so that they arrive in order.
    on_way: BTreeSet<MessageId>,
    busy: BTreeSet<Whom>,
}

/// A recipient. Several users can share one chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Whom {
    Person(UserId),
    Chat(i64),
}

impl Whom {
    fn of(due: &DueMessage) -> Self {
        match (due.message.way, due.contact.telegram) {
            (ContactWay::Telegram, Some(telegram)) => Self::Chat(telegram.chat),
            _ => Self::Person(due.message.user),
        }
    }
}

/// The result of a delivery.
struct Done {
    id: MessageId,
    whom: Whom,
    outcome: Option<Outcome>,
}

impl<'app> Turn<'app> {
    fn new(app: &'app App, way: ContactWay) -> Self {
        let (at_once_max, all, of_one) = match way {
            ContactWay::Email => (MAILS_AT_ONCE, MAILS_MAX, MAILS_OF_PERSON_MAX),
            ContactWay::Telegram => (CHATS_AT_ONCE, CHATS_MAX, CHATS_OF_PERSON_MAX),
        };
        Self {
            app,
            way,
            at_once_max,
            all: RateLimit::within(all, TEN_SECONDS_MS),
            of_one: RateLimit::within(of_one, MINUTE_MS),
            failures: 0,
            rests_until: None,
            on_way: BTreeSet::new(),
            busy: BTreeSet::new(),
        }
    }

    async fn run(mut self) {
        let app = self.app;
        let mut under_way: FuturesUnordered<LocalBoxFuture<'app, Done>> = FuturesUnordered::new();
        loop {
            if !app.courier.is_stopping() {
                for due in self.choose().await {
                    let (id, whom) = (due.message.id, Whom::of(&due));
                    self.on_way.insert(id);
                    self.busy.insert(whom);
                    under_way.push(Box::pin(async move { Done { id, whom, outcome: carry(app, due).await } }));
                }
            } else if under_way.is_empty() {
                return;
            }
            tokio::select! {
                Some(done) = under_way.next(), if !under_way.is_empty() => self.take_in(&done),
                () = app.courier.waits(self.way).notified() => {}
                () = tokio::time::sleep(app.courier.tempo.look_every) => {}
                () = app.courier.stopped(), if !app.courier.is_stopping() => {}
            }
        }
    }

    /// Chooses the messages to send next. Messages that are no longer wanted or cannot be delivered are dropped.
    async fn choose(&mut self) -> Vec<DueMessage> {
        let (app, now) = (self.app, self.app.now());
        let is_there = app.courier.ways().contains(&self.way);
        let is_resting = self.rests_until.is_some_and(|until| Instant::now() < until);
        let mut chosen: Vec<DueMessage> = Vec::new();
        for due in app.market.due_messages(self.way, LOOKED_AT) {
            let (id, whom) = (due.message.id, Whom::of(&due));
            if self.on_way.contains(&id) {
                continue;
            }
            // While the channel is unavailable they wait for it, until they are stale.
            let is_wanted =
                if is_there { due.message.is_wanted(&due.contact, now) } else { !due.message.is_stale(now) };
            if !is_wanted {
                if let Err(refusal) = app.market.drop_message(id).await {
                    tracing::debug!(message = %id, %refusal, "a message that nobody wants stays for now");
                }
                continue;
            }
            let is_busy = self.busy.contains(&whom) || chosen.iter().any(|other| Whom::of(other) == whom);
            if !is_there || is_resting || is_busy || self.on_way.len() + chosen.len() >= self.at_once_max {
                continue;
            }
            if !self.of_one.try_take(whom, now) {
                continue;
            }
            if !self.all.try_take((), now) {
                self.of_one.give_back(&whom, now);
                break;
            }
            chosen.push(due);
        }
        chosen
    }

    /// Updates the state of the channel by the result of a delivery.
    fn take_in(&mut self, done: &Done) {
        self.on_way.remove(&done.id);
        self.busy.remove(&done.whom);
        match &done.outcome {
            Some(Outcome::Down(_)) => {
                self.failures = self.failures.saturating_add(1);
                self.rest(self.app.courier.tempo.rest(self.failures, rand::random()));
            }
            Some(Outcome::Later { after: Some(after), .. }) => self.rest((*after).min(REST_MAX)),
            Some(_) => self.failures = 0,
            // It stays in the outbox, and would be chosen again at once.
            None => self.rest(self.app.courier.tempo.look_every),
        }
    }

    fn rest(&mut self, rest: Duration) {
        let until = Instant::now() + rest;
        self.rests_until = Some(self.rests_until.map_or(until, |known| known.max(until)));
    }
}

/// Sends a message; `None` when it was not sent.
async fn carry(app: &App, due: DueMessage) -> Option<Outcome> {
    let (id, way) = (due.message.id, due.message.way);
    let Some(parcel) = Parcel::of(app, &due).await else {
        // It has no recipient, and will have none.
        let _ = app.market.drop_message(id).await;
        return None;
    };
    let slot = match app.courier.mailer() {
        Some(mailer) if way == ContactWay::Email => Some(mailer.slot().await?),
        _ => None,
    };
    if app.courier.is_stopping() {
        return None;
    }
    let attempt = match app.market.hand_message(id).await {
        Ok(attempt) => attempt,
        Err(refusal) => {
            tracing::debug!(message = %id, %refusal, "a message waits");
            return None;
        }
    };
    let outcome = match (&parcel, app.courier.mailer(), app.courier.bot(), slot) {
        (Parcel::Mail(mail), Some(mailer), _, Some(slot)) => Mailer::send(mailer, slot, mail).await,
        (Parcel::Chat { chat, text }, _, Some(bot), _) => bot.tell(*chat, text).await,
        _ => Outcome::Down("the way is not set up".to_owned()),
    };
    let settled = settle(app, id, handover(app, &outcome, attempt)).await;
    tell_of(app, &due.message, &outcome, attempt, settled.as_ref());
    if matches!(outcome, Outcome::Closed(_))
        && let Err(refusal) = leave(app, &due, &parcel).await
    {
        tracing::warn!(message = %id, %refusal, "messages go on to where none is taken any more");
    }
    Some(outcome)
}

/// Removes a chat or address that permanently refuses messages.
async fn leave(app: &App, due: &DueMessage, parcel: &Parcel) -> Result<(), Refusal> {
    match (parcel, &due.contact.email) {
        (Parcel::Chat { chat, .. }, _) => app.market.leave_chat(*chat).await,
        (Parcel::Mail(_), Some(email)) => app.market.refuse_email(due.message.user, email.serial).await,
        (Parcel::Mail(_), None) => Ok(()),
    }
}

/// The result as recorded in the journal.
fn handover(app: &App, outcome: &Outcome, attempt: u32) -> Handover {
    let retry_at = |after: Option<Duration>| {
        let now = app.now();
        let asked = after.map_or(UnixMs(0), |after| now.plus_ms(millis(after)));
        app.courier.tempo.retry_at(attempt, rand::random(), now).max(asked)
    };
    match outcome {
        Outcome::Taken => Handover::Taken,
        Outcome::Refused(_) | Outcome::Closed(_) => Handover::Lost(WhyGivenUp::Refused),
        Outcome::Later { after, .. } => Handover::Postponed { retry_at: retry_at(*after) },
        Outcome::Down(_) => Handover::Postponed { retry_at: retry_at(None) },
        Outcome::Unknown(_) => Handover::Unknown { retry_at: retry_at(None) },
    }
}

/// Records the result, with retries under overload: without a record the message is sent again.
async fn settle(app: &App, id: MessageId, handover: Handover) -> Option<OutboxEvent> {
    loop {
        match app.market.settle_message(id, handover).await {
            Ok(event) => return Some(event),
            Err(Refusal::Overloaded { .. }) => tokio::time::sleep(app.courier.tempo.look_every).await,
            Err(refusal) => {
                tracing::warn!(message = %id, %refusal, "what came of a message is not written down");
                return None;
            }
        }
    }
}

/// Logs the result for the operator, without the user or the text.
fn tell_of(app: &App, message: &Message, outcome: &Outcome, attempt: u32, settled: Option<&OutboxEvent>) {
    let (id, way) = (message.id, way_name(message.way));
    app.metrics.count_message(way, settled);
    let why = match outcome {
        Outcome::Taken => return,
        Outcome::Refused(why)
        | Outcome::Closed(why)
        | Outcome::Down(why)
        | Outcome::Unknown(why)
        | Outcome::Later { why, .. } => why,
    };
    if let Some(OutboxEvent::GivenUp { why: ending, .. }) = settled {
        tracing::warn!(message = %id, way, attempt, why, ?ending, "a message was given up");
    } else {
        tracing::warn!(message = %id, way, attempt, why, "a message goes again later");
    }
}

/// Returns the name of a channel in logs and metrics.
#[must_use]
pub const fn way_name(way: ContactWay) -> &'static str {
    match way {
        ContactWay::Email => "email",
        ContactWay::Telegram => "telegram",
    }
}
