//! Channels that list items: the rows of all books in `market`, their borrow requests in `requests`, and the halts in
//! effect in `halts`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{Debug, Display},
    sync::{Arc, Mutex, MutexGuard},
};

use domain::{GroupId, HaltScope, RequestId};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use tokio::sync::Notify;

use crate::locks::MutexExt as _;
use crate::wire::{AsString, HaltView, RequestView, Row};

use super::{
    Channel, CloseReason,
    counters::FeedCounters,
    encoding::{CachedFrame, Encoded, Encoding, SharedFrame},
    frame::{Delta, Snapshot},
    subscribers::Subscribers,
    subscription::Subscriber,
};

/// An item of a list, with its names on the wire.
pub(crate) trait Listed: Serialize {
    /// Its id.
    type Id: Copy + Ord + Debug + Display;
    /// The channel.
    const CHANNEL: Channel;
    /// The name of the list in a snapshot.
    const LIST: &'static str;
    /// The name of the operation that sets an item, and of the item in it.
    const ITEM: &'static str;
    /// The name of the operation that removes an item, and of the id in it.
    const GONE: (&'static str, &'static str);
}

impl Listed for Row {
    type Id = GroupId;
    const CHANNEL: Channel = Channel::Market;
    const LIST: &'static str = "rows";
    const ITEM: &'static str = "row";
    const GONE: (&'static str, &'static str) = ("row_gone", "groupId");
}

impl Listed for RequestView {
    type Id = RequestId;
    const CHANNEL: Channel = Channel::Requests;
    const LIST: &'static str = "requests";
    const ITEM: &'static str = "request";
    const GONE: (&'static str, &'static str) = ("request_gone", "requestId");
}

impl Listed for HaltView {
    type Id = HaltScope;
    const CHANNEL: Channel = Channel::Halts;
    const LIST: &'static str = "halts";
    const ITEM: &'static str = "halt";
    const GONE: (&'static str, &'static str) = ("halt_gone", "scope");
}

/// All items, in a snapshot.
struct Items<'list, T: Listed>(&'list BTreeMap<T::Id, Arc<T>>);

impl<T: Listed> Serialize for Items<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let items: Vec<&T> = self.0.values().map(|item| &**item).collect();
        let mut fields = serializer.serialize_struct("Items", 1)?;
        fields.serialize_field(T::LIST, &items)?;
        fields.end()
    }
}

/// The new state of an item, or its absence.
enum ItemOp<'list, T: Listed> {
    Set(&'list T),
    Gone(T::Id),
}

impl<T: Listed> Serialize for ItemOp<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ItemOp", 2)?;
        match self {
            Self::Set(item) => {
                fields.serialize_field("op", T::ITEM)?;
                fields.serialize_field(T::ITEM, item)?;
            }
            Self::Gone(id) => {
                let (op, name) = T::GONE;
                fields.serialize_field("op", op)?;
                fields.serialize_field(name, &AsString(*id))?;
            }
        }
        fields.end()
    }
}

#[derive(Debug)]
struct State<T: Listed> {
    items: BTreeMap<T::Id, Arc<T>>,
    /// Items that changed since the last frame.
    changed: BTreeSet<T::Id>,
    seq: u64,
    /// The snapshot of `seq`, as long as no item has changed since.
    snapshot: CachedFrame,
    subscribers: Subscribers,
}

/// The hub of a channel: the latest durable state of every item. Items are sent together, at most one frame per
/// interval; an item that changed twice is sent once.
#[derive(Debug)]
pub(crate) struct ListHub<T: Listed> {
    epoch: String,
    state: Mutex<State<T>>,
    changed: Notify,
    counters: Arc<FeedCounters>,
}

impl<T: Listed> ListHub<T> {
    pub(crate) fn new(epoch: String, counters: Arc<FeedCounters>) -> Self {
        let state = State {
            items: BTreeMap::new(),
            changed: BTreeSet::new(),
            seq: 0,
            snapshot: CachedFrame::default(),
            subscribers: Subscribers::default(),
        };
        Self { epoch, state: Mutex::new(state), changed: Notify::new(), counters }
    }

    /// Publishes the state of an item, or its absence. It is durable.
    pub(crate) fn publish(&self, id: T::Id, item: Option<Arc<T>>) {
        let mut state = self.state();
        match item {
            Some(item) => drop(state.items.insert(id, item)),
            None => drop(state.items.remove(&id)),
        }
        state.changed.insert(id);
        state.snapshot = CachedFrame::default();
        drop(state);
        self.changed.notify_one();
    }

    /// The latest state of an item.
    pub(crate) fn item(&self, id: T::Id) -> Option<Arc<T>> {
        self.state().items.get(&id).cloned()
    }

    /// Every item by id.
    pub(crate) fn items(&self) -> Vec<Arc<T>> {
        self.state().items.values().cloned().collect()
    }

    /// Sends the snapshot and then every delta.
    pub(crate) fn subscribe(&self, subscriber: Subscriber) {
        let mut state = self.state();
        let snapshot = self.snapshot(&mut state, subscriber.encoding());
        self.counters.count(std::iter::once(subscriber.push_snapshot(&snapshot)));
        state.subscribers.add(subscriber);
    }

    /// Resolves when an item has changed since the last flush.
    pub(crate) async fn wait(&self) {
        self.changed.notified().await;
    }

    /// Sends the items that changed.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        let changed = std::mem::take(&mut state.changed);
        if changed.is_empty() {
            return;
        }
        let prev = state.seq;
        state.seq += 1;
        state.snapshot = CachedFrame::default();
        if state.subscribers.is_empty() {
            return;
        }
        let State { items, seq, subscribers, .. } = &mut *state;
        let op = |id: &T::Id| items.get(id).map_or(ItemOp::Gone(*id), |item| ItemOp::Set(&**item));
        let ops: Vec<ItemOp<'_, T>> = changed.iter().map(op).collect();
        let channel = AsString(T::CHANNEL);
        let delta = Delta { channel, epoch: &self.epoch, prev, seq: *seq, ops: &ops, crc: None };
        let frame = SharedFrame::new(&delta);
        // The operations refer to the items, not to the subscribers.
        subscribers.push(&frame, &self.counters);
    }

    /// Closes every subscription.
    pub(crate) fn close(&self, reason: CloseReason) {
        self.state().subscribers.close(reason);
    }

    /// Returns the snapshot. It already includes items that are about to be sent; sending them again does no harm.
    fn snapshot(&self, state: &mut State<T>, encoding: Encoding) -> Encoded {
        let State { items, seq, snapshot, .. } = state;
        snapshot.get_or_build(encoding, || {
            let data = Items::<T>(items);
            encoding.encode(&Snapshot { channel: AsString(T::CHANNEL), epoch: &self.epoch, seq: *seq, data: &data })
        })
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock_unpoisoned()
    }
}
