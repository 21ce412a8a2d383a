//! The market: the handle through which callers use the engine.

use std::sync::{Arc, atomic::Ordering};

use actix::{Addr, Handler, Message, dev::ToEnvelope, prelude::SendError};
use domain::{
    BookEvent, CollectionGroup, Command, GroupId, Inscription, LoanEnd, LoanId, OfferId, Outpoint, Reservation,
    ReservationId, SubCollectionId, Taker, TermChange, UnitPrice, UnixMs, UserId,
};
use tokio::sync::oneshot;
use tracing::Span;

use crate::{
    MarketStats, NonceUse, Refusal,
    book_actor::{
        BookActor, BookAddress, CloseFeed, LedgerEffects, QueueRefusal, ReadRequest, Reply, SetVolumes, SubmitCommands,
    },
    feed::CloseReason,
    journal::Sequence,
    market_data::{MarketData, MarketUpdate},
    shared::Shared,
    touched_books,
    wire::{MyOffer, Volumes},
};

mod accounts;
mod api_keys;
mod backtests;
mod books;
mod cancellations;
mod contacts;
mod delegations;
mod extensions;
mod figures;
mod follow;
mod halts;
mod launch;
mod limits;
mod listings;
mod loans;
mod message_end;
mod messages;
mod my_loans;
mod orders;
mod pauses;
mod personal_data;
mod pushes;
mod reads;
mod refinances;
mod replay;
mod threads;
mod vaults;
mod webhooks;

use launch::Launcher;

pub use api_keys::CountedQuote;
pub use figures::{LoanFigures, MarketFigures, MoneyFigures, OutboxFigures};
pub use loans::SignedLoan;
pub use my_loans::{LoanFilter, Page};
pub use personal_data::RemovedData;
pub use webhooks::ReplayFrom;

/// The durable result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The sequence of the book's stream after the command.
    pub sequence: Sequence,
    /// The events in the book, in order.
    pub events: Vec<BookEvent>,
    /// The offers that their lender's command created or changed, as their lender sees them.
    pub offers: Vec<MyOffer>,
}

/// A borrower's request to reserve together: an offer or a part of it, the vault's sats behind it, and the collateral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReserveRequest {
    /// The reservation's id, random.
    pub reservation: ReservationId,
    /// The offer.
    pub offer: OfferId,
    /// The borrower.
    pub borrower: UserId,
    /// The collateral in raw units, where a part can be taken; `None` takes all that is left.
    pub pledged_raw: Option<u128>,
    /// The inscriptions to pledge, ascending; none with tokens.
    pub inscriptions: Vec<Inscription>,
    /// The outputs that hold the collateral; each can be pledged only once.
    pub outpoints: Vec<Outpoint>,
    /// The expiry of the reservation.
    pub expires_at: UnixMs,
}

/// The result of a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The account of the payment address, new or known.
    pub user: UserId,
    /// The generation that the session's tokens carry; see [`Account::generation`].
    pub generation: u64,
}

/// The market. Clones are handles to the same one.
#[derive(Clone)]
pub struct Market {
    shared: Arc<Shared>,
    launcher: Arc<Launcher>,
}

impl Market {
    /// Every listed group by id, with the terms in effect.
    #[must_use]
    pub fn groups(&self) -> Vec<Arc<CollectionGroup>> {
        self.shared.directory.all().into_iter().map(|entry| entry.group()).collect()
    }

    /// A group.
    #[must_use]
    pub fn group(&self, id: GroupId) -> Option<Arc<CollectionGroup>> {
        self.shared.directory.get(id).map(|entry| entry.group())
    }

    /// A group by its id (`g_1`) or its slug, as URLs name it.
    #[must_use]
    pub fn group_named(&self, name: &str) -> Option<Arc<CollectionGroup>> {
        self.shared.directory.named(name).map(|entry| entry.group())
    }

    /// A sub-collection (term or bundle) by its slug, as requests and signed messages name it.
    #[must_use]
    pub fn sub_collection_named(&self, slug: &str) -> Option<(Arc<CollectionGroup>, SubCollectionId)> {
        self.shared.directory.sub_collection(slug).map(|(entry, sub)| (entry.group(), sub))
    }

    /// Sends one command to a book; `usable` of a create or edit is filled in from the lender's vault.
    pub async fn command(
        &self,
        group: GroupId,
        command: Command,
        nonce_use: Option<NonceUse>,
    ) -> Result<Applied, Refusal> {
        self.submit(group, vec![command], LedgerEffects { nonce_use, ..LedgerEffects::default() }).await
    }

    /// Sends several commands to a book, all or nothing. They must concern different offers of one lender, and at most
    /// one of them may create.
    pub async fn commands(
        &self,
        group: GroupId,
        commands: Vec<Command>,
        nonce_use: Option<NonceUse>,
    ) -> Result<Applied, Refusal> {
        self.submit(group, commands, LedgerEffects { nonce_use, ..LedgerEffects::default() }).await
    }

    /// Reserves an offer, the vault's sats behind it and the collateral for a borrower, all or nothing.
    pub async fn reserve(&self, request: ReserveRequest, nonce_use: Option<NonceUse>) -> Result<Reservation, Refusal> {
        self.reserve_with_effects(request, LedgerEffects { nonce_use, ..LedgerEffects::default() }).await
    }

    async fn reserve_with_effects(
        &self,
        request: ReserveRequest,
        effects: LedgerEffects,
    ) -> Result<Reservation, Refusal> {
        let ReserveRequest { reservation, offer, borrower, pledged_raw, inscriptions, mut outpoints, expires_at } =
            request;
        outpoints.sort_unstable();
        outpoints.dedup();
        let command = Command::Reserve {
            reservation,
            offer,
            taker: Taker { inscriptions, ..Taker::new(borrower) },
            pledged_raw,
            expires_at,
        };
        let applied = self.submit(offer.group(), vec![command], LedgerEffects { outpoints, ..effects }).await?;
        let reserved = applied.events.into_iter().find_map(|event| match event {
            BookEvent::OfferReserved(reservation) => Some(reservation),
            _ => None,
        });
        // An accepted reservation always yields this event; its absence would be a bug.
        reserved.ok_or(Refusal::Closed)
    }

    /// Turns a reservation into a loan: the vault's sats leave, and the collateral's outputs count as spent.
    pub async fn confirm(
        &self,
        group: GroupId,
        reservation: ReservationId,
        loan: LoanId,
        nonce_use: Option<NonceUse>,
    ) -> Result<Applied, Refusal> {
        self.submit(
            group,
            vec![Command::Confirm { reservation, loan }],
            LedgerEffects { nonce_use, ..LedgerEffects::default() },
        )
        .await
    }

    /// Releases a reservation: offer, sats and collateral are free again.
    pub async fn release(&self, group: GroupId, reservation: ReservationId) -> Result<Applied, Refusal> {
        self.submit(group, vec![Command::Release { reservation }], LedgerEffects::default()).await
    }

    /// Removes a loan that ended.
    pub async fn end_loan(&self, group: GroupId, loan: LoanId, end: LoanEnd) -> Result<Applied, Refusal> {
        self.submit(group, vec![Command::EndLoan { loan, end }], LedgerEffects::default()).await
    }

    /// Announces a change of a sub-collection's terms, which takes effect at its time without a further command.
    ///
    /// # Errors
    /// [`Rejection::ChangePending`] while another one is announced, [`Rejection::ChangeInThePast`].
    pub async fn announce_term(
        &self,
        group: GroupId,
        sub_collection: SubCollectionId,
        change: TermChange,
    ) -> Result<(), Refusal> {
        self.command(group, Command::ScheduleTermChange { sub_collection, change }, None).await.map(drop)
    }

    /// Moves the price of a group.
    pub async fn move_price(&self, group: GroupId, price: UnitPrice, observed_at: UnixMs) -> Result<(), Refusal> {
        self.command(group, Command::SetPrice { price, observed_at }, None).await.map(drop)
    }

    /// Imports older prices into a group that has none yet; returns the number imported.
    pub async fn import_price_history(
        &self,
        group: GroupId,
        mut prices: Vec<(UnixMs, UnitPrice)>,
    ) -> Result<usize, Refusal> {
        let row = self.row(group).ok_or(Refusal::UnknownGroup)?;
        if row.unit_price.is_some() || prices.is_empty() {
            return Ok(0);
        }
        prices.sort_unstable_by_key(|(observed_at, _)| *observed_at);
        let as_command = |(observed_at, price)| Command::SetPrice { price, observed_at };
        let applied = self.commands(group, prices.into_iter().map(as_command).collect(), None).await?;
        Ok(applied.events.len())
    }

    /// Sets the trading volumes elsewhere.
    pub async fn set_market_volumes(&self, group: GroupId, volumes: Volumes) -> Result<(), Refusal> {
        let book = self.book_actor(group)?;
        book.actor().send(SetVolumes(volumes)).await.map_err(|_| Refusal::Closed)
    }

    /// Processes updates from the marketplaces until the source ends. Refused prices are logged.
    pub async fn follow(&self, mut source: impl MarketData) {
        while let Some(update) = source.next().await {
            let applied = match update {
                MarketUpdate::Price(tick) => self.move_price(tick.group, tick.price, tick.observed_at).await,
                MarketUpdate::Volumes { group, volumes } => self.set_market_volumes(group, volumes).await,
            };
            if let Err(refusal) = applied {
                tracing::warn!(?update, %refusal, "market data refused");
            }
        }
    }

    /// Counters for the metrics page.
    #[must_use]
    pub fn stats(&self) -> MarketStats {
        let (turns, feed) = (&self.shared.turn_counters, &self.shared.feed_counters);
        MarketStats {
            turns: turns.turns.load(Ordering::Relaxed),
            in_flight: turns.in_flight.load(Ordering::Relaxed) + self.shared.commit_waiter.waiting(),
            overloads: turns.overloads.load(Ordering::Relaxed),
            frames: feed.frames.load(Ordering::Relaxed),
            deliveries: feed.deliveries.load(Ordering::Relaxed),
            lagged: feed.lagged.load(Ordering::Relaxed),
            subscribers: feed.subscribers.load(Ordering::Relaxed),
        }
    }

    /// The feed's epoch, as set at start.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.shared.settings.epoch
    }

    /// Refuses new requests, waits until everything accepted is durable and answered, and closes the feed.
    pub async fn stop(&self) {
        self.shared.is_stopping.store(true, Ordering::Release);
        self.flush().await;
        self.shared.rows.flush();
        self.shared.rows.close(CloseReason::Shutdown);
        self.shared.requests.flush();
        self.shared.requests.close(CloseReason::Shutdown);
        self.shared.halts.flush();
        self.shared.halts.close(CloseReason::Shutdown);
        self.shared.me.close(CloseReason::Shutdown);
        for book in self.launcher.books.all() {
            let _ = book.actor().send(CloseFeed).await;
        }
        self.launcher.stop();
    }

    /// Waits until everything accepted so far is durable and answered.
    async fn flush(&self) {
        self.shared.commit_waiter.flush().await;
        for book in self.launcher.books.all() {
            let (reply, drained) = oneshot::channel();
            // A full mailbox empties; a stopped book has nothing left to drain.
            if book.actor().send(ReadRequest::Flush(reply)).await.is_ok() {
                let _ = drained.await;
            }
        }
        self.shared.commit_waiter.flush().await;
    }

    fn book_actor(&self, group: GroupId) -> Result<Arc<BookAddress>, Refusal> {
        if self.shared.is_stopping() {
            return Err(Refusal::Closed);
        }
        self.launcher.books.get(group)
    }

    async fn submit(&self, group: GroupId, commands: Vec<Command>, effects: LedgerEffects) -> Result<Applied, Refusal> {
        self.shared.check_deciding()?;
        let book = self.book_actor(group)?;
        let (reply, answer) = oneshot::channel();
        match book.submit(SubmitCommands { commands, effects, reply, span: Span::current() }) {
            Ok(()) => {
                let applied = answer.await.unwrap_or(Err(Refusal::Closed))?;
                if !applied.events.is_empty() {
                    let added = u64::try_from(applied.events.len()).unwrap_or(u64::MAX);
                    touched_books::note_command(group, applied.sequence.saturating_sub(added), applied.sequence);
                }
                Ok(applied)
            }
            Err(QueueRefusal::Closed) => Err(Refusal::Closed),
            Err(QueueRefusal::Full) => Err(self.overloaded()),
        }
    }

    /// Sends a message that carries its reply channel, and waits for the answer.
    async fn request<M, T>(&self, book: &Addr<BookActor>, message: impl FnOnce(Reply<T>) -> M) -> Result<T, Refusal>
    where
        M: Message<Result = ()> + Send + 'static,
        BookActor: Handler<M>,
        actix::Context<BookActor>: ToEnvelope<BookActor, M>,
    {
        let (reply, answer) = oneshot::channel();
        match book.try_send(message(reply)) {
            Ok(()) => answer.await.unwrap_or(Err(Refusal::Closed)),
            Err(SendError::Closed(_)) => Err(Refusal::Closed),
            Err(SendError::Full(_)) => Err(self.overloaded()),
        }
    }

    fn overloaded(&self) -> Refusal {
        self.shared.turn_counters.overloads.fetch_add(1, Ordering::Relaxed);
        Refusal::Overloaded { retry_after_s: 1 }
    }
}
