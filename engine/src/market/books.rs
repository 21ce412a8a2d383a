//! The addresses of the book actors.

use std::{
    collections::BTreeMap,
    sync::{Arc, RwLock},
};

use domain::GroupId;

use crate::locks::RwLockExt as _;
use crate::{Refusal, book_actor::BookAddress};

/// The book actors of all listed groups.
///
/// All messages go through this one address of each: each clone of an actor's address may exceed the mailbox's capacity
/// by one message, so with a clone for every message no mailbox would ever be full.
#[derive(Default)]
pub(super) struct Books(RwLock<BTreeMap<GroupId, Arc<BookAddress>>>);

impl Books {
    /// Adds the actor of a group's book.
    pub(super) fn add(&self, group: GroupId, book: BookAddress) {
        self.0.write_unpoisoned().insert(group, Arc::new(book));
    }

    /// Returns the actor of a group's book.
    pub(super) fn get(&self, group: GroupId) -> Result<Arc<BookAddress>, Refusal> {
        self.0.read_unpoisoned().get(&group).cloned().ok_or(Refusal::UnknownGroup)
    }

    /// Returns all actors, by group id.
    pub(super) fn all(&self) -> Vec<Arc<BookAddress>> {
        self.0.read_unpoisoned().values().cloned().collect()
    }
}
