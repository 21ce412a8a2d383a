//! The market of a process that follows: it applies the commits of the one that decides, and can take its place.
//!
//! The state machines, views and the feed are the same; only the source of the events differs. While it follows, a
//! market decides nothing, not even the time-driven changes of its books: those arrive in commits, too.

use std::sync::atomic::Ordering;

use domain::{AccountEvent, ContactEvent, Stream, UnixMs};
use futures_util::future::try_join_all;
use tokio::sync::oneshot;

use super::{Market, replay::misplaced};
use crate::locks::MutexExt as _;
use crate::{
    book_actor::{ApplyEvents, BeginDeciding},
    journal::{CommittedBatch, CommittedEvents, Position, Recorded, ReplayError, Sequence},
    ledger::{Committed, LedgerEvent},
};

/// An event of the ledger with its time.
struct TimedEvent {
    at: UnixMs,
    event: LedgerEvent,
}

impl Market {
    /// Whether another process decides.
    #[must_use]
    pub fn is_following(&self) -> bool {
        self.shared.is_following()
    }

    /// The last commit that was applied while following.
    #[must_use]
    pub fn applied(&self) -> Position {
        *self.shared.applied.borrow()
    }

    /// Resolves once the commit at `position` is applied, or the market decides itself.
    pub async fn wait_applied(&self, position: Position) {
        let mut applied = self.shared.applied.subscribe();
        // The sender lives as long as the market.
        let _ = applied.wait_for(|applied| *applied >= position || !self.is_following()).await;
    }

    /// Applies a commit of the process that decides, and resolves once reads and the feed show it. Commits are applied
    /// in their order.
    ///
    /// # Errors
    /// [`ReplayError::Damaged`] if the commit does not follow from the state so far: this process must start anew.
    pub async fn apply(&self, commit: CommittedBatch) -> Result<(), ReplayError> {
        let (mut events, mut books) = (Vec::new(), Vec::new());
        for CommittedEvents { stream, events: recorded } in commit.appends {
            match stream {
                Stream::Listings => self.apply_listings(&recorded)?,
                Stream::Book(group) => books.push((group, recorded)),
                _ => events.extend(self.timed_events(stream, &recorded)?),
            }
        }
        self.apply_to_ledger(events);
        try_join_all(books.into_iter().map(async |(group, recorded)| {
            let unlisted =
                |_| ReplayError::Damaged(format!("a commit changes the book of {group}, which is not listed"));
            let book = self.launcher.books.get(group).map_err(unlisted)?;
            let (reply, applied) = oneshot::channel();
            let stopped = || ReplayError::Storage(format!("the book of {group} has stopped"));
            book.actor().send(ApplyEvents { events: recorded, reply }).await.map_err(|_| stopped())?;
            applied.await.map_err(|_| stopped())?.map(drop).map_err(|_| gap(Stream::Book(group)))
        }))
        .await?;
        self.shared.applied.send_replace(commit.position);
        Ok(())
    }

    /// Makes this market the one that decides, after it has applied every commit. Time-driven changes that came due
    /// meanwhile are decided at once.
    pub async fn begin_deciding(&self) {
        // Until now the process that decided heard them.
        self.shared.presence.follow_all(self.shared.ledger.lock().state().accounts().limited(), self.now());
        self.shared.is_following.store(false, Ordering::Release);
        for book in self.launcher.books.all() {
            // A stopped book has nothing left to decide.
            let _ = book.actor().send(BeginDeciding).await;
        }
        self.start_deciding_tasks();
        // Wakes those who wait for a position.
        self.shared.applied.send_modify(|_| {});
    }

    /// Decides no more, and resolves once everything decided is durable and answered: another process can take over.
    /// Reads and the feed go on, and [`Market::apply`] brings them forward from `position`, the last commit of this one.
    pub async fn stop_deciding(&self, position: impl FnOnce() -> Position) {
        {
            // What was decided before is in the journal's queue, in front of all that is flushed below.
            let _ledger = self.shared.ledger.lock();
            let _listings = self.launcher.listings.lock_unpoisoned();
            self.shared.is_following.store(true, Ordering::Release);
        }
        self.flush().await;
        self.shared.applied.send_replace(position());
    }

    fn timed_events(&self, stream: Stream, recorded: &[Recorded]) -> Result<Vec<TimedEvent>, ReplayError> {
        let next: Sequence = self.shared.ledger.lock().state().sequence(stream) + 1;
        let mut events = Vec::with_capacity(recorded.len());
        for (expected, recorded) in (next..).zip(recorded) {
            let event = LedgerEvent::of(stream, &recorded.event).ok_or_else(|| misplaced(stream, recorded))?;
            if recorded.sequence != expected {
                return Err(gap(stream));
            }
            events.push(TimedEvent { at: recorded.at, event });
        }
        Ok(events)
    }

    /// Applies events that are durable already, and publishes what they changed.
    fn apply_to_ledger(&self, events: Vec<TimedEvent>) {
        for recorded in &events {
            if let LedgerEvent::Account(AccountEvent::LimitsSet { user, limits }) = &recorded.event {
                if limits.absence_minutes.is_some() {
                    self.shared.presence.follow(*user, self.now());
                } else {
                    self.shared.presence.unfollow(*user);
                }
            }
        }
        let signed_out: Vec<_> = events
            .iter()
            .filter_map(|recorded| match &recorded.event {
                LedgerEvent::Account(AccountEvent::SignedOut { user, .. } | AccountEvent::KeyRevoked { user, .. }) => {
                    Some(*user)
                }
                _ => None,
            })
            .collect();
        let paused: Vec<_> = events
            .iter()
            .filter_map(|recorded| match &recorded.event {
                LedgerEvent::Contact(ContactEvent::WebhookPaused { user, webhook, .. }) => Some((*user, *webhook)),
                _ => None,
            })
            .collect();
        let committed: Vec<Committed> = {
            let mut ledger = self.shared.ledger.lock();
            let mut committed = Vec::new();
            let mut events = events.into_iter().peekable();
            while let Some(TimedEvent { at, event }) = events.next() {
                let mut together = vec![event];
                while let Some(next) = events.next_if(|next| next.at == at) {
                    together.push(next.event);
                }
                committed.push(ledger.commit(together, at));
            }
            committed
        };
        for committed in committed {
            if let Some(ticket) = committed.ticket {
                self.shared.ledger.mark_durable(ticket);
            }
            self.shared.publish_vaults(&committed.vaults);
            self.shared.publish_loans(&committed.loans);
            self.shared.notify_books(&committed, None);
            self.shared.publish_halts(committed.halts);
        }
        for (user, webhook) in paused {
            self.publish_webhook_notice(user, webhook);
        }
        for user in signed_out {
            self.shared.close_private(user);
        }
    }
}

/// The error for a commit that does not continue a stream.
pub(super) fn gap(stream: Stream) -> ReplayError {
    ReplayError::Damaged(format!("a commit does not continue stream {stream:?} where this process has read it to"))
}
