//! The state shared by all books: accounts and used nonces, vaults, pledged outpoints, loans, and orders for transfer
//! inscriptions.
//!
//! One briefly held lock guards it. A caller that needs ledger events in the same batch as its own takes the lock,
//! decides, commits, calls `journal.append` (which only queues) and releases the lock, so the journal's order is the
//! order of decisions. The lock is never held across an await.

mod acceptance;
mod borrower_records;
mod durable_reads;
mod exposures;
mod extensions;
mod loan_change;
mod loan_index;
mod prepared_loans;
mod progress;
mod state;

use std::{
    hint,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use domain::{
    AcceptanceRate, AccountEvent, AssetEvent, ContactEvent, Event, GroupId, Halt, HaltEvent, HaltScope, LoanEvent,
    LoanId, Nonce, OutboxEvent, Sats, Stream, TransferOrderEvent, UnixMs, UserId, Vault, VaultEvent,
};
use rustc_hash::FxHashMap;

use crate::journal::{Append, Sequence};
use crate::locks::MutexExt as _;
use progress::Progress;

pub use loan_index::{LoanCursor, LoanList};

pub(crate) use loan_change::LoanChange;
pub(crate) use loan_index::{LoanIndex, LoanRange, LoanScan, SCAN_BATCH};
pub use state::DueMessage;
pub(crate) use state::LedgerState;

/// A nonce that a command uses in the same journal batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonceUse {
    /// The nonce of the signed message.
    pub nonce: Nonce,
    /// The expiry of the message.
    pub expires_at: UnixMs,
}

/// An event of one of the ledger's streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LedgerEvent {
    Account(AccountEvent),
    Vault(UserId, VaultEvent),
    Asset(AssetEvent),
    Loan(LoanId, LoanEvent),
    Order(TransferOrderEvent),
    Contact(ContactEvent),
    Message(OutboxEvent),
    Halt(HaltEvent),
}

impl LedgerEvent {
    /// Returns the event of a stream of the ledger, or `None` if it is of another kind than its stream.
    pub(crate) fn of(stream: Stream, event: &Event) -> Option<Self> {
        match (stream, event) {
            (Stream::Accounts, Event::Account(event)) => Some(Self::Account(event.clone())),
            (Stream::Vault(user), Event::Vault(event)) => Some(Self::Vault(user, event.clone())),
            (Stream::Assets, Event::Asset(event)) => Some(Self::Asset(event.clone())),
            (Stream::Loan(id), Event::Loan(event)) => Some(Self::Loan(id, event.clone())),
            (Stream::Orders, Event::Order(event)) => Some(Self::Order(event.clone())),
            (Stream::Contacts, Event::Contact(event)) => Some(Self::Contact(event.clone())),
            (Stream::Outbox, Event::Message(event)) => Some(Self::Message(event.clone())),
            (Stream::Halts, Event::Halt(event)) => Some(Self::Halt(event.clone())),
            _ => None,
        }
    }
}

/// A vault's balances after a commit. Later commits have greater sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VaultBalances {
    pub(crate) user: UserId,
    pub(crate) sequence: Sequence,
    pub(crate) usable: Sats,
    pub(crate) balance: Sats,
}

impl VaultBalances {
    pub(crate) fn of(user: UserId, sequence: Sequence, vault: &Vault) -> Self {
        Self { user, sequence, usable: vault.usable(), balance: vault.balance() }
    }
}

/// The number of a commit to the ledger. Commits become durable in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// The results of a commit.
#[derive(Debug, Default)]
pub(crate) struct Committed {
    /// Appends for the journal, at most one per stream.
    pub(crate) appends: Vec<Append>,
    /// The vaults whose balance changed.
    pub(crate) vaults: Vec<VaultBalances>,
    /// The changes to loans.
    pub(crate) loans: Vec<LoanChange>,
    /// The lenders whose acceptance rate changed, with the new rate.
    pub(crate) acceptance_changes: Vec<(UserId, AcceptanceRate)>,
    /// The lenders whose limits, absence or exposure changed.
    pub(crate) allowance_changes: Vec<UserId>,
    /// The halts that began, ended or changed.
    pub(crate) halts: Vec<(HaltScope, Option<Halt>)>,
    /// The books in which these lenders quote.
    pub(crate) quoting: Vec<(UserId, Vec<GroupId>)>,
    /// Passed to [`Ledger::mark_durable`] once durable; `None` when nothing was committed.
    pub(crate) ticket: Option<Ticket>,
}

/// The state that a reader may have to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StateKey {
    Account(UserId),
    Vault(UserId),
    Loan(LoanId),
    /// Any loan of a user.
    LoansOf(UserId),
    /// Any order for a transfer inscription.
    Orders,
    Contact(UserId),
}

/// Beyond this number of entries, those that are durable are dropped.
const LAST_WRITES_MAX: usize = 4_096;

/// The number of tries to take the lock before the thread sleeps; some ten microseconds.
const TRIES_MAX: usize = 500;

/// The number of looks at whether the lock is still awaited; some microseconds.
const YIELDS_MAX: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Inner {
    state: LedgerState,
    latest: Ticket,
    /// The last commit that changed each kind of state.
    last_writes: FxHashMap<StateKey, Ticket>,
}

/// The ledger.
#[derive(Debug)]
pub(crate) struct Ledger {
    inner: Mutex<Inner>,
    /// The number of threads that wait for the lock.
    waiting: AtomicUsize,
    progress: Progress,
}

/// The locked ledger.
pub(crate) struct LedgerGuard<'ledger> {
    inner: MutexGuard<'ledger, Inner>,
    progress: &'ledger Progress,
}

impl Ledger {
    /// Returns a ledger replayed from the journal.
    pub(crate) fn new(state: LedgerState) -> Self {
        let inner = Inner { state, ..Inner::default() };
        Self { inner: Mutex::new(inner), waiting: AtomicUsize::new(0), progress: Progress::default() }
    }

    /// Takes the lock. It is held for microseconds, so a thread that finds it taken tries again for a while before it
    /// sleeps: to sleep and be woken takes longer.
    pub(crate) fn lock(&self) -> LedgerGuard<'_> {
        let inner = self.inner.try_lock_unpoisoned().unwrap_or_else(|| {
            self.waiting.fetch_add(1, Ordering::Relaxed);
            let soon = (0..TRIES_MAX).find_map(|_| {
                hint::spin_loop();
                self.inner.try_lock_unpoisoned()
            });
            let inner = soon.unwrap_or_else(|| self.inner.lock_unpoisoned());
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            inner
        });
        LedgerGuard { inner, progress: &self.progress }
    }

    /// Whether a thread waits for the lock. A book that holds it for a series of commands then lets go of it.
    pub(crate) fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Lets a thread that waits for the lock take it before the caller does again; gives up on one that does not run.
    pub(crate) fn yield_lock(&self) {
        for _ in 0..YIELDS_MAX {
            if !self.is_awaited() {
                break;
            }
            hint::spin_loop();
        }
    }

    /// Records that a commit is durable, and with it every earlier one.
    pub(crate) fn mark_durable(&self, ticket: Ticket) {
        self.progress.mark_durable(ticket);
    }

    /// Waits until everything committed so far is durable; returns whether it is.
    pub(crate) async fn wait_all_durable(&self) -> bool {
        let latest = self.lock().latest();
        self.wait_durable(latest).await
    }

    /// Waits until a commit is durable; returns whether it is.
    pub(crate) async fn wait_durable(&self, ticket: Ticket) -> bool {
        self.progress.wait(ticket).await
    }

    /// Closes the ledger after the journal refused a batch: readers that wait for it stop waiting and get nothing.
    pub(crate) fn close(&self) {
        self.progress.close();
    }

    async fn wait(&self, pending: Option<Ticket>) -> bool {
        match pending {
            Some(pending) => self.wait_durable(pending).await,
            None => true,
        }
    }
}

impl LedgerGuard<'_> {
    /// The state to decide by.
    pub(crate) fn state(&self) -> &LedgerState {
        &self.inner.state
    }

    /// The latest commit.
    pub(crate) fn latest(&self) -> Ticket {
        self.inner.latest
    }

    /// Records that a lender quotes in a group, so that changes of the vault reach its book.
    pub(crate) fn note_quoting(&mut self, lender: UserId, group: GroupId) {
        self.inner.state.note_quoting(lender, group);
    }

    /// Records that a borrower placed a borrow request.
    pub(crate) fn note_requesting(&mut self, borrower: UserId) {
        self.inner.state.note_requesting(borrower);
    }

    /// Records that an offer of a group names a borrower, whose own channel then shows it.
    pub(crate) fn note_naming(&mut self, borrower: UserId, group: GroupId) {
        self.inner.state.note_naming(borrower, group);
    }

    /// Stops watching a loan that has ended.
    pub(crate) fn forget_watched(&mut self, id: LoanId) {
        self.inner.state.loans_mut().forget_watched(id);
    }

    /// Stops watching the loans that ended up to a height.
    pub(crate) fn forget_ended(&mut self, height: u32) {
        self.inner.state.loans_mut().forget_ended(height);
    }

    /// The changes of loans that are due by `now` through time alone, for at most `count` loans.
    pub(crate) fn take_due_loans(&mut self, now: UnixMs, count: usize) -> Vec<LoanChange> {
        self.inner.state.loans_mut().take_due(now, count)
    }

    /// Removes the record that a lender quotes in a group.
    pub(crate) fn forget_quoting(&mut self, lender: UserId, group: GroupId) {
        self.inner.state.forget_quoting(lender, group);
    }

    /// Commits decided events. The caller appends them to the journal before it releases the lock.
    pub(crate) fn commit(&mut self, events: Vec<LedgerEvent>, at: UnixMs) -> Committed {
        if events.is_empty() {
            return Committed::default();
        }
        let inner = &mut *self.inner;
        inner.latest.0 += 1;
        let ticket = inner.latest;
        for event in &events {
            if let LedgerEvent::Loan(id, event) = event {
                let parties = inner.state.parties(*id, event);
                inner.last_writes.extend(parties.into_iter().flatten().map(|user| (StateKey::LoansOf(user), ticket)));
            }
            let key = match event {
                LedgerEvent::Account(
                    AccountEvent::SignedIn { user, .. }
                    | AccountEvent::SignedOut { user, .. }
                    | AccountEvent::OrdinalsProven { user }
                    | AccountEvent::SessionOpened { user, .. }
                    | AccountEvent::SessionRenewed { user, .. }
                    | AccountEvent::SessionEnded { user, .. }
                    | AccountEvent::Removed { user }
                    | AccountEvent::LimitsSet { user, .. }
                    | AccountEvent::AbsenceChanged { user, .. }
                    | AccountEvent::KeyCreated { user, .. }
                    | AccountEvent::KeyRevoked { user, .. }
                    | AccountEvent::KeyQuoted { user, .. }
                    | AccountEvent::DelegationCreated { user, .. }
                    | AccountEvent::DelegationRevoked { user, .. }
                    | AccountEvent::DelegationRevocationConfirmed { user, .. }
                    | AccountEvent::DelegationNumberUsed { user, .. }
                    | AccountEvent::FavouriteSet { user, .. },
                ) => StateKey::Account(*user),
                LedgerEvent::Vault(user, _) => StateKey::Vault(*user),
                LedgerEvent::Loan(id, _) => StateKey::Loan(*id),
                LedgerEvent::Order(_) => StateKey::Orders,
                LedgerEvent::Contact(event) => StateKey::Contact(event.user()),
                LedgerEvent::Account(AccountEvent::NonceUsed { .. })
                | LedgerEvent::Asset(_)
                | LedgerEvent::Message(_)
                | LedgerEvent::Halt(_) => continue,
            };
            inner.last_writes.insert(key, ticket);
        }
        if inner.last_writes.len() > LAST_WRITES_MAX {
            let durable = self.progress.durable();
            inner.last_writes.retain(|_, write| *write > durable);
        }
        Committed { ticket: Some(ticket), ..inner.state.commit(events, at) }
    }

    /// The commit that a reader must wait for, if any.
    fn pending_write(&self, key: StateKey) -> Option<Ticket> {
        self.inner.last_writes.get(&key).copied().filter(|write| *write > self.progress.durable())
    }
}
