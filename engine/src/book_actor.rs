//! The actor of one order book: a thin shell that orders decisions, durability and output.
//!
//! A command is decided and applied at once, appended to the journal, and waits for the disk. Commands that arrive in
//! one burst of the mailbox are published together. Output leaves only after all state that it depends on is durable:
//! answers, refusals, reads, snapshots and frames wait in one queue behind the batches they depend on. A failed write
//! ends the process, so applying early is safe.

mod book_address;
mod command_queue;
mod follow;
mod offers_for_me;
mod open_batch;
mod polling;
mod publication;
mod queue;
mod read_request;
mod recent_changes;
mod timers;
mod turn;
mod watched_offers;

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
};

use actix::{Actor, ActorFutureExt, AsyncContext, Context, Handler, Message, SpawnHandle, WrapFuture};
use domain::{AcceptanceRate, CollectionGroup, Command, Exposure, GroupId, OfferId, UnixMs, UserId};
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::{
    Refusal,
    book_state::BookState,
    commit_waiter,
    directory::{ChangedLenders, LendersChanged},
    feed::{CloseReason, MeOp, Subscribers},
    journal::{AppendError, Position, Sequence},
    ledger::Ticket,
    shared::Shared,
    wire::{Row, Volumes},
};

use offers_for_me::OffersForMe;
use open_batch::OpenBatch;
use publication::Publication;
use queue::{Burst, BurstOutput, PendingBatch, QueuedOutput};
use read_request::CachedSnapshot;
use recent_changes::RecentChanges;
use watched_offers::WatchedOffers;

pub(crate) use book_address::BookAddress;
pub(crate) use command_queue::{CommandQueue, CommandReceiver, QueueRefusal};
pub(crate) use follow::{ApplyEvents, BeginDeciding};
pub(crate) use read_request::{ReadRequest, SubscribeToBook};
pub(crate) use turn::{LedgerEffects, SubmitCommands};

/// The maximum number of offers that one batch cancels because their connections were lost.
const OFFERS_PER_BATCH_MAX: usize = 1_000;

/// The channel for the answer to a caller.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// A request to close every subscription, because the market stops.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct CloseFeed;

/// Trading volumes elsewhere.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct SetVolumes(pub(crate) Volumes);

/// The end of a burst: all messages that were in the mailbox when this one was sent have been handled.
#[derive(Message)]
#[rtype(result = "()")]
struct BurstEnd;

/// The messages that the actor has scheduled for itself.
#[derive(Default)]
struct Scheduled {
    is_burst_end: bool,
    are_ranks: bool,
    is_polling: bool,
}

/// The actor of one group's book.
pub(crate) struct BookActor {
    group: GroupId,
    state: BookState,
    shared: Arc<Shared>,
    changed_lenders: Arc<ChangedLenders>,
    commands: CommandReceiver,
    burst: Burst,
    queue: VecDeque<QueuedOutput>,
    /// The number of commands that are not known to be durable yet.
    in_flight: usize,
    is_waiting: bool,
    scheduled: Scheduled,
    /// Whether the journal has closed: events applied since then are not durable and are never published.
    is_closed: bool,
    /// The row as of the last burst.
    row: Arc<Row>,
    published_group: Arc<CollectionGroup>,
    /// The sequence at which the last frame of the book's channel ended.
    published: Sequence,
    subscribers: Subscribers,
    /// The number of subscribers in the queue.
    pending_subscribers: usize,
    deltas_since_crc: usize,
    watched_offers: WatchedOffers,
    offers_for_me: OffersForMe,
    snapshot: Option<CachedSnapshot>,
    recent_changes: RecentChanges,
    timer: Option<(UnixMs, SpawnHandle)>,
    /// The start of the next UTC day.
    next_day: UnixMs,
}

impl BookActor {
    /// Returns the actor of a book replayed from the journal.
    pub(crate) fn new(
        state: BookState,
        shared: Arc<Shared>,
        changed_lenders: Arc<ChangedLenders>,
        commands: CommandReceiver,
        row: Arc<Row>,
    ) -> Self {
        Self {
            group: state.book.group().id,
            next_day: Exposure::next_day(shared.clock.now()),
            published_group: Arc::clone(state.book.group()),
            published: state.sequence,
            recent_changes: RecentChanges::from(state.sequence),
            state,
            shared,
            changed_lenders,
            commands,
            burst: Burst::default(),
            queue: VecDeque::new(),
            in_flight: 0,
            is_waiting: false,
            scheduled: Scheduled::default(),
            is_closed: false,
            row,
            subscribers: Subscribers::default(),
            pending_subscribers: 0,
            deltas_since_crc: 0,
            watched_offers: WatchedOffers::default(),
            offers_for_me: OffersForMe::default(),
            snapshot: None,
            timer: None,
        }
    }

    /// Schedules the end of the burst. Messages already in the mailbox are handled first, so the burst includes all of
    /// them.
    fn schedule_burst_end(&mut self, context: &mut Context<Self>) {
        if !self.scheduled.is_burst_end {
            self.scheduled.is_burst_end = true;
            context.notify(BurstEnd);
        }
    }

    /// Ends the burst: its output waits for the disk from now on.
    fn end_burst(&mut self, context: &mut Context<Self>) {
        if !self.is_closed {
            self.apply_lender_changes();
        }
        self.close_burst();
        self.pump(context);
        self.set_timer(context);
        self.set_rank_timer(context);
    }

    /// Issues the book's own commands for vaults and allowances that changed, in one batch, and publishes acceptance
    /// rates that changed; a lender without offers in this book is dropped.
    fn apply_lender_changes(&mut self) {
        let changed = self.changed_lenders.take();
        if changed.is_empty() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let mut batch = OpenBatch::new(&shared, self.state.sequence);
        for lender in changed {
            let ledger = batch.ledger();
            if self.state.book.offers_of(lender).next().is_none() {
                ledger.forget_quoting(lender, self.group);
                self.state.rates.remove(&lender);
                continue;
            }
            let (state, seen) = (ledger.state(), ledger.latest());
            let allowance = state.allowance(lender, self.group, shared.clock.now());
            let (usable, rate) = (state.usable(lender), state.acceptance(lender));
            if self.take_rate(lender, rate) {
                // The rate follows from a loan in another book, whose batch may not be durable yet.
                self.wait_for_ledger(seen);
            }
            if shared.is_following() {
                // The commands that follow from the other changes arrive as events.
                continue;
            }
            if let Some(usable) = usable {
                self.add_own_command(&mut batch, Command::SetVaultBalance { lender, usable });
            }
            self.add_own_command(&mut batch, Command::SetAllowance { lender, allowance });
        }
        self.append(batch);
    }

    /// Updates a lender's acceptance rate; returns whether it changed. No event of the book records it, so the snapshot
    /// cached for the current sequence is stale then.
    fn take_rate(&mut self, lender: UserId, rate: AcceptanceRate) -> bool {
        let is_changed = self.state.update_rate(lender, rate, &mut self.burst.changes);
        if is_changed {
            self.snapshot = None;
        }
        is_changed
    }

    /// Puts the burst into the queue behind the batches it waits for.
    fn close_burst(&mut self) {
        let burst = std::mem::take(&mut self.burst);
        if burst.is_empty() {
            return;
        }
        let publication = burst.has_changes().then(|| self.publication(burst.changes));
        self.queue.push_back(QueuedOutput::Burst(BurstOutput {
            pending: burst.pending,
            vaults: burst.vaults,
            loans: burst.loans,
            answers: burst.answers,
            publication,
            began: burst.began,
            traced: burst.traced,
        }));
    }

    /// Sends the output that has become durable, and waits for the next batch.
    fn pump(&mut self, context: &mut Context<Self>) {
        let mut ready = BurstOutput::default();
        while !self.is_waiting {
            let Some(item) = self.queue.front_mut() else { break };
            if let QueuedOutput::Burst(output) = item
                && let Some(pending) = output.pending.pop_front()
            {
                self.wait_for(pending, context);
                continue;
            }
            match self.queue.pop_front() {
                Some(QueuedOutput::Burst(output)) => ready.merge(output),
                Some(QueuedOutput::Subscription(subscription)) => {
                    self.send(std::mem::take(&mut ready));
                    self.complete_subscription(subscription);
                }
                Some(QueuedOutput::PendingRead(send_answer)) => {
                    self.send(std::mem::take(&mut ready));
                    send_answer(self.is_open());
                }
                None => break,
            }
        }
        self.send(ready);
    }

    fn is_open(&self) -> Result<(), Refusal> {
        if self.is_closed { Err(Refusal::Closed) } else { Ok(()) }
    }

    fn wait_for(&mut self, batch: PendingBatch, context: &mut Context<Self>) {
        let PendingBatch { mut durable, ticket, commands, spans } = batch;
        match durable.try_recv() {
            Ok(answer) => self.settle(Some(answer), ticket, commands),
            Err(TryRecvError::Closed) => self.settle(None, ticket, commands),
            Err(TryRecvError::Empty) => {
                self.is_waiting = true;
                context.spawn(durable.into_actor(self).map(move |answer, actor, context| {
                    drop(spans);
                    actor.is_waiting = false;
                    actor.settle(answer.ok(), ticket, commands);
                    actor.pump(context);
                }));
            }
        }
    }

    /// Settles a batch: it is durable, or never will be. The ledger is notified at once, because a refusal further on
    /// in the same burst may wait for it.
    fn settle(&mut self, answer: Option<Result<Position, AppendError>>, ticket: Option<Ticket>, commands: usize) {
        self.in_flight -= commands;
        let settled = u64::try_from(commands).unwrap_or(u64::MAX);
        self.shared.turn_counters.in_flight.fetch_sub(settled, Ordering::Relaxed);
        match (commit_waiter::append_outcome(answer, &self.shared.settings.fail_stop), ticket) {
            (Ok(()), Some(ticket)) => self.shared.ledger.mark_durable(ticket),
            (Ok(()), None) => {}
            (Err(_), _) => {
                self.is_closed = true;
                self.shared.ledger.close();
            }
        }
    }

    /// Publishes, and then answers, once everything that `output` waited for is durable.
    fn send(&mut self, output: BurstOutput) {
        if let Err(refusal) = self.is_open() {
            for answer in output.answers {
                answer.send(Err(refusal.clone()));
            }
            return;
        }
        if let Some(publication) = output.publication {
            let _spans = output.traced.publications();
            self.publish(publication);
            if let Some(began) = output.began {
                self.shared.feed_counters.publication.observe(began.elapsed());
            }
        }
        self.shared.publish_vaults(&output.vaults);
        self.shared.publish_loans(&output.loans);
        for answer in output.answers {
            answer.send(Ok(()));
        }
    }

    /// Ends the connections of the process that decided before: their offers are cancelled.
    fn end_earlier_connections(&mut self) {
        let offers: Vec<OfferId> = self.state.book.offers_on_disconnect().collect();
        for offers in offers.chunks(OFFERS_PER_BATCH_MAX) {
            self.run_own_command(Command::EndConnection { offers: offers.to_vec() });
        }
    }

    /// Queues lenders' own offers for publication once everything so far is durable. Called between bursts.
    fn queue_ranks(&mut self, updates: Vec<(UserId, MeOp)>) {
        if !updates.is_empty() {
            let publication = Some(Publication::of_ranks(self.state.sequence, updates));
            self.queue.push_back(QueuedOutput::Burst(BurstOutput { publication, ..BurstOutput::default() }));
        }
    }
}

impl Actor for BookActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.set_mailbox_capacity(self.shared.settings.mailbox_capacity);
        if !self.shared.is_following() {
            self.end_earlier_connections();
        }
        self.schedule_burst_end(context);
    }
}

impl Handler<BurstEnd> for BookActor {
    type Result = ();

    fn handle(&mut self, _: BurstEnd, context: &mut Self::Context) {
        self.scheduled.is_burst_end = false;
        self.end_burst(context);
    }
}

impl Handler<LendersChanged> for BookActor {
    type Result = ();

    fn handle(&mut self, _: LendersChanged, context: &mut Self::Context) {
        self.schedule_burst_end(context);
    }
}

impl Handler<SetVolumes> for BookActor {
    type Result = ();

    fn handle(&mut self, SetVolumes(volumes): SetVolumes, context: &mut Self::Context) {
        self.state.market_volumes = Some(volumes);
        self.burst.is_row_stale = true;
        self.schedule_burst_end(context);
    }
}

impl Handler<CloseFeed> for BookActor {
    type Result = ();

    fn handle(&mut self, _: CloseFeed, _: &mut Self::Context) {
        self.subscribers.close(CloseReason::Shutdown);
    }
}
