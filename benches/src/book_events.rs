//! Events for the journal, as books actually produce them.

use std::sync::Arc;

use domain::{BookEvent, CollectionGroup, Event, GroupId, ListingEvent, OrderBook, Stream, UnixMs};
use engine::journal::{Append, Batch};

use crate::{book_log::Step, market, planner::Planner};

/// The approximate number of offers in each book.
const OFFERS: usize = 1_000;
const LENDERS: usize = 50;

/// One group and the events of its book.
#[derive(Clone, Debug)]
pub struct GroupEvents {
    /// The group.
    pub group: Arc<CollectionGroup>,
    /// The events, in order.
    pub events: Vec<(UnixMs, BookEvent)>,
}

/// Generates at least `count` events of the mix in each of `groups` books.
#[must_use]
pub fn book_events(seed: u64, groups: u32, count: usize) -> Vec<GroupEvents> {
    (1..=groups).map(|id| events_of_group(seed + u64::from(id), id, count)).collect()
}

fn events_of_group(seed: u64, id: u32, count: usize) -> GroupEvents {
    let group = market::group(id);
    let mut planner = Planner::new(seed, group.clone(), LENDERS);
    let mut book = OrderBook::new(group.clone(), Arc::default());
    let mut events = Vec::new();
    take(&mut book, &planner.fill(OFFERS), &mut events);
    while events.len() < count {
        let mut steps = Vec::new();
        for _ in 0..OFFERS / 2 {
            planner.mix(&mut steps);
        }
        steps.extend(planner.trim(OFFERS));
        take(&mut book, &steps, &mut events);
    }
    events.truncate(count);
    GroupEvents { group, events }
}

fn take(book: &mut OrderBook, steps: &[Step], events: &mut Vec<(UnixMs, BookEvent)>) {
    let mut touched = Vec::new();
    for step in steps {
        for event in book.decide(&step.command, step.at).expect("a book accepts planned commands") {
            book.apply(&event, step.at, &mut touched);
            events.push((step.at, event));
        }
        touched.clear();
    }
}

/// The batch that lists every group.
#[must_use]
pub fn listing(groups: &[GroupEvents]) -> Batch {
    let listed = |group: &GroupEvents| Event::Listing(ListingEvent::GroupListed(Box::new((*group.group).clone())));
    let append = Append { stream: Stream::Listings, after: 0, events: groups.iter().map(listed).collect() };
    Batch { at: UnixMs(0), appends: vec![append] }
}

/// All events in batches of `size`, with the groups taking turns.
#[must_use]
pub fn batches(groups: &[GroupEvents], size: usize) -> Vec<Batch> {
    let longest = groups.iter().map(|group| group.events.len()).max().unwrap_or(0);
    let mut batches = Vec::new();
    for from in (0..longest).step_by(size) {
        for GroupEvents { group, events } in groups {
            if from < events.len() {
                batches.push(batch(group.id, from, &events[from..events.len().min(from + size)]));
            }
        }
    }
    batches
}

fn batch(group: GroupId, from: usize, events: &[(UnixMs, BookEvent)]) -> Batch {
    let after = u64::try_from(from).expect("few events");
    let at = events.first().map_or(UnixMs(0), |(at, _)| *at);
    let events = events.iter().map(|(_, event)| Event::Book(event.clone())).collect();
    Batch { at, appends: vec![Append { stream: Stream::Book(group), after, events }] }
}
