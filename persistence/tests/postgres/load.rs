//! Appends without a pause, and the proof that each acknowledged one is there once.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use domain::UnixMs;
use engine::journal::{Append, Batch, Journal as _};
use persistence::{
    PostgresAddress, PostgresJournal, PostgresOptions, SynchronousStandbys, WholeJournal, WriterLease, verify_postgres,
};
use postgres_testkit::wait_until;

use crate::{
    form::LEASE_TTL,
    numbered::{Numbered, streams},
};

/// The batches in flight: several, so that commits gather them.
const IN_FLIGHT_MAX: usize = 8;

/// The failures that a writer has reported.
pub(crate) type Failures = Arc<Mutex<Vec<String>>>;

/// Options that record failures instead of ending the process.
pub(crate) fn options(standbys: SynchronousStandbys, failures: &Failures) -> PostgresOptions {
    let failures = Arc::clone(failures);
    let on_failure = Arc::new(move |line: &str| failures.lock().unwrap().push(line.to_owned()));
    PostgresOptions { standbys, on_failure, ..PostgresOptions::default() }
}

/// Claims the lease of a journal that is free, opens it and begins to write.
pub(crate) fn writer(
    address: &PostgresAddress,
    standbys: SynchronousStandbys,
    failures: &Failures,
) -> (Arc<PostgresJournal>, WriterLease, u64) {
    let lease = WriterLease::open(address, standbys, std::time::Duration::from_mins(1)).unwrap();
    let epoch = lease.claim("test", "127.0.0.1", LEASE_TTL).unwrap().unwrap().epoch;
    let journal = PostgresJournal::open(address, options(standbys, failures)).unwrap();
    journal.begin_writing(epoch).unwrap();
    (Arc::new(journal), lease, epoch)
}

/// A thread that appends batches over two streams each until it is stopped.
pub(crate) struct Load {
    stopped: Arc<AtomicBool>,
    acknowledged: Arc<AtomicU64>,
    thread: Option<thread::JoinHandle<BTreeSet<u64>>>,
}

impl Load {
    pub(crate) fn start(journal: &Arc<PostgresJournal>) -> Self {
        Self::start_from(journal, 0)
    }

    /// Begins with the batch of this number, so that the batches of two writers differ.
    pub(crate) fn start_from(journal: &Arc<PostgresJournal>, first: u64) -> Self {
        let (stopped, acknowledged) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (journal, stop, count) = (Arc::clone(journal), Arc::clone(&stopped), Arc::clone(&acknowledged));
        let thread = thread::spawn(move || append_until(&journal, first, &stop, &count));
        Self { stopped, acknowledged, thread: Some(thread) }
    }

    /// The number of acknowledged batches so far.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::SeqCst)
    }

    /// Waits until that many more batches are acknowledged.
    pub(crate) fn wait_for(&self, more: u64) {
        let until = self.acknowledged() + more;
        wait_until("more batches are acknowledged", || self.acknowledged() >= until);
    }

    /// Stops, waits for the batches in flight, and returns the acknowledged ones.
    pub(crate) fn stop(mut self) -> BTreeSet<u64> {
        self.stopped.store(true, Ordering::SeqCst);
        let thread = self.thread.take().unwrap();
        wait_until("the batches in flight are answered", || thread.is_finished());
        thread.join().unwrap()
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
    }
}

fn append_until(journal: &PostgresJournal, first: u64, stop: &AtomicBool, count: &AtomicU64) -> BTreeSet<u64> {
    let (mut acknowledged, mut in_flight) = (BTreeSet::new(), VecDeque::new());
    let mut ends = vec![0_u64; streams().len()];
    for batch in first.. {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let start = usize::try_from(batch % 8).unwrap();
        let appends = (0..2).map(|index| {
            let at = (start + usize::try_from(index).unwrap()) % streams().len();
            let events = vec![Numbered { batch, index, total: 2 }.event(streams()[at])];
            ends[at] += 1;
            Append { stream: streams()[at], after: ends[at] - 1, events }
        });
        in_flight.push_back((batch, journal.append(Batch { at: UnixMs(batch), appends: appends.collect() })));
        if in_flight.len() >= IN_FLIGHT_MAX && !answer(&mut in_flight, &mut acknowledged, count) {
            break;
        }
    }
    while !in_flight.is_empty() {
        answer(&mut in_flight, &mut acknowledged, count);
    }
    acknowledged
}

/// Waits for the oldest batch; `false` if it is not acknowledged.
fn answer(
    in_flight: &mut VecDeque<(u64, engine::journal::Durable)>,
    acknowledged: &mut BTreeSet<u64>,
    count: &AtomicU64,
) -> bool {
    let (batch, durable) = in_flight.pop_front().unwrap();
    let is_durable = matches!(durable.blocking_recv(), Ok(Ok(_)));
    if is_durable {
        acknowledged.insert(batch);
        count.fetch_add(1, Ordering::SeqCst);
    }
    is_durable
}

/// Checks the journal at an address, and that each batch in it is there once and completely; returns the batches.
pub(crate) fn batches_at(address: &PostgresAddress) -> BTreeSet<u64> {
    let report = verify_postgres(address).unwrap();
    assert!(report.is_sound(), "{report:?}");
    let journal = PostgresJournal::open_existing(address, PostgresOptions::default()).unwrap();
    let mut events = BTreeMap::<u64, Vec<u32>>::new();
    let replayed = journal.replay_whole(&mut |_stream, recorded| {
        let Numbered { batch, index, .. } = Numbered::of(&recorded.event);
        events.entry(batch).or_default().push(index);
        ControlFlow::Continue(())
    });
    replayed.unwrap();
    for (batch, indexes) in &mut events {
        indexes.sort_unstable();
        assert_eq!(*indexes, [0, 1], "batch {batch} is not there once and completely");
    }
    events.into_keys().collect()
}

/// Checks that all acknowledged batches are at an address, and that the journal is sound.
pub(crate) fn assert_all_present(address: &PostgresAddress, acknowledged: &BTreeSet<u64>) {
    let present = batches_at(address);
    assert_eq!(acknowledged.difference(&present).collect::<Vec<_>>(), [&0; 0], "acknowledged, but lost");
}
