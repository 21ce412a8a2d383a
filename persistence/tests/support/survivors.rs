//! The check of a journal after a crash.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use domain::{Stream, UnixMs};
use persistence::{Options, SledJournal};

use crate::numbered::Numbered;

/// Opens and fully checks the journal after a crash, and returns the batches in it.
pub(crate) fn survivors(folder: &Path) -> BTreeSet<u64> {
    if !folder.join("lock").exists() {
        return BTreeSet::new();
    }
    let journal = SledJournal::open(folder, Options::default()).unwrap();
    let mut events = BTreeMap::<u64, BTreeSet<Numbered>>::new();
    let mut ends = HashMap::<Stream, u64>::new();
    let replayed = journal.replay_all(|stream, recorded| {
        let numbered = Numbered::of(&recorded.event);
        assert_eq!(recorded.at, UnixMs(numbered.batch));
        assert_eq!(recorded.sequence, ends.get(&stream).copied().unwrap_or(0) + 1, "a gap in {stream:?}");
        ends.insert(stream, recorded.sequence);
        assert!(events.entry(numbered.batch).or_default().insert(numbered), "{numbered:?} is there twice");
    });
    assert_eq!(replayed.unwrap(), ends.values().sum::<u64>());
    for (batch, events) in &events {
        let indexes: Vec<_> = events.iter().map(|numbered| numbered.index).collect();
        let total = events.first().unwrap().total;
        assert!(indexes.into_iter().eq(0..total), "only a part of batch {batch} is there: {events:?}");
    }
    events.into_keys().collect()
}
