//! The journal of one process as another one reads it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use domain::Stream;
use engine::journal::{
    Batch, CommittedBatch, CommittedEvents, Durable, Journal, Position, Recorded, ReplayError, Sequence, SharedJournal,
};

use crate::fake_journal::FakeJournal;

/// A reader's place in a journal: the number of batches that it has read, and the ends of the streams there.
#[derive(Debug, Default)]
struct Place {
    batches: usize,
    heads: BTreeMap<Stream, Sequence>,
}

/// A reader of a journal that another process appends to. Clones share the place.
#[derive(Clone)]
pub(crate) struct Follower {
    journal: FakeJournal,
    place: Arc<Mutex<Place>>,
}

impl Place {
    fn position(&self) -> Position {
        Position(u64::try_from(self.batches).unwrap())
    }

    fn take(&mut self, batch: Batch) -> CommittedBatch {
        let mut appends: Vec<CommittedEvents> = Vec::new();
        for append in batch.appends {
            let head = self.heads.entry(append.stream).or_default();
            let events = append.events.into_iter().map(|event| {
                *head += 1;
                Recorded { sequence: *head, at: batch.at, event }
            });
            appends.push(CommittedEvents { stream: append.stream, events: events.collect() });
        }
        appends.sort_by_key(|append| append.stream);
        self.batches += 1;
        CommittedBatch { position: self.position(), appends }
    }
}

impl Follower {
    /// A reader that has read the journal as far as it is durable.
    pub(crate) fn of(journal: &FakeJournal) -> Self {
        let follower = Self { journal: journal.clone(), place: Arc::default() };
        follower.read_commits(&mut |_| {}).unwrap();
        follower
    }

    /// The next `count` commits, or fewer if there are not as many.
    pub(crate) fn commits(&self, count: usize) -> Vec<CommittedBatch> {
        let mut place = self.place.lock().unwrap();
        let next = self.journal.durable_after(place.batches, count);
        next.into_iter().map(|batch| place.take(batch)).collect()
    }
}

impl Journal for Follower {
    fn append(&self, batch: Batch) -> Durable {
        self.journal.append(batch)
    }

    fn streams(&self) -> Result<Vec<Stream>, ReplayError> {
        Ok(self.place.lock().unwrap().heads.keys().copied().collect())
    }

    fn replay(&self, stream: Stream, after: Sequence, each: &mut dyn FnMut(Recorded)) -> Result<Sequence, ReplayError> {
        let head = self.place.lock().unwrap().heads.get(&stream).copied().unwrap_or_default();
        self.journal.replay(stream, after, &mut |recorded| {
            if recorded.sequence <= head {
                each(recorded);
            }
        })?;
        Ok(head)
    }
}

impl SharedJournal for Follower {
    fn position(&self) -> Position {
        self.place.lock().unwrap().position()
    }

    fn read_commits(&self, each: &mut dyn FnMut(CommittedBatch)) -> Result<Position, ReplayError> {
        self.commits(usize::MAX).into_iter().for_each(each);
        Ok(self.position())
    }
}
