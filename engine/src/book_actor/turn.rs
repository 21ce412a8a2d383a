//! One turn of a book: decide, apply, append.

use std::{
    collections::BTreeSet,
    mem,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use actix::{AsyncContext, Context, Handler, Message};
use domain::{BookEvent, Command, LoanEvent, LoanId, LoanStage, OfferId, OrderBook, Outpoint, Stream, UnixMs, UserId};
use tokio::sync::oneshot;
use tracing::Span;

use crate::{
    Applied, NonceUse, Refusal,
    book_state::BookState,
    command_trace,
    journal::{AppendError, Batch, Position},
    ledger::{Committed, LedgerEvent, LedgerGuard, Ticket, VaultBalances},
    view,
};

use super::{
    BookActor, Reply,
    open_batch::OpenBatch,
    polling::Polling,
    queue::{Answer, PendingBatch},
};

/// The announcement that commands wait in the queue.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct CommandsArrived;

/// Commands that are decided together, all or nothing.
pub(crate) struct SubmitCommands {
    pub(crate) commands: Vec<Command>,
    pub(crate) effects: LedgerEffects,
    pub(crate) reply: Reply<Applied>,
    /// The span of the request behind it.
    pub(crate) span: Span,
}

/// Changes to the ledger in the same batch as commands to a book.
#[derive(Debug, Default)]
pub(crate) struct LedgerEffects {
    /// A nonce to use.
    pub(crate) nonce_use: Option<NonceUse>,
    /// The outpoints that a reservation among the commands pledges; for one that is extended, its new pledge, if that
    /// changes.
    pub(crate) outpoints: Vec<Outpoint>,
    /// Events of loans, each loan at most once.
    pub(crate) loans: Vec<(LoanId, LoanEvent)>,
    /// The stage of a loan that the decision is based on; nothing is applied to a loan that has moved on since.
    pub(crate) seen: Option<(LoanId, LoanStage)>,
}

impl LedgerEffects {
    const fn is_empty(&self) -> bool {
        self.nonce_use.is_none() && self.loans.is_empty()
    }
}

/// Whether vaults, pledges, loans or nonces are read or changed by a command.
const fn needs_ledger(command: &Command) -> bool {
    matches!(
        command,
        Command::Create { .. }
            | Command::Edit { .. }
            | Command::FillRequest { .. }
            | Command::NegotiateOffer { .. }
            | Command::NegotiateRequest { .. }
            | Command::NegotiateLoan { .. }
            | Command::Propose { .. }
            | Command::AcceptProposal { .. }
            | Command::EndNegotiation { .. }
            | Command::Cancel { .. }
            | Command::EndConnection { .. }
            | Command::Reserve { .. }
            | Command::Confirm { .. }
            | Command::Release { .. }
            | Command::ExtendReservation { .. }
            | Command::ExpireReservations
    )
}

/// Whether each command can be decided as if the others did not exist: they concern different offers of one lender, and
/// at most one of them creates. A series of prices is independent, too.
fn are_independent(commands: &[Command]) -> bool {
    if commands.len() == 1 || commands.iter().all(|command| matches!(command, Command::SetPrice { .. })) {
        return true;
    }
    let mut seen: Vec<OfferId> = Vec::with_capacity(commands.len());
    let mut lenders: Vec<UserId> = Vec::new();
    let mut creating = 0;
    for command in commands {
        let (owner, offer) = match *command {
            Command::Create { lender, .. } => (lender, None),
            Command::Edit { lender, offer, .. }
            | Command::Cancel { lender, offer }
            | Command::Pause { lender, offer }
            | Command::Resume { lender, offer }
            | Command::SetGoodUntil { lender, offer, .. }
            | Command::AcceptTerm { lender, offer, .. } => (lender, Some(offer)),
            _ => return false,
        };
        creating += usize::from(matches!(command, Command::Create { .. } | Command::Edit { .. }));
        if offer.is_some_and(|offer| seen.contains(&offer)) {
            return false;
        }
        seen.extend(offer);
        lenders.push(owner);
    }
    creating <= 1 && lenders.windows(2).all(|pair| pair[0] == pair[1])
}

fn decide(state: &BookState, commands: &[Command], now: UnixMs) -> Result<Vec<BookEvent>, Refusal> {
    if let [command] = commands {
        return Ok(state.book.decide(command, now)?.into_vec());
    }
    if !are_independent(commands) {
        return Err(Refusal::NotBatchable);
    }
    let mut events = Vec::new();
    for command in commands {
        events.extend(state.book.decide(command, now)?);
    }
    Ok(events)
}

/// Fills in what the ledger knows: the usable balance of the lender's vault, the lender's allowance, and the record of a
/// borrower.
fn fill_from_ledger(commands: &mut [Command], ledger: &LedgerGuard<'_>, book: &OrderBook, now: UnixMs) {
    let group = book.group().id;
    for command in commands {
        match command {
            Command::Create { lender, usable, .. } | Command::Edit { lender, usable, .. } => {
                *usable = ledger.state().usable(*lender);
            }
            Command::FillRequest { lender, usable, allowance, .. } => {
                *usable = ledger.state().usable(*lender);
                *allowance = ledger.state().allowance(*lender, group, now);
            }
            Command::AcceptProposal { negotiation, allowance, .. } => {
                if let Some(negotiation) = book.negotiation(*negotiation) {
                    *allowance = ledger.state().allowance(negotiation.loan.lender, group, now);
                }
            }
            Command::Reserve { taker, .. } | Command::NegotiateOffer { taker, .. } => {
                let record = ledger.state().borrower_record(taker.user);
                (taker.repaid, taker.last_claimed_at) = (record.repaid, record.last_claimed_at);
            }
            _ => {}
        }
    }
}

fn decide_ledger(
    ledger: &LedgerGuard<'_>,
    state: &BookState,
    events: &[BookEvent],
    effects: LedgerEffects,
    now: UnixMs,
) -> Result<Vec<LedgerEvent>, Refusal> {
    let mut decided = ledger.state().ledger_effects(&state.book, events, &effects.outpoints, &effects.loans, now)?;
    if let Some(nonce_use) = effects.nonce_use {
        decided.push(ledger.state().use_nonce(nonce_use, now)?);
    }
    for (id, event) in effects.loans {
        decided.extend(ledger.state().loan_step(id, event, now)?);
    }
    Ok(decided)
}

/// The number of commands that are decided under one lock of the ledger and written as one batch.
const BATCH_MAX: usize = 256;

impl BookActor {
    /// Runs a command that the book issues itself, in a batch of its own.
    pub(super) fn run_own_command(&mut self, command: Command) {
        let shared = Arc::clone(&self.shared);
        let mut batch = OpenBatch::new(&shared, self.state.sequence);
        self.add_own_command(&mut batch, command);
        self.append(batch);
    }

    /// Adds a command that the book issues itself to a batch. It is never refused; if it were, nothing would have
    /// happened.
    pub(super) fn add_own_command(&mut self, batch: &mut OpenBatch<'_>, command: Command) {
        if let Err(refusal) = self.turn(batch, vec![command], LedgerEffects::default()) {
            tracing::error!(group = %self.group, %refusal, "a book refused its own command");
        }
    }

    /// Decides everything that waits, in the order of arrival; returns whether there was something. The caller ends the
    /// burst.
    pub(super) fn decide_waiting(&mut self) -> bool {
        let mut requests = self.commands.take();
        if requests.is_empty() {
            return false;
        }
        let mut waiting = requests.drain(..).peekable();
        while waiting.peek().is_some() {
            self.decide_batch(&mut waiting);
        }
        drop(waiting);
        self.commands.give_back(requests);
        true
    }

    /// Decides a batch; it ends early when another thread waits for the ledger.
    fn decide_batch(&mut self, requests: &mut impl Iterator<Item = SubmitCommands>) {
        let shared = Arc::clone(&self.shared);
        shared.ledger.yield_lock();
        let mut batch = OpenBatch::new(&shared, self.state.sequence);
        for request in requests.take(BATCH_MAX) {
            if let Err(refusal) = self.check_capacity(&batch) {
                // The receiver may have been dropped.
                let _ = request.reply.send(Err(refusal));
                continue;
            }
            self.burst.began.get_or_insert_with(Instant::now);
            let outcome = command_trace::turn(&request.span, self.group)
                .in_scope(|| self.turn(&mut batch, request.commands, request.effects));
            self.burst.traced.add(request.span);
            self.burst.answers.push(Answer { reply: request.reply, outcome });
            if shared.ledger.is_awaited() {
                break;
            }
        }
        self.append(batch);
    }

    fn check_capacity(&self, batch: &OpenBatch<'_>) -> Result<(), Refusal> {
        if self.is_closed {
            Err(Refusal::Closed)
        } else if self.shared.is_following() {
            Err(Refusal::Following)
        } else if self.in_flight + batch.turns >= self.shared.settings.in_flight_max {
            self.shared.turn_counters.overloads.fetch_add(1, Ordering::Relaxed);
            Err(Refusal::Overloaded { retry_after_s: 1 })
        } else {
            Ok(())
        }
    }

    /// Decides commands; if all are accepted, applies their events and adds them to the batch.
    fn turn(
        &mut self,
        batch: &mut OpenBatch<'_>,
        mut commands: Vec<Command>,
        effects: LedgerEffects,
    ) -> Result<Applied, Refusal> {
        let now = batch.at;
        if effects.is_empty() && !commands.iter().any(needs_ledger) {
            let events = decide(&self.state, &commands, now)?;
            let applied = self.apply(events, Vec::new(), now);
            batch.add(&applied, Committed::default());
            return Ok(applied);
        }
        let ledger = batch.ledger();
        fill_from_ledger(&mut commands, ledger, &self.state.book, now);
        // Checked first: if the loan has moved on, the decision may be refused for another reason.
        let seen = effects.seen.map_or(Ok(()), |(id, stage)| ledger.state().check_stage(id, stage));
        let decided =
            seen.map_err(Refusal::from).and_then(|()| decide(&self.state, &commands, now)).and_then(|events| {
                let decided = decide_ledger(ledger, &self.state, &events, effects, now)?;
                Ok((events, decided))
            });
        let (events, decided) = decided.inspect_err(|_| batch.reveal_ledger())?;
        let ledger = batch.ledger();
        let mut committed = ledger.commit(decided, now);
        let follow_ups = self.follow_ups(ledger, &events, &committed, now);
        let applied = self.apply(events, follow_ups, now);
        for event in &applied.events {
            if let Some(lender) = self.note_in_ledger(ledger, event) {
                committed.acceptance_changes.push((lender, ledger.state().acceptance(lender)));
            }
        }
        for (lender, rate) in mem::take(&mut committed.acceptance_changes) {
            self.take_rate(lender, rate);
        }
        batch.add(&applied, committed);
        Ok(applied)
    }

    /// Makes the burst wait for the ledger: a refusal reveals other commits to the ledger, so it waits until they are
    /// durable. Never for a later commit: that may be behind the refusal in this very queue.
    pub(super) fn wait_for_ledger(&mut self, seen: Ticket) {
        let (sender, durable) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        actix::spawn(async move {
            let is_durable = shared.ledger.wait_durable(seen).await;
            // The position of a wait is not used.
            let _ = sender.send(if is_durable { Ok(Position(0)) } else { Err(AppendError::Closed) });
        });
        self.wait_in_burst(PendingBatch { durable, ticket: None, commands: 1, spans: Vec::new() });
    }

    fn wait_in_burst(&mut self, batch: PendingBatch) {
        self.in_flight += batch.commands;
        self.shared.turn_counters.in_flight.fetch_add(count(batch.commands), Ordering::Relaxed);
        self.burst.pending.push_back(batch);
    }

    /// The book's own commands in the same batch, for lenders whose vault or allowance a turn changed, and for those who
    /// create offers: the book may not know their allowance yet.
    fn follow_ups(
        &self,
        ledger: &LedgerGuard<'_>,
        events: &[BookEvent],
        committed: &Committed,
        now: UnixMs,
    ) -> Vec<(UserId, Command)> {
        let balance =
            |vault: &VaultBalances| (vault.user, Command::SetVaultBalance { lender: vault.user, usable: vault.usable });
        let allowance = |lender: UserId| {
            let allowance = ledger.state().allowance(lender, self.group, now);
            (lender, Command::SetAllowance { lender, allowance })
        };
        let creators = events.iter().filter_map(|event| match event {
            BookEvent::OfferCreated { lender, .. } => Some(*lender),
            _ => None,
        });
        let limited: BTreeSet<UserId> = creators.chain(committed.allowance_changes.iter().copied()).collect();
        committed.vaults.iter().map(balance).chain(limited.into_iter().map(allowance)).collect()
    }

    /// Applies events, and then the follow-ups of lenders who quote in this book.
    fn apply(&mut self, mut events: Vec<BookEvent>, follow_ups: Vec<(UserId, Command)>, now: UnixMs) -> Applied {
        for event in &events {
            self.state.apply(event, now, &mut self.burst.changes);
        }
        for (lender, command) in follow_ups {
            if self.state.book.offers_of(lender).next().is_none() {
                continue;
            }
            for event in self.state.book.decide(&command, now).unwrap_or_default() {
                self.state.apply(&event, now, &mut self.burst.changes);
                events.push(event);
            }
        }
        let book = &self.state.book;
        let shown = |event: &BookEvent| match *event {
            BookEvent::OfferCreated { offer, .. }
            | BookEvent::OfferPaused { offer }
            | BookEvent::OfferResumed { offer }
            | BookEvent::GoodUntilSet { offer, .. }
            | BookEvent::GoodUntilSigned { offer, .. }
            | BookEvent::ConditionsSet { offer, .. }
            | BookEvent::NumbersChosen { offer, .. }
            | BookEvent::TermAccepted { offer, .. } => Some(offer),
            _ => None,
        };
        let mut ids: Vec<OfferId> = events.iter().filter_map(shown).collect();
        // The time and the conditions of a new offer are events that follow its creation.
        ids.dedup();
        let offers = ids.into_iter().filter_map(|id| view::my_offer(book, book.offer(id)?)).collect();
        Applied { sequence: self.state.sequence, events, offers }
    }

    /// Queues a batch for the disk, and releases the ledger afterwards.
    pub(super) fn append(&mut self, mut batch: OpenBatch<'_>) {
        self.mark_negotiators();
        let appends = batch.take_appends(Stream::Book(self.group));
        if !appends.is_empty() {
            self.burst.has_events |= appends.iter().any(|append| append.stream == Stream::Book(self.group));
            let durable = self.shared.journal.append(Batch { at: batch.at, appends });
            self.shared.turn_counters.turns.fetch_add(count(batch.turns), Ordering::Relaxed);
            let (ticket, spans) = (batch.committed.ticket, mem::take(&mut batch.spans));
            self.wait_in_burst(PendingBatch { durable, ticket, commands: batch.turns, spans });
        }
        let revealed = batch.revealed_elsewhere();
        let mut committed = batch.close();
        if let Some(seen) = revealed {
            self.wait_for_ledger(seen);
        }
        self.shared.notify_books(&committed, Some(self.group));
        self.burst.vaults.append(&mut committed.vaults);
        self.burst.loans.append(&mut committed.loans);
    }
}

fn count(commands: usize) -> u64 {
    u64::try_from(commands).unwrap_or(u64::MAX)
}

impl Handler<CommandsArrived> for BookActor {
    type Result = ();

    fn handle(&mut self, _: CommandsArrived, context: &mut Context<Self>) {
        if !mem::replace(&mut self.scheduled.is_polling, true) {
            context.spawn(Polling::start(&self.shared.settings));
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{GroupId, UnitPrice};

    use super::*;

    #[test]
    fn only_independent_commands_are_batched() {
        let offer = |sequence| OfferId::new(GroupId(1), sequence).unwrap();
        let cancel = |lender, sequence| Command::Cancel { lender: UserId(lender), offer: offer(sequence) };
        let price = Command::SetPrice { price: UnitPrice::from_scaled(1), observed_at: UnixMs(0) };
        assert!(are_independent(&[cancel(1, 1), cancel(1, 2)]));
        assert!(are_independent(&[price.clone(), price.clone()]));
        assert!(!are_independent(&[cancel(1, 1), cancel(1, 1)]));
        assert!(!are_independent(&[cancel(1, 1), cancel(2, 2)]));
        assert!(!are_independent(&[cancel(1, 1), price]));
    }
}
