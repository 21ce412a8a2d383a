//! The queue of commands in front of a book's actor.
//!
//! A message to an actor costs an allocation and often a system call, to wake its thread. So commands wait in a queue,
//! and only the first one of those that wait is announced by a message.

use std::{
    mem,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::locks::MutexExt as _;

use super::turn::SubmitCommands;

/// The reason why a request does not enter the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueRefusal {
    Full,
    Closed,
}

#[derive(Default)]
struct Waiting {
    requests: Vec<SubmitCommands>,
    /// Whether the actor knows that requests wait, or is about to learn it.
    is_announced: bool,
    is_closed: bool,
}

/// Shared by both halves.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    /// Whether requests may wait. It is written under the lock, and spares the actor that lock while it finds none.
    is_filled: AtomicBool,
}

/// The sending half.
#[derive(Clone)]
pub(crate) struct CommandQueue {
    queue: Arc<Queue>,
    capacity: usize,
}

impl CommandQueue {
    /// Returns a queue of at most `capacity` requests, and its receiving half.
    pub(crate) fn new(capacity: usize) -> (Self, CommandReceiver) {
        let queue = Arc::<Queue>::default();
        (Self { queue: Arc::clone(&queue), capacity }, CommandReceiver { queue, spare: Vec::new() })
    }

    /// Adds a request; returns whether the actor must be sent an announcement.
    pub(super) fn push(&self, request: SubmitCommands) -> Result<bool, QueueRefusal> {
        let mut waiting = self.queue.waiting.lock_unpoisoned();
        if waiting.is_closed {
            return Err(QueueRefusal::Closed);
        }
        if waiting.requests.len() >= self.capacity {
            return Err(QueueRefusal::Full);
        }
        waiting.requests.push(request);
        self.queue.is_filled.store(true, Ordering::Release);
        Ok(!mem::replace(&mut waiting.is_announced, true))
    }
}

/// The receiving half. Dropping it closes the queue and drops what waits in it.
pub(crate) struct CommandReceiver {
    queue: Arc<Queue>,
    /// An empty vector with the capacity of an earlier burst.
    spare: Vec<SubmitCommands>,
}

impl CommandReceiver {
    /// Takes everything that waits, in the order of arrival. The caller looks again: no later request is announced until
    /// [`Self::rest`].
    pub(super) fn take(&mut self) -> Vec<SubmitCommands> {
        if !self.has_requests() {
            return Vec::new();
        }
        let mut waiting = self.queue.waiting.lock_unpoisoned();
        self.queue.is_filled.store(false, Ordering::Release);
        mem::replace(&mut waiting.requests, mem::take(&mut self.spare))
    }

    /// Whether requests wait, other than one that is just being added.
    pub(super) fn has_requests(&self) -> bool {
        self.queue.is_filled.load(Ordering::Acquire)
    }

    /// Has the next request announced, unless some wait already; returns whether none does.
    pub(super) fn rest(&self) -> bool {
        let mut waiting = self.queue.waiting.lock_unpoisoned();
        waiting.is_announced = !waiting.requests.is_empty();
        !waiting.is_announced
    }

    /// Returns the emptied vector of [`Self::take`].
    pub(super) fn give_back(&mut self, mut emptied: Vec<SubmitCommands>) {
        emptied.clear();
        self.spare = emptied;
    }
}

impl Drop for CommandReceiver {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting.lock_unpoisoned();
        waiting.is_closed = true;
        let unanswered = mem::take(&mut waiting.requests);
        drop(waiting);
        drop(unanswered);
    }
}

#[cfg(test)]
mod tests {
    use domain::Command;
    use tokio::sync::oneshot;
    use tracing::Span;

    use super::*;
    use crate::{Applied, Refusal, book_actor::LedgerEffects};

    fn request() -> (SubmitCommands, oneshot::Receiver<Result<Applied, Refusal>>) {
        let (reply, answer) = oneshot::channel();
        let commands = vec![Command::ExpireOffers];
        (SubmitCommands { commands, effects: LedgerEffects::default(), reply, span: Span::none() }, answer)
    }

    #[test]
    fn only_the_first_of_the_waiting_requests_is_announced() {
        let (queue, mut receiver) = CommandQueue::new(2);
        for _ in 0..3 {
            assert_eq!(queue.push(request().0), Ok(true));
            assert_eq!(queue.push(request().0), Ok(false));
            assert_eq!(queue.push(request().0), Err(QueueRefusal::Full));
            assert!(!receiver.rest(), "two wait");
            let taken = receiver.take();
            assert_eq!(taken.len(), 2);
            receiver.give_back(taken);
            assert_eq!(queue.push(request().0), Ok(false), "the actor looks again");
            assert!(!receiver.rest());
            assert_eq!(receiver.take().len(), 1);
            assert!(receiver.rest());
        }
    }

    #[test]
    fn the_end_of_the_actor_ends_every_wait() {
        let (queue, receiver) = CommandQueue::new(2);
        let (waiting, mut answer) = request();
        queue.push(waiting).unwrap();
        drop(receiver);
        assert_eq!(answer.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        assert_eq!(queue.push(request().0), Err(QueueRefusal::Closed));
    }
}
