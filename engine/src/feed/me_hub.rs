//! The `me` channels: one per user with an open subscription.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use domain::{LoanId, UserId};

use crate::locks::MutexExt as _;
use crate::{
    Refusal,
    journal::Sequence,
    wire::{AsString, LoanView, MyOffer, NegotiationView, NoticeView, OfferForMe, VaultView},
};

use super::{
    Channel, CloseReason,
    counters::FeedCounters,
    encoding::{Encoded, Encoding, SharedFrame},
    frame::{Delta, MeOp, MeState, Snapshot},
    socket_queue::PRIVATE_BYTES_MAX,
    subscribers::Subscribers,
    subscription::Subscriber,
};

/// A subscriber whose snapshot is being gathered from several books; frames published meanwhile wait behind it.
#[derive(Debug)]
struct Joining {
    number: u64,
    subscriber: Subscriber,
    backlog: Vec<Encoded>,
}

/// The maximum number of frames behind an unfinished snapshot; beyond it the snapshot is dropped.
const BACKLOG_MAX: usize = 1_024;

/// The maximum number of open channels per user: every subscription builds a snapshot of its own.
const OPEN_MAX: usize = 16;

#[derive(Debug, Default)]
struct Me {
    seq: u64,
    /// The sequence of the last vault state sent; books settle in no particular order, and the later state wins.
    vault: Sequence,
    /// The same for each loan that was sent.
    loans: HashMap<LoanId, Sequence>,
    subscribers: Subscribers,
    joining: Vec<Joining>,
}

/// Every open `me` channel.
#[derive(Debug)]
pub(crate) struct MeHub {
    epoch: String,
    users: Mutex<HashMap<UserId, Me>>,
    joins: std::sync::atomic::AtomicU64,
    counters: Arc<FeedCounters>,
}

/// A subscription whose snapshot is being gathered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingSnapshot {
    user: UserId,
    number: u64,
    /// The channel's sequence when gathering began.
    seq: u64,
    encoding: Encoding,
}

/// The initial state of a channel.
#[derive(Debug, Default)]
pub(crate) struct MeSnapshot {
    pub(crate) offers: Vec<MyOffer>,
    /// Offers that name the user as their borrower.
    pub(crate) offers_for_me: Vec<OfferForMe>,
    /// Negotiations of the user.
    pub(crate) negotiations: Vec<NegotiationView>,
    pub(crate) vault: Option<(Sequence, VaultView)>,
    /// Loans, each with its number of events.
    pub(crate) loans: Vec<(Sequence, LoanView)>,
    /// Notices, the newest last.
    pub(crate) notices: Vec<NoticeView>,
}

impl MeHub {
    pub(crate) fn new(epoch: String, counters: Arc<FeedCounters>) -> Self {
        Self { epoch, users: Mutex::default(), joins: std::sync::atomic::AtomicU64::new(0), counters }
    }

    /// Whether a user's channel has a subscriber.
    pub(crate) fn is_open(&self, user: UserId) -> bool {
        self.users().contains_key(&user)
    }

    /// Opens a channel: from then on deltas are kept for it. [`MeHub::finish_subscription`] sends the snapshot.
    ///
    /// # Errors
    /// [`Refusal::ChannelFull`].
    pub(crate) fn begin_subscription(&self, user: UserId, subscriber: Subscriber) -> Result<PendingSnapshot, Refusal> {
        let number = self.joins.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut users = self.users();
        let me = users.entry(user).or_default();
        me.remove_closed();
        if me.subscribers.len() + me.joining.len() >= OPEN_MAX {
            return Err(Refusal::ChannelFull { max: OPEN_MAX });
        }
        let encoding = subscriber.encoding();
        me.joining.push(Joining { number, subscriber, backlog: Vec::new() });
        Ok(PendingSnapshot { user, number, seq: me.seq, encoding })
    }

    /// Sends the snapshot and the frames published while it was gathered.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`] when too many frames were published, [`Refusal::SnapshotTooLarge`]; the channel is not
    /// open then.
    pub(crate) fn finish_subscription(&self, pending: PendingSnapshot, start: MeSnapshot) -> Result<(), Refusal> {
        let MeSnapshot { offers, offers_for_me, negotiations, vault, loans, notices } = start;
        let (loan_sequences, loans): (Vec<Sequence>, Vec<LoanView>) = loans.into_iter().unzip();
        let vault_view = vault.as_ref().map(|(_, view)| view);
        let data = MeState {
            offers: &offers,
            offers_for_me: &offers_for_me,
            negotiations: &negotiations,
            vault: vault_view,
            loans: &loans,
            notices: &notices,
        };
        let channel = AsString(Channel::Me(pending.user));
        let snapshot = Snapshot { channel, epoch: &self.epoch, seq: pending.seq, data: &data };
        let snapshot = pending.encoding.encode(&snapshot);
        if snapshot.len() > PRIVATE_BYTES_MAX {
            self.cancel_subscription(pending);
            return Err(Refusal::SnapshotTooLarge { bytes: snapshot.len(), max: PRIVATE_BYTES_MAX });
        }
        let mut users = self.users();
        let overloaded = Refusal::Overloaded { retry_after_s: 1 };
        let Some(me) = users.get_mut(&pending.user) else { return Err(overloaded) };
        let Some(place) = me.joining.iter().position(|joining| joining.number == pending.number) else {
            return Err(overloaded);
        };
        let joined = me.joining.swap_remove(place);
        let pushed = std::iter::once(joined.subscriber.push_private_snapshot(&snapshot));
        self.counters.count(pushed.chain(joined.backlog.iter().map(|frame| joined.subscriber.push(frame))));
        me.subscribers.add(joined.subscriber);
        // A frame behind the snapshot may hold an earlier state of the vault than the snapshot: the later one wins.
        if let Some((sequence, vault)) = vault.filter(|(sequence, _)| *sequence > me.vault) {
            me.vault = sequence;
            if !joined.backlog.is_empty() {
                self.push(pending.user, me, &[MeOp::Vault { vault }]);
            }
        }
        let mut newer = Vec::new();
        for (sequence, loan) in loan_sequences.into_iter().zip(loans) {
            let known = me.loans.insert(loan.loan_id.0, sequence);
            match known {
                Some(known) if known > sequence => drop(me.loans.insert(loan.loan_id.0, known)),
                Some(known) if known < sequence => newer.push(MeOp::MyLoan { loan: Box::new(loan) }),
                _ => {}
            }
        }
        if !newer.is_empty() {
            self.push(pending.user, me, &newer);
        }
        Ok(())
    }

    /// Cancels a subscription.
    pub(crate) fn cancel_subscription(&self, pending: PendingSnapshot) {
        let mut users = self.users();
        if let Some(me) = users.get_mut(&pending.user) {
            me.joining.retain(|joining| joining.number != pending.number);
            if me.is_empty() {
                users.remove(&pending.user);
            }
        }
    }

    /// Publishes durable changes of a user's data; `false` when there is no subscriber any more.
    pub(crate) fn publish(&self, user: UserId, ops: &[MeOp]) -> bool {
        let mut users = self.users();
        let Some(me) = users.get_mut(&user) else { return false };
        me.remove_closed();
        if me.is_empty() {
            users.remove(&user);
            return false;
        }
        self.push(user, me, ops);
        true
    }

    /// Publishes a vault's new durable state, unless a later one was published before.
    pub(crate) fn publish_vault(&self, user: UserId, sequence: Sequence, vault: VaultView) {
        let mut users = self.users();
        let Some(me) = users.get_mut(&user) else { return };
        if sequence > me.vault {
            me.vault = sequence;
            self.push(user, me, &[MeOp::Vault { vault }]);
        }
    }

    /// Publishes a loan's state and notices, both durable. A state that a later one has overtaken is omitted; a change
    /// through time alone has the same sequence as before.
    pub(crate) fn publish_loan(&self, user: UserId, sequence: Sequence, loan: LoanView, notices: Vec<NoticeView>) {
        let mut users = self.users();
        let Some(me) = users.get_mut(&user) else { return };
        let known = me.loans.entry(loan.loan_id.0).or_default();
        let mut ops: Vec<MeOp> = notices.into_iter().map(|notice| MeOp::Notice { notice }).collect();
        if sequence >= *known {
            *known = sequence;
            ops.insert(0, MeOp::MyLoan { loan: Box::new(loan) });
        }
        if !ops.is_empty() {
            self.push(user, me, &ops);
        }
    }

    /// Closes every subscription to a user's channel.
    pub(crate) fn close_user(&self, user: UserId, reason: CloseReason) {
        if let Some(mut me) = self.users().remove(&user) {
            me.close(reason);
        }
    }

    /// Closes every subscription.
    pub(crate) fn close(&self, reason: CloseReason) {
        for (_, mut me) in self.users().drain() {
            me.close(reason);
        }
    }

    fn push(&self, user: UserId, me: &mut Me, ops: &[MeOp]) {
        let prev = me.seq;
        me.seq += 1;
        let channel = AsString(Channel::Me(user));
        let delta = Delta { channel, epoch: &self.epoch, prev, seq: me.seq, ops, crc: None };
        let frame = SharedFrame::new(&delta);
        me.subscribers.push(&frame, &self.counters);
        for joining in &mut me.joining {
            joining.backlog.push(frame.get(joining.subscriber.encoding()).clone());
        }
        me.joining.retain(|joining| joining.backlog.len() <= BACKLOG_MAX);
    }

    fn users(&self) -> MutexGuard<'_, HashMap<UserId, Me>> {
        self.users.lock_unpoisoned()
    }
}

impl Me {
    fn is_empty(&self) -> bool {
        self.subscribers.is_empty() && self.joining.is_empty()
    }

    fn remove_closed(&mut self) {
        self.subscribers.remove_closed();
        self.joining.retain(|joining| joining.subscriber.is_open());
    }

    fn close(&mut self, reason: CloseReason) {
        self.subscribers.close(reason);
        for joining in self.joining.drain(..) {
            if let Some(sender) = joining.subscriber.sender() {
                sender.close(reason);
            }
        }
    }
}
