//! The journal's progress, and the readers that wait for it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use tokio::sync::oneshot;

use super::Ticket;
use crate::locks::MutexExt as _;

/// The latest durable commit, and the readers that wait for later ones. Each is woken once, when its commit is durable, and
/// all in the order of their commits: on one thread a run of the market can be repeated.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The latest durable commit, for those who need not wait.
    durable: AtomicU64,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Whether the journal has closed: nothing becomes durable any more.
    is_closed: bool,
    /// The waiting readers, by commit and arrival.
    readers: BTreeMap<(Ticket, u64), oneshot::Sender<()>>,
    arrivals: u64,
}

impl Progress {
    /// Returns the latest durable commit.
    pub(super) fn durable(&self) -> Ticket {
        Ticket(self.durable.load(Ordering::Acquire))
    }

    /// Records that a commit is durable, and with it every earlier one.
    pub(super) fn mark_durable(&self, ticket: Ticket) {
        let mut waiting = self.waiting();
        // Changed under the lock, so that no reader begins to wait for what is durable.
        if self.durable.fetch_max(ticket.0, Ordering::AcqRel) >= ticket.0 {
            return;
        }
        let later = waiting.readers.split_off(&(Ticket(ticket.0.saturating_add(1)), 0));
        let reached = std::mem::replace(&mut waiting.readers, later);
        drop(waiting);
        for reader in reached.into_values() {
            // It may have stopped waiting.
            let _ = reader.send(());
        }
    }

    /// Waits until a commit is durable; returns whether it is.
    pub(super) async fn wait(&self, ticket: Ticket) -> bool {
        let durable = {
            let mut waiting = self.waiting();
            if self.durable() >= ticket {
                return true;
            }
            if waiting.is_closed {
                return false;
            }
            let (reader, durable) = oneshot::channel();
            waiting.arrivals += 1;
            let place = (ticket, waiting.arrivals);
            waiting.readers.insert(place, reader);
            durable
        };
        durable.await.is_ok()
    }

    /// Ends all waiting, now and later.
    pub(super) fn close(&self) {
        let mut waiting = self.waiting();
        waiting.is_closed = true;
        waiting.readers.clear();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock_unpoisoned()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn readers_wait_for_their_own_commit_and_no_longer() {
        let progress = Progress::default();
        let (mut first, mut second) = (Box::pin(progress.wait(Ticket(1))), Box::pin(progress.wait(Ticket(2))));
        assert_eq!((first.as_mut().now_or_never(), second.as_mut().now_or_never()), (None, None));
        progress.mark_durable(Ticket(1));
        assert_eq!((first.as_mut().now_or_never(), second.as_mut().now_or_never()), (Some(true), None));
        progress.mark_durable(Ticket(3));
        assert!(second.await);
        assert_eq!((progress.durable(), progress.wait(Ticket(3)).await), (Ticket(3), true));
        progress.mark_durable(Ticket(2));
        assert_eq!(progress.durable(), Ticket(3), "it never goes back");
    }

    #[tokio::test]
    async fn a_closed_journal_ends_the_waiting_for_what_is_not_durable() {
        let progress = Progress::default();
        progress.mark_durable(Ticket(1));
        let mut waiting = Box::pin(progress.wait(Ticket(2)));
        assert_eq!(waiting.as_mut().now_or_never(), None);
        progress.close();
        assert!(!waiting.await);
        assert_eq!((progress.wait(Ticket(1)).await, progress.wait(Ticket(2)).await), (true, false));
    }

    #[test]
    fn readers_that_gave_up_are_forgotten_when_their_commit_is_durable() {
        let progress = Progress::default();
        for _ in 0..3 {
            assert_eq!(progress.wait(Ticket(1)).now_or_never(), None);
        }
        progress.mark_durable(Ticket(1));
        assert!(progress.waiting().readers.is_empty());
    }
}
