//! The `market` channel: the latest durable row of every group.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use bytestring::ByteString;
use domain::GroupId;
use serde::Serialize;
use tokio::sync::Notify;

use crate::locks::MutexExt as _;
use crate::wire::{AsString, Row};

use super::{
    Channel, CloseReason,
    counters::FeedCounters,
    frame::{Delta, RowOp, Snapshot, encode},
    subscribers::Subscribers,
    subscription::Subscriber,
};

#[derive(Serialize)]
struct Rows<'rows> {
    rows: Vec<&'rows Row>,
}

#[derive(Debug, Default)]
struct State {
    rows: BTreeMap<GroupId, Arc<Row>>,
    /// Rows that changed since the last frame.
    changed: BTreeSet<GroupId>,
    seq: u64,
    /// The snapshot of `seq`, as long as no row has changed since.
    snapshot: Option<ByteString>,
    subscribers: Subscribers,
}

/// The hub of the `market` channel. Rows are sent together, at most one frame per interval; a row that changed twice is
/// sent once.
#[derive(Debug)]
pub(crate) struct MarketHub {
    epoch: String,
    state: Mutex<State>,
    changed: Notify,
    counters: Arc<FeedCounters>,
}

impl MarketHub {
    pub(crate) fn new(epoch: String, counters: Arc<FeedCounters>) -> Self {
        Self { epoch, state: Mutex::default(), changed: Notify::new(), counters }
    }

    /// Publishes a row. It is durable.
    pub(crate) fn publish(&self, group: GroupId, row: Arc<Row>) {
        let mut state = self.state();
        state.rows.insert(group, row);
        state.changed.insert(group);
        state.snapshot = None;
        drop(state);
        self.changed.notify_one();
    }

    /// The latest row of a group.
    pub(crate) fn row(&self, group: GroupId) -> Option<Arc<Row>> {
        self.state().rows.get(&group).cloned()
    }

    /// Every row by id.
    pub(crate) fn rows(&self) -> Vec<Arc<Row>> {
        self.state().rows.values().cloned().collect()
    }

    /// Sends the snapshot and then every delta.
    pub(crate) fn subscribe(&self, subscriber: Subscriber) {
        let mut state = self.state();
        let snapshot = match &state.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => self.snapshot(&mut state),
        };
        self.counters.count(std::iter::once(subscriber.push_snapshot(&snapshot)));
        state.subscribers.add(subscriber);
    }

    /// Resolves when a row has changed since the last flush.
    pub(crate) async fn wait(&self) {
        self.changed.notified().await;
    }

    /// Sends the rows that changed.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        let changed = std::mem::take(&mut state.changed);
        if changed.is_empty() {
            return;
        }
        let prev = state.seq;
        state.seq += 1;
        state.snapshot = None;
        if state.subscribers.is_empty() {
            return;
        }
        let rows = changed.iter().filter_map(|group| state.rows.get(group));
        let ops: Vec<RowOp<'_>> = rows.map(|row| RowOp::new(row)).collect();
        let channel = AsString(Channel::Market);
        let frame = encode(&Delta { channel, epoch: &self.epoch, prev, seq: state.seq, ops: &ops, crc: None });
        state.subscribers.push(&frame, &self.counters);
    }

    /// Closes every subscription.
    pub(crate) fn close(&self, reason: CloseReason) {
        self.state().subscribers.close(reason);
    }

    /// Builds the snapshot. It already includes rows that are about to be sent; sending them again does no harm.
    fn snapshot(&self, state: &mut State) -> ByteString {
        let data = Rows { rows: state.rows.values().map(|row| &**row).collect() };
        let channel = AsString(Channel::Market);
        let snapshot = encode(&Snapshot { channel, epoch: &self.epoch, seq: state.seq, data: &data });
        state.snapshot = Some(snapshot.clone());
        snapshot
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock_unpoisoned()
    }
}
