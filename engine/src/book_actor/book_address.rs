//! The address of a book's actor: its mailbox and the queue of its commands.

use actix::{Addr, prelude::SendError};

use super::{
    BookActor,
    command_queue::{CommandQueue, QueueRefusal},
    turn::{CommandsArrived, SubmitCommands},
};

/// The address of a book's actor.
pub(crate) struct BookAddress {
    actor: Addr<BookActor>,
    commands: CommandQueue,
}

impl BookAddress {
    pub(crate) const fn new(actor: Addr<BookActor>, commands: CommandQueue) -> Self {
        Self { actor, commands }
    }

    /// The mailbox, for everything but commands.
    pub(crate) const fn actor(&self) -> &Addr<BookActor> {
        &self.actor
    }

    /// Queues commands; messages sent later find them decided.
    pub(crate) fn submit(&self, request: SubmitCommands) -> Result<(), QueueRefusal> {
        if self.commands.push(request)?
            && let Err(SendError::Full(announcement)) = self.actor.try_send(CommandsArrived)
        {
            // There is at most one at a time, so it may exceed the mailbox's capacity. A closed mailbox needs none: the
            // end of the actor closes the queue.
            self.actor.do_send(announcement);
        }
        Ok(())
    }
}
