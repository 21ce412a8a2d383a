//! The short time in which a book looks for further commands before its thread may sleep.
//!
//! Waking a thread that sleeps takes several times as long as deciding a command, for both sides. A caller that sends its
//! next command soon after an answer finds the book awake.

use std::{
    pin::Pin,
    task::{Context as TaskContext, Poll},
    time::{Duration, Instant},
};

use actix::{ActorFuture, Context};

use super::BookActor;
use crate::Settings;

/// The time without a command after which a book lets its thread sleep.
const AWAKE_FOR: Duration = Duration::from_micros(5);

/// The number of commands from which on a burst ends although others wait.
const BURST_MAX: usize = 256;

/// Decides commands as they arrive; resolves once none has arrived for a while.
pub(super) struct Polling {
    awake_for: Duration,
    until: Instant,
}

impl Polling {
    /// On the thread of a caller, who sends nothing meanwhile, a book rests at once.
    pub(super) fn start(settings: &Settings) -> Self {
        let awake_for = if settings.arbiters == 0 { Duration::ZERO } else { AWAKE_FOR };
        Self { awake_for, until: Instant::now() + awake_for }
    }
}

impl ActorFuture<BookActor> for Polling {
    type Output = ();

    fn poll(
        mut self: Pin<&mut Self>,
        actor: &mut BookActor,
        context: &mut Context<BookActor>,
        task: &mut TaskContext<'_>,
    ) -> Poll<()> {
        if actor.decide_waiting() {
            // Commands that have arrived meanwhile join the burst: it costs about as much as some commands.
            while actor.burst.answers.len() < BURST_MAX && actor.decide_waiting() {}
            actor.end_burst(context);
            self.until = Instant::now() + self.awake_for;
        } else if Instant::now() >= self.until && actor.commands.rest() {
            actor.scheduled.is_polling = false;
            return Poll::Ready(());
        }
        // Other tasks of the thread run in between.
        task.waker().wake_by_ref();
        Poll::Pending
    }
}
