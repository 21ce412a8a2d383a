//! The threads that books and the market's tasks run on.

use std::future::Future;
use std::sync::Mutex;

use actix::{Arbiter, ArbiterHandle};
use tokio::task::AbortHandle;

use crate::locks::MutexExt as _;

/// Threads of the market's own, or the one that started it.
pub(super) enum Threads {
    /// At least one; the tasks run on the first.
    Own { first: Arbiter, others: Vec<Arbiter> },
    /// The caller's, and the tasks on it. One thread decides in one order, so a run of the market can be repeated.
    OfCaller(Mutex<Vec<AbortHandle>>),
}

impl Threads {
    /// Starts this number of threads.
    pub(super) fn start(count: usize) -> Self {
        match count.checked_sub(1) {
            None => Self::OfCaller(Mutex::default()),
            Some(others) => Self::Own { first: Arbiter::new(), others: (0..others).map(|_| Arbiter::new()).collect() },
        }
    }

    /// Starts a task that runs until the threads are stopped.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        match self {
            Self::Own { first, .. } => {
                first.spawn(task);
            }
            Self::OfCaller(tasks) => tasks.lock_unpoisoned().push(actix::spawn(task).abort_handle()),
        }
    }

    /// Returns the thread of a book, of which each gets as many as any other.
    pub(super) fn of_book(&self, number: usize) -> ArbiterHandle {
        match self {
            Self::Own { first, others } => match number % (others.len() + 1) {
                0 => first.handle(),
                place => others[place - 1].handle(),
            },
            Self::OfCaller(_) => Arbiter::current(),
        }
    }

    /// Stops the market's own threads, or its tasks on the caller's: a book there ends when the market is dropped.
    pub(super) fn stop(&self) {
        match self {
            Self::Own { first, others } => {
                first.stop();
                for arbiter in others {
                    arbiter.stop();
                }
            }
            Self::OfCaller(tasks) => tasks.lock_unpoisoned().drain(..).for_each(|task| task.abort()),
        }
    }
}
