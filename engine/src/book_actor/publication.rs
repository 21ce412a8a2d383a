//! The output of a burst: to the book's channel, to the market channel, and to the lenders concerned.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use domain::{ChangedNegotiation, CollectionGroup, NegotiationId, RequestId, UserId};

use crate::{
    book_state::Changes,
    feed::{
        BookChange, BookOp, Channel, Delta, Encoded, Encoding, FeedPosition, MeOp, RowOp, SharedFrame, Subject,
        Subscriber,
    },
    journal::Sequence,
    view,
    wire::{AsString, NegotiationView, RequestView, Row},
};

use super::{BookActor, Reply};

/// Every delta of this number, or one soon after, carries a checksum.
const CRC_EVERY: usize = 64;

/// The maximum size of what a subscriber has missed, instead of which it gets the snapshot that is shared with others: a
/// socket that comes back to all of its channels must stay within what it may leave unread.
const RESUMED_BYTES_MAX: usize = 32 * 1_024;

/// The first frame of a subscription.
pub(super) enum FirstFrame {
    /// The whole book, in a frame that is shared with other sockets.
    Snapshot(Encoded),
    /// The changes that this subscriber has missed.
    Resumed(Encoded),
}

/// The changes of one or more bursts, rendered as of their end.
pub(super) struct Publication {
    seq: Sequence,
    ops: Vec<BookOp>,
    row: Option<Arc<Row>>,
    group: Option<Arc<CollectionGroup>>,
    crc: Option<u32>,
    me: Vec<(UserId, MeOp)>,
    requests: Vec<(RequestId, Option<Arc<RequestView>>)>,
}

impl Publication {
    /// Returns the publication of ranks that other lenders' offers have moved.
    pub(super) const fn of_ranks(seq: Sequence, me: Vec<(UserId, MeOp)>) -> Self {
        Self { seq, ops: Vec::new(), row: None, group: None, crc: None, me, requests: Vec::new() }
    }

    /// Merges this publication with the one right after it. States are absolute, so only the last state of each item is
    /// kept.
    pub(super) fn merged(mut self, later: Self) -> Self {
        self.ops.extend(later.ops);
        self.me.extend(later.me);
        self.requests.extend(later.requests);
        Self {
            seq: later.seq,
            ops: last_of_each(self.ops, BookOp::subject),
            row: later.row.or(self.row),
            group: later.group.or(self.group),
            crc: later.crc,
            me: self.me,
            requests: self.requests,
        }
    }
}

fn last_of_each<T>(mut items: Vec<T>, subject: impl Fn(&T) -> Subject) -> Vec<T> {
    let mut seen = HashSet::new();
    items.reverse();
    items.retain(|item| seen.insert(subject(item)));
    items.reverse();
    items
}

/// Everything that changed, each once: offers, then loans.
fn subjects(changes: &Changes) -> impl Iterator<Item = Subject> {
    let offers = changes.offers.iter().copied().map(Subject::Offer);
    offers.chain(changes.loans.iter().copied().map(Subject::Loan))
}

/// A subscriber with its first frame, built when it subscribed.
pub(super) struct PendingSubscription {
    pub(super) subscriber: Subscriber,
    pub(super) first_frame: FirstFrame,
    pub(super) reply: Reply<()>,
}

impl BookActor {
    /// Renders the changes, as of now. They are sent once durable.
    pub(super) fn publication(&mut self, mut changes: Changes) -> Publication {
        let book = &self.state.book;
        changes.offers.sort_unstable();
        changes.offers.dedup();
        self.recent_changes.record(self.state.sequence, self.shared.clock.now(), subjects(&changes));
        let has_subscribers = !self.subscribers.is_empty() || self.pending_subscribers > 0;
        let ops = if has_subscribers { self.ops(subjects(&changes)) } else { Vec::new() };
        let is_crc_due = has_subscribers && self.deltas_since_crc + self.queue.len() + 1 >= CRC_EVERY;
        let crc = is_crc_due.then(|| view::book_crc(book));
        let row = view::row(&self.state, self.shared.clock.now());
        let row = (row != *self.row).then(|| Arc::new(row));
        if let Some(row) = &row {
            self.row = Arc::clone(row);
        }
        let group = (!Arc::ptr_eq(book.group(), &self.published_group)).then(|| Arc::clone(book.group()));
        if let Some(group) = &group {
            self.published_group = Arc::clone(group);
        }
        let mut me =
            self.watched_offers.updates(&self.state, &changes, &self.shared.me, self.shared.settings.rank_interval_ms);
        me.extend(self.offers_for_me.updates(&self.state, &changes, &self.shared.me));
        me.extend(self.negotiation_ops(&changes.negotiations));
        let requests = changes.requests.iter().map(|id| {
            let request = self.state.book.request(*id);
            (*id, request.map(|request| Arc::new(RequestView::from(request))))
        });
        Publication { seq: self.state.sequence, ops, row, group, crc, me, requests: requests.collect() }
    }

    /// The updates of negotiations for their two sides, as far as they are subscribed.
    fn negotiation_ops(&self, changed: &[ChangedNegotiation]) -> Vec<(UserId, MeOp)> {
        let is_open = |user: &UserId| self.shared.me.is_open(*user);
        let mut ops = Vec::new();
        let changed: BTreeMap<NegotiationId, [UserId; 2]> = changed.iter().map(|one| (one.id, one.parties)).collect();
        for (id, parties) in changed {
            for user in parties.into_iter().filter(is_open) {
                let negotiation = self.state.book.negotiation(id);
                ops.push(match negotiation.and_then(|negotiation| NegotiationView::of(negotiation, user)) {
                    Some(negotiation) => (user, MeOp::Negotiation { negotiation: Box::new(negotiation) }),
                    None => (user, MeOp::NegotiationGone { negotiation_id: AsString(id) }),
                });
                let notice = negotiation.and_then(|known| view::negotiations::notice(&self.state, known, user));
                ops.extend(notice.map(|notice| (user, MeOp::Notice { notice })));
            }
        }
        ops
    }

    /// The current state of what has changed.
    fn ops(&self, subjects: impl Iterator<Item = Subject>) -> Vec<BookOp> {
        subjects.filter_map(|subject| self.op(subject)).collect()
    }

    fn op(&self, subject: Subject) -> Option<BookOp> {
        let book = &self.state.book;
        match subject {
            // An offer that was never public is not reported as gone either, while it is in the book.
            Subject::Offer(id) if book.conditions(id).is_some_and(|conditions| !conditions.is_listed()) => None,
            Subject::Offer(id) => Some(match book.offer(id).filter(|offer| view::is_public(book, offer)) {
                Some(offer) => BookOp::Offer { offer: view::book_offer(&self.state, offer) },
                None => BookOp::OfferGone { offer_id: AsString(id) },
            }),
            Subject::Loan(id) => Some(match book.loan(id) {
                Some(loan) => BookOp::Loan { loan: view::book_loan(book, loan) },
                None => BookOp::LoanGone { id: AsString(id) },
            }),
        }
    }

    /// The first frame for a subscriber who has seen the channel up to a position: the current state of everything that
    /// has changed since. `None` if that is not known, or too much.
    pub(super) fn resumed_frame(&self, after: &FeedPosition, encoding: Encoding) -> Option<Encoded> {
        let epoch = self.shared.settings.book_epoch();
        if after.epoch != epoch || after.seq > self.state.sequence {
            return None;
        }
        let ops = self.ops(self.recent_changes.after(after.seq)?.into_iter());
        let mut changes: Vec<BookChange<'_>> = ops.into_iter().map(BookChange::Book).collect();
        changes.push(BookChange::Row(RowOp::new(&self.row)));
        let frame = encoding.encode(&Delta {
            channel: AsString(Channel::Book(self.group)),
            epoch,
            prev: after.seq,
            seq: self.state.sequence,
            ops: &changes,
            crc: Some(view::book_crc(&self.state.book)),
        });
        (frame.len() <= RESUMED_BYTES_MAX).then_some(frame)
    }

    /// Sends a publication that is durable.
    pub(super) fn publish(&mut self, publication: Publication) {
        let Publication { seq, ops, row, group, crc, me, requests } = publication;
        if let Some(group) = group {
            self.shared.directory.update(group);
        }
        let mut changes: Vec<BookChange<'_>> = ops.into_iter().map(BookChange::Book).collect();
        changes.extend(row.as_deref().map(RowOp::new).map(BookChange::Row));
        let is_changed = seq != self.published || !changes.is_empty();
        if is_changed && !self.subscribers.is_empty() {
            let frame = Delta {
                channel: AsString(Channel::Book(self.group)),
                epoch: self.shared.settings.book_epoch(),
                prev: self.published,
                seq,
                ops: &changes,
                crc,
            };
            self.subscribers.push(&SharedFrame::new(&frame), &self.shared.feed_counters);
            self.deltas_since_crc = if crc.is_some() { 0 } else { self.deltas_since_crc + 1 };
        }
        self.published = seq;
        drop(changes);
        if let Some(row) = row {
            self.shared.rows.publish(self.group, Some(row));
        }
        for (id, request) in requests {
            self.shared.requests.publish(id, request);
        }
        self.publish_me(me);
    }

    fn publish_me(&mut self, me: Vec<(UserId, MeOp)>) {
        let mut by_user: HashMap<UserId, Vec<MeOp>> = HashMap::new();
        for (user, op) in me {
            by_user.entry(user).or_default().push(op);
        }
        for (user, ops) in by_user {
            if !self.shared.me.publish(user, &ops) {
                self.watched_offers.unwatch(user);
                self.offers_for_me.unwatch(user);
            }
        }
    }

    /// Sends a subscriber's first frame, which is durable; from then on the subscriber gets every delta.
    pub(super) fn complete_subscription(&mut self, subscription: PendingSubscription) {
        self.pending_subscribers -= 1;
        let PendingSubscription { subscriber, first_frame, reply } = subscription;
        if let Err(refusal) = self.is_open() {
            let _ = reply.send(Err(refusal));
            return;
        }
        let pushed = match &first_frame {
            FirstFrame::Snapshot(frame) => subscriber.push_snapshot(frame),
            FirstFrame::Resumed(frame) => subscriber.push_private_snapshot(frame),
        };
        self.shared.feed_counters.count(std::iter::once(pushed));
        self.subscribers.add(subscriber);
        // The socket may have closed; its subscription is then found closed at the next delta.
        let _ = reply.send(Ok(()));
    }
}
