//! The executor of a connection's commands, which outlives the socket for as long as its offers need.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::web;
use domain::OfferId;
use engine::feed::CloseReason;
use engine::{NonceUse, Refusal, touched_books};
use serde::Serialize;
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

use super::answer::{
    Answer, AnswerFrame, Answers, BatchResult, CancelledAll, CommandResult, HeartbeatResult, OrderOutcome,
};
use super::client_frame::{BATCH_MAX, Batch, CancelAll, Heartbeat, Order, TradingFrame};
use super::connection_offers::ConnectionOffers;
use super::connection_receipts::ConnectionReceipts;
use super::deadline::Deadline;
use super::order_run::{OrderResult, OrderRun, check_cancel_scope, check_scope};
use super::received::Received;
use crate::app::App;
use crate::bot_check::Visitor;
use crate::cluster::position::Seen;
use crate::extract::signed_in::SignedIn;
use crate::http::answer::Answer as StoredAnswer;
use crate::http::api_error::ApiError;
use crate::http::client_ip;
use crate::http::error_code::ErrorCode;
use crate::http::idempotency::{Begun, RunningRequest};
use crate::http::idempotency_key::{Fingerprint, IdempotencyKey, RETENTION_MS};
use crate::http::request_limits::MANUAL_OFFERS_MAX;
use crate::session::credential::Credential;
use crate::sockets::socket_registry::SocketRecord;

/// The times in seconds after which a connection can count as lost.
const HEARTBEAT_SECONDS: RangeInclusive<u16> = 1..=600;

/// The largest number of answers in a frame.
const ANSWERS_PER_FRAME: usize = 100;

/// The number of orders of a batch that count as one write, as the items of a request do.
const ORDERS_PER_WRITE: usize = MANUAL_OFFERS_MAX;

/// The pause before the offers of a lost connection are cancelled again, when the market has too much to do.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// The number of attempts to cancel the offers of a lost connection.
const ATTEMPTS: usize = 600;

/// Executes the commands of a connection, and cancels its offers when it is lost.
pub(super) struct Executor {
    pub(super) app: web::Data<App>,
    pub(super) credential: Credential,
    pub(super) address: IpAddr,
    pub(super) socket: Arc<SocketRecord>,
    pub(super) commands: mpsc::UnboundedReceiver<Received>,
    pub(super) is_closed: Arc<AtomicBool>,
    pub(super) deadline: Arc<Deadline>,
    /// Permits of frames of answers that the socket has not taken.
    pub(super) unread: Arc<Semaphore>,
    pub(super) offers: ConnectionOffers,
    pub(super) receipts: ConnectionReceipts,
    pub(super) has_placed: bool,
}

/// A command whose id was looked up.
enum Started {
    Known(OrderResult),
    New(RunningRequest),
}

impl Executor {
    /// Runs until the socket closes or a heartbeat is missing.
    pub(super) async fn run(mut self) {
        while let Some(round) = self.next_round().await {
            let (frames, permits): (Vec<_>, Vec<_>) = round.into_iter().map(|it| (it.frame, it.permit)).unzip();
            let (answers, touched) = touched_books::collect(self.execute(frames)).await;
            self.receipts.add(&answers, touched);
            let is_open = self.send(answers).await;
            self.receipts.send_soon();
            drop(permits);
            if !is_open {
                break;
            }
        }
        self.cancel_offers().await;
    }

    /// Returns all commands that have arrived; `None` once the connection is lost.
    async fn next_round(&mut self) -> Option<Vec<Received>> {
        let first = tokio::select! {
            biased;
            () = self.deadline.passed() => {
                self.close_silent();
                None
            }
            first = self.commands.recv() => first,
        }?;
        // Commands that were not begun are not executed for a client that is gone.
        if self.is_closed.load(Ordering::Acquire) {
            return None;
        }
        let mut orders = first.frame.order_count();
        let mut round = vec![first];
        while orders < BATCH_MAX
            && let Ok(next) = self.commands.try_recv()
        {
            orders += next.frame.order_count();
            round.push(next);
        }
        Some(round)
    }

    /// Sends answers once the client has read earlier ones; `false` if a heartbeat is missing meanwhile.
    async fn send(&self, answers: Vec<Answer>) -> bool {
        let cluster = self.app.cluster.as_ref();
        let seen = cluster.map(|cluster| Seen { journal: cluster.journal.identity(), position: cluster.position() });
        let position = seen.map(|seen| seen.text());
        for answers in answers.chunks(ANSWERS_PER_FRAME) {
            let permit = tokio::select! {
                biased;
                () = self.deadline.passed() => {
                    self.close_silent();
                    return false;
                }
                permit = Arc::clone(&self.unread).acquire_owned() => permit,
            };
            // The semaphore is never closed.
            let Ok(permit) = permit else { return false };
            let frame = AnswerFrame::Answers(Answers { answers: answers.to_vec(), position: position.clone() });
            self.socket.queue.push_answer(self.socket.queue.encoding().encode(&frame), permit);
        }
        true
    }

    fn close_silent(&self) {
        self.socket.queue.close(CloseReason::NoHeartbeat);
    }

    async fn execute(&mut self, frames: Vec<TradingFrame>) -> Vec<Answer> {
        let caller = match self.caller().await {
            Ok(caller) => caller,
            Err(refusal) => {
                let refused = |frame: &TradingFrame| self.answer(frame.id(), Err(refusal.clone()));
                return frames.iter().map(refused).collect();
            }
        };
        let (mut answers, mut run) = (Vec::with_capacity(frames.len()), Vec::new());
        for frame in frames {
            let order = match frame {
                TradingFrame::Place(order) => Order::Place(order),
                TradingFrame::Edit(order) => Order::Edit(order),
                TradingFrame::Cancel(order) => Order::Cancel(order),
                other => {
                    answers.extend(self.execute_run(&caller, std::mem::take(&mut run)).await);
                    answers.push(self.execute_alone(&caller, other).await);
                    continue;
                }
            };
            // The second of two commands with one id waits for the answer of the first.
            if run.iter().any(|earlier: &Order| earlier.id() == order.id()) {
                answers.extend(self.execute_run(&caller, std::mem::take(&mut run)).await);
            }
            run.push(order);
        }
        answers.extend(self.execute_run(&caller, run).await);
        self.prune().await;
        answers
    }

    /// Returns the caller, as each request over HTTP confirms it.
    async fn caller(&self) -> Result<SignedIn, ApiError> {
        if let Some(cluster) = self.app.cluster.as_ref().filter(|cluster| !cluster.is_writer()) {
            let writer = cluster.writer().map(|writer| writer.name);
            return Err(ApiError::plain(ErrorCode::NoWriter).with_values(json!({"writer": writer})));
        }
        SignedIn::confirm_use(&self.app, self.credential, self.address).await
    }

    fn answer(&self, id: Option<&str>, outcome: OrderResult) -> Answer {
        if let Err(refusal) = &outcome {
            self.app.metrics.count_refusal(refusal.code());
        }
        Answer::new(id.map(str::to_owned), outcome)
    }

    fn orders<'a>(&'a self, caller: &'a SignedIn) -> OrderRun<'a> {
        let network = client_ip::network_of(self.address);
        let visitor = Visitor { user: caller.user(), address: self.address, network };
        OrderRun { app: &self.app, caller, visitor, cancels_on_disconnect: self.deadline.seconds().is_some() }
    }

    /// Executes orders that are answered each by itself.
    async fn execute_run(&mut self, caller: &SignedIn, orders: Vec<Order>) -> Vec<Answer> {
        let mut slots: Vec<Result<RunningRequest, OrderResult>> = Vec::with_capacity(orders.len());
        let mut nonces = Vec::with_capacity(orders.len());
        for order in &orders {
            let permitted = check_scope(caller, order).and_then(|()| self.take_writes(caller, 1));
            let begun = permitted.and_then(|()| self.begin(caller, order.id(), order));
            let slot = match begun {
                Ok(Started::New(running)) => Ok(running),
                Ok(Started::Known(outcome)) => Err(outcome),
                Err(refusal) => Err(Err(refusal)),
            };
            let is_creation = slot.is_ok() && matches!(order, Order::Place(_));
            let nonce = if is_creation { self.nonce_of(caller, order.id(), true).map(Some) } else { Ok(None) };
            let (slot, nonce) = match (slot, nonce) {
                // Dropped, it can be sent again.
                (Ok(_), Err(refusal)) => (Err(Err(refusal)), None),
                (slot, nonce) => (slot, nonce.unwrap_or_default()),
            };
            slots.push(slot);
            nonces.push(nonce);
        }
        let todo = orders.iter().zip(nonces).zip(&slots);
        let todo: Vec<_> = todo.filter(|(_, slot)| slot.is_ok()).map(|(order, _)| order).collect();
        let mut done = self.orders(caller).run_each(&todo).await.into_iter();
        let mut answers = Vec::with_capacity(orders.len());
        for (order, slot) in orders.iter().zip(slots) {
            let outcome = match slot {
                Err(outcome) => outcome,
                Ok(running) => {
                    let outcome = done.next().unwrap_or_else(|| Err(ApiError::plain(ErrorCode::Internal)));
                    self.record(order, &outcome);
                    finish(running, &outcome);
                    outcome
                }
            };
            answers.push(self.answer(order.id(), outcome));
        }
        answers
    }

    /// Executes a command that is not part of a run.
    async fn execute_alone(&mut self, caller: &SignedIn, frame: TradingFrame) -> Answer {
        let id = frame.id().map(str::to_owned);
        let outcome = match frame {
            TradingFrame::Batch(batch) => self.execute_batch(caller, batch).await,
            TradingFrame::CancelAll(all) => self.cancel_all(caller, &all).await,
            TradingFrame::Heartbeat(heartbeat) => self.take_heartbeat(&heartbeat),
            _ => Err(ApiError::plain(ErrorCode::Internal)),
        };
        self.answer(id.as_deref(), outcome)
    }

    async fn execute_batch(&mut self, caller: &SignedIn, batch: Batch) -> OrderResult {
        let count = batch.orders.len();
        self.take_writes(caller, count.min(BATCH_MAX).div_ceil(ORDERS_PER_WRITE).max(1))?;
        if !(1..=BATCH_MAX).contains(&count) || batch.orders.iter().any(|order| order.id().is_some()) {
            let detail = format!("orders must have 1 to {BATCH_MAX} items, without ids");
            return Err(ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": "orders"})));
        }
        let running = match self.begin(caller, batch.id.as_deref(), &batch)? {
            Started::Known(outcome) => return outcome,
            Started::New(running) => running,
        };
        let is_creating = batch.orders.iter().any(|order| matches!(order, Order::Place(_)));
        let nonce_use = self.nonce_of(caller, batch.id.as_deref(), is_creating)?;
        let token = batch.cf_turnstile_response.as_deref();
        let outcomes = self.orders(caller).run_batch(&batch.orders, nonce_use, token).await;
        let outcome = outcomes.map(|outcomes| {
            for (order, outcome) in batch.orders.iter().zip(&outcomes) {
                self.record(order, outcome);
            }
            let outcomes = outcomes.into_iter().map(OrderOutcome::from).collect();
            CommandResult::Batch(BatchResult { outcomes })
        });
        finish(running, &outcome);
        outcome
    }

    async fn cancel_all(&mut self, caller: &SignedIn, all: &CancelAll) -> OrderResult {
        check_cancel_scope(caller)?;
        self.take_writes(caller, 1)?;
        let running = match self.begin(caller, all.id.as_deref(), all)? {
            Started::Known(outcome) => return outcome,
            Started::New(running) => running,
        };
        let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
        let group = all.collection.as_deref().map(|name| self.app.market.group_named(name).ok_or_else(unknown));
        let outcome = match group.transpose() {
            Ok(group) => {
                let cancelled = self.app.market.cancel_all_manual(caller.user(), group.map(|group| group.id)).await;
                cancelled
                    .map(|cancelled| CommandResult::CancelledAll(CancelledAll { cancelled }))
                    .map_err(ApiError::from)
            }
            Err(refusal) => Err(refusal),
        };
        finish(running, &outcome);
        outcome
    }

    fn take_heartbeat(&self, heartbeat: &Heartbeat) -> OrderResult {
        if let Some(seconds) = heartbeat.cancel_on_disconnect {
            let refuse = |detail: String| {
                let values = json!({"field": "cancelOnDisconnect"});
                Err(ApiError::new(ErrorCode::InvalidField, detail).with_values(values))
            };
            if !HEARTBEAT_SECONDS.contains(&seconds) {
                let (min, max) = (HEARTBEAT_SECONDS.start(), HEARTBEAT_SECONDS.end());
                return refuse(format!("cancelOnDisconnect must be {min} to {max} seconds"));
            }
            if self.has_placed && self.deadline.seconds().is_none() {
                return refuse(
                    "cancelOnDisconnect must be set before the connection places its first offer".to_owned(),
                );
            }
            self.deadline.set(seconds);
        }
        Ok(CommandResult::Heartbeat(HeartbeatResult { cancel_on_disconnect: self.deadline.seconds() }))
    }

    fn record(&mut self, order: &Order, outcome: &OrderResult) {
        if let Ok(result) = outcome {
            self.has_placed |= !matches!(order, Order::Cancel(_));
            if self.deadline.seconds().is_some() {
                self.offers.record(order, result);
            }
        }
    }

    fn take_writes(&self, caller: &SignedIn, count: usize) -> Result<(), ApiError> {
        (0..count).try_for_each(|_| caller.take_write(&self.app))
    }

    /// Looks the id of a command up.
    fn begin(&self, caller: &SignedIn, id: Option<&str>, command: &impl Serialize) -> Result<Started, ApiError> {
        let key = key_of(id)?;
        let canonical = serde_json::to_vec(command).map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
        let store = Arc::clone(&self.app.idempotency);
        match store.begin(caller.user(), key, Fingerprint::of_command(&canonical), self.app.now())? {
            Begun::New(running) => Ok(Started::New(running)),
            Begun::Known(outcome) => Ok(Started::Known(outcome.and_then(|answer| {
                serde_json::from_slice(answer.body()).map_err(|error| ApiError::new(ErrorCode::Internal, error))
            }))),
        }
    }

    /// Returns the nonce of a command; of one that creates offers, within the quota of such nonces.
    fn nonce_of(&self, caller: &SignedIn, id: Option<&str>, is_creating: bool) -> Result<NonceUse, ApiError> {
        if is_creating {
            self.app.rates.keyed_creations.take(caller.user(), self.app.now())?;
        }
        let (nonce, expires_at) = (key_of(id)?.nonce(caller.user()), self.app.now().plus_ms(RETENTION_MS));
        Ok(NonceUse { nonce, expires_at })
    }

    /// Forgets offers that have left the books, once there are many.
    async fn prune(&mut self) {
        if self.offers.is_prunable()
            && let Ok(open) = self.app.market.my_offers(self.credential.user).await
        {
            let open: BTreeSet<OfferId> = open.into_iter().map(|offer| offer.offer_id.0).collect();
            self.offers.retain(&open);
        }
    }

    /// Cancels the offers of the connection, if its client has asked for that.
    async fn cancel_offers(&self) {
        let offers = self.offers.all();
        for _ in 0..ATTEMPTS {
            match self.app.market.end_connection(&offers).await {
                Ok(()) => return,
                Err(Refusal::Overloaded { .. }) => tokio::time::sleep(RETRY_DELAY).await,
                Err(refusal) => {
                    // The process that decides next cancels them when it begins.
                    tracing::info!(%refusal, "offers of a lost connection are cancelled later");
                    return;
                }
            }
        }
        tracing::warn!(count = offers.len(), "offers of a lost connection are open until the next start");
    }
}

fn finish(mut running: RunningRequest, outcome: &OrderResult) {
    running.finish(&outcome.clone().and_then(|result| StoredAnswer::ok(&result)));
}

fn key_of(id: Option<&str>) -> Result<IdempotencyKey, ApiError> {
    id.and_then(IdempotencyKey::parse).ok_or_else(|| {
        ApiError::new(ErrorCode::InvalidIdempotencyKey, "the id of a command is 1 to 64 visible ASCII characters")
    })
}
