//! A journal in memory. Batches become durable at once, or when the test releases them.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

use domain::{Event, Stream};
use engine::journal::{AppendError, Batch, Durable, Journal, Position, Recorded, ReplayError, Sequence};
use tokio::sync::oneshot;

type Answer = oneshot::Sender<Result<Position, AppendError>>;

#[derive(Default)]
struct State {
    /// Everything appended, durable or not.
    batches: Vec<Batch>,
    heads: BTreeMap<Stream, Sequence>,
    /// For each stream, its batches and the index of its append in each.
    places: BTreeMap<Stream, Vec<(usize, usize)>>,
    waiting: VecDeque<Answer>,
    durable: usize,
    is_held: bool,
    /// The number of batches from which on batches wait.
    held_from: Option<usize>,
    is_closed: bool,
}

/// The journal. Clones share it.
#[derive(Clone, Default)]
pub struct FakeJournal(Arc<Mutex<State>>);

impl FakeJournal {
    /// Makes all later batches wait for [`FakeJournal::let_go`].
    pub fn hold(&self) {
        self.state().is_held = true;
    }

    /// Makes the first `count` batches durable at once, and all later ones wait.
    #[allow(dead_code, reason = "tests of other crates share this file")]
    pub fn hold_from(&self, count: usize) {
        self.state().held_from = Some(count);
    }

    /// Makes the next `count` waiting batches durable.
    pub fn let_go(&self, count: usize) {
        let mut state = self.state();
        for _ in 0..count {
            let Some(answer) = state.waiting.pop_front() else { break };
            let _ = answer.send(Ok(Position(u64::try_from(state.durable).unwrap())));
            state.durable += 1;
        }
    }

    /// Makes everything waiting durable, and everything later at once.
    pub fn let_all_go(&self) {
        let waiting = {
            let mut state = self.state();
            (state.is_held, state.held_from) = (false, None);
            state.waiting.len()
        };
        self.let_go(waiting);
    }

    /// The number of waiting batches.
    pub fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    /// Drops the writer with everything that waits.
    pub fn lose_writer(&self) {
        self.state().waiting.clear();
    }

    /// Refuses everything that waits and everything later.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        for answer in state.waiting.drain(..) {
            let _ = answer.send(Err(AppendError::Closed));
        }
    }

    /// The number of durable batches.
    #[allow(dead_code, reason = "tests of other crates share this file")]
    pub fn durable(&self) -> usize {
        self.state().durable
    }

    /// The number of appended batches, durable or not.
    #[allow(dead_code, reason = "tests of other crates share this file")]
    pub fn batches_count(&self) -> usize {
        self.state().batches.len()
    }

    /// Passes every batch appended so far to `each`, in order.
    #[allow(dead_code, reason = "tests of other crates share this file")]
    pub fn each_batch(&self, mut each: impl FnMut(&Batch)) {
        self.state().batches.iter().for_each(&mut each);
    }

    /// Everything appended so far.
    pub fn batches(&self) -> Vec<Batch> {
        self.state().batches.clone()
    }

    /// The durable batches after the first `count`, at most `count_max` of them.
    #[allow(dead_code, reason = "tests of other crates share this file")]
    pub fn durable_after(&self, count: usize, count_max: usize) -> Vec<Batch> {
        let state = self.state();
        let until = state.durable.min(count.saturating_add(count_max));
        state.batches.get(count..until).unwrap_or_default().to_vec()
    }

    /// The latest batch.
    pub fn last_batch(&self) -> Batch {
        self.state().batches.last().cloned().expect("something was appended")
    }

    /// A journal with only the first `count` batches, as after a crash.
    pub fn cut_to(&self, count: usize) -> Self {
        let cut = Self::default();
        for batch in self.state().batches.iter().take(count) {
            drop(cut.append(batch.clone()));
        }
        cut
    }

    /// The number of events of a stream.
    pub fn head(&self, stream: Stream) -> Sequence {
        self.state().heads.get(&stream).copied().unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl Journal for FakeJournal {
    fn append(&self, batch: Batch) -> Durable {
        let (answer, durable) = oneshot::channel();
        let mut state = self.state();
        if state.is_closed {
            let _ = answer.send(Err(AppendError::Closed));
            return durable;
        }
        assert!(!batch.appends.is_empty(), "an empty batch was appended");
        for append in &batch.appends {
            assert!(!append.events.is_empty(), "an append without events to {:?}", append.stream);
            let head = state.heads.entry(append.stream).or_default();
            assert_eq!(*head, append.after, "{:?} is appended to in another order than decided", append.stream);
            *head += u64::try_from(append.events.len()).unwrap();
        }
        let streams: Vec<Stream> = batch.appends.iter().map(|append| append.stream).collect();
        assert!((1..streams.len()).all(|place| !streams[..place].contains(&streams[place])), "a stream occurs twice");
        let number = state.batches.len();
        for (place, stream) in streams.into_iter().enumerate() {
            state.places.entry(stream).or_default().push((number, place));
        }
        let is_held = state.is_held || state.held_from.is_some_and(|count| state.batches.len() >= count);
        state.batches.push(batch);
        if is_held {
            state.waiting.push_back(answer);
        } else {
            let _ = answer.send(Ok(Position(u64::try_from(state.durable).unwrap())));
            state.durable += 1;
        }
        durable
    }

    fn streams(&self) -> Result<Vec<Stream>, ReplayError> {
        Ok(self.state().heads.keys().copied().collect())
    }

    fn replay(&self, stream: Stream, after: Sequence, each: &mut dyn FnMut(Recorded)) -> Result<Sequence, ReplayError> {
        let state = self.state();
        let mut sequence = 0;
        for (batch, place) in state.places.get(&stream).into_iter().flatten() {
            let batch = &state.batches[*batch];
            for event in &batch.appends[*place].events {
                sequence += 1;
                if sequence > after {
                    each(Recorded { sequence, at: batch.at, event: event.clone() });
                }
            }
        }
        Ok(sequence)
    }
}

/// The streams of a batch.
pub fn streams_of(batch: &Batch) -> Vec<Stream> {
    let mut streams: Vec<Stream> = batch.appends.iter().map(|append| append.stream).collect();
    streams.sort_unstable();
    streams
}

/// The events of a stream in a batch.
pub fn events_of(batch: &Batch, stream: Stream) -> Vec<Event> {
    let appends = batch.appends.iter().filter(|append| append.stream == stream);
    appends.flat_map(|append| append.events.clone()).collect()
}
