//! The state shared by all books: accounts and used nonces, vaults, pledged outpoints, loans, and orders for transfer
//! inscriptions.
//!
//! One briefly held lock guards it. A caller that needs ledger events in the same batch as its own takes the lock,
//! decides, commits, calls `journal.append` (which only queues) and releases the lock, so the journal's order is the
//! order of decisions. The lock is never held across an await.

mod acceptance;
mod borrower_records;
mod exposures;
mod extensions;
mod loan_change;
mod loan_index;
mod prepared_loans;
mod state;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
};

use domain::{
    AcceptanceRate, Account, AccountEvent, AssetEvent, Contact, ContactEvent, Exposure, GroupId, LendingLimits,
    LoanAccount, LoanEvent, LoanId, Nonce, OfferId, OutboxEvent, Sats, Session, SessionId, TrackedOrder,
    TransferOrderEvent, TransferOrderId, UnixMs, UserId, Vault, VaultEvent,
};
use tokio::sync::watch;

use crate::journal::{Append, Sequence};
use crate::locks::MutexExt as _;

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

/// The journal's progress.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    durable: Ticket,
    /// Whether the journal has closed: nothing becomes durable any more.
    is_closed: bool,
}

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

#[derive(Debug, Default)]
pub(crate) struct Inner {
    state: LedgerState,
    latest: Ticket,
    /// For each kind of state, the last commit that changed it.
    last_writes: HashMap<StateKey, Ticket>,
}

/// The ledger.
#[derive(Debug)]
pub(crate) struct Ledger {
    inner: Mutex<Inner>,
    progress: watch::Sender<Progress>,
}

/// The locked ledger.
pub(crate) struct LedgerGuard<'ledger> {
    inner: MutexGuard<'ledger, Inner>,
    progress: &'ledger watch::Sender<Progress>,
}

impl Ledger {
    /// Returns a ledger replayed from the journal.
    pub(crate) fn new(state: LedgerState) -> Self {
        let inner = Inner { state, ..Inner::default() };
        Self { inner: Mutex::new(inner), progress: watch::Sender::default() }
    }

    /// Takes the lock.
    pub(crate) fn lock(&self) -> LedgerGuard<'_> {
        let inner = self.inner.lock_unpoisoned();
        LedgerGuard { inner, progress: &self.progress }
    }

    /// Records that a commit is durable, and with it every earlier one.
    pub(crate) fn mark_durable(&self, ticket: Ticket) {
        self.progress.send_if_modified(|progress| {
            let is_later = ticket > progress.durable;
            progress.durable = ticket.max(progress.durable);
            is_later
        });
    }

    /// An account, once its state is durable.
    pub(crate) async fn account(&self, user: UserId) -> Option<Account> {
        let (account, pending) = {
            let guard = self.lock();
            (guard.state().account(user).cloned(), guard.pending_write(StateKey::Account(user)))
        };
        if self.wait(pending).await { account } else { None }
    }

    /// A user's contact, once its state is durable; `None` when it never will be.
    pub(crate) async fn contact(&self, user: UserId) -> Option<Contact> {
        let (contact, pending) = {
            let guard = self.lock();
            (guard.state().contacts().get(user), guard.pending_write(StateKey::Contact(user)))
        };
        self.wait(pending).await.then_some(contact)
    }

    /// A session that has not ended at `now` and its account, once their state is durable.
    pub(crate) async fn session(&self, id: SessionId, now: UnixMs) -> Option<(Session, Account)> {
        let (session, account, pending) = {
            let guard = self.lock();
            let session = guard.state().accounts().sessions().get(id, now)?.clone();
            let account = guard.state().account(session.user)?.clone();
            let pending = guard.pending_write(StateKey::Account(session.user));
            (session, account, pending)
        };
        self.wait(pending).await.then_some((session, account))
    }

    /// The sessions of a user that have not ended at `now`, once their state is durable.
    pub(crate) async fn sessions(&self, user: UserId, now: UnixMs) -> Vec<(SessionId, Session)> {
        let (sessions, pending) = {
            let guard = self.lock();
            let of_user = guard.state().accounts().sessions().of(user, now);
            let sessions = of_user.map(|(id, session)| (id, session.clone())).collect();
            (sessions, guard.pending_write(StateKey::Account(user)))
        };
        if self.wait(pending).await { sessions } else { Vec::new() }
    }

    /// The favourite collections of a user, once their state is durable.
    pub(crate) async fn favourites(&self, user: UserId) -> Vec<GroupId> {
        let (favourites, pending) = {
            let guard = self.lock();
            (guard.state().favourites(user).collect(), guard.pending_write(StateKey::Account(user)))
        };
        if self.wait(pending).await { favourites } else { Vec::new() }
    }

    /// The limits of a lender and the exposure that they are compared with, once the limits are durable.
    pub(crate) async fn limits(&self, lender: UserId) -> Option<(LendingLimits, Exposure, bool)> {
        let (found, pending) = {
            let guard = self.lock();
            let limits = guard.state().accounts().limits();
            let set = limits.of(lender).cloned().unwrap_or_default();
            let found = (set, guard.state().exposure(lender), limits.is_absent(lender));
            (found, guard.pending_write(StateKey::Account(lender)))
        };
        self.wait(pending).await.then_some(found)
    }

    /// The user who signs in with a payment address, once that is durable.
    pub(crate) async fn user_of(&self, payment_address: &str) -> Option<UserId> {
        let (user, pending) = {
            let guard = self.lock();
            let user = guard.state().user_of(payment_address)?;
            (user, guard.pending_write(StateKey::Account(user)))
        };
        self.wait(pending).await.then_some(user)
    }

    /// A vault's balances, once its state is durable.
    pub(crate) async fn vault(&self, user: UserId) -> Option<VaultBalances> {
        let (balances, pending) = {
            let guard = self.lock();
            (guard.state().vault_balances(user), guard.pending_write(StateKey::Vault(user)))
        };
        if self.wait(pending).await { balances } else { None }
    }

    /// The result of reading a vault, once the state read is durable.
    pub(crate) async fn vault_ledger<T>(&self, user: UserId, read: impl FnOnce(&Vault) -> T) -> Option<T> {
        let (found, pending) = {
            let guard = self.lock();
            (guard.state().vault(user).map(read), guard.pending_write(StateKey::Vault(user)))
        };
        if self.wait(pending).await { found } else { None }
    }

    /// The signer's id of an offer, once that is durable.
    pub(crate) async fn admission(&self, offer: OfferId) -> Option<[u8; 32]> {
        let (admission, pending) = {
            let guard = self.lock();
            let (user, admission) = guard.state().admission(offer)?;
            (admission, guard.pending_write(StateKey::Vault(user)))
        };
        self.wait(pending).await.then_some(admission)
    }

    /// A loan, once its state is durable.
    pub(crate) async fn loan(&self, id: LoanId) -> Option<LoanAccount> {
        let (loan, pending) = {
            let guard = self.lock();
            (guard.state().loan(id).cloned(), guard.pending_write(StateKey::Loan(id)))
        };
        if self.wait(pending).await { loan } else { None }
    }

    /// The loans of a user on either side, the earliest prepared first, once their state is durable.
    pub(crate) async fn loans_of(&self, user: UserId) -> Vec<LoanAccount> {
        let (loans, pending) = {
            let guard = self.lock();
            (guard.state().loans().of(user).cloned().collect(), guard.pending_write(StateKey::LoansOf(user)))
        };
        if self.wait(pending).await { loans } else { Vec::new() }
    }

    /// Scans a user's loans after a place and keeps up to `wanted` that `pick` selects, once their state is durable;
    /// `None` when it never will be. The ledger is unlocked between batches, so that other callers do not wait for a
    /// long list. `rest` is the place of the last loan kept, or that of the `scan_max`-th.
    pub(crate) async fn pick_loans<T>(
        &self,
        user: UserId,
        mut range: LoanRange,
        (wanted, scan_max): (usize, usize),
        mut pick: impl FnMut(&LoanAccount, Sequence) -> Option<T>,
    ) -> Option<LoanScan<T>> {
        let (mut picked, mut scanned) = (Vec::new(), 0);
        let rest = loop {
            let (part, pending) = {
                let guard = self.lock();
                let part = guard.state().loans().scan(user, range, SCAN_BATCH, &mut pick);
                (part, guard.pending_write(StateKey::LoansOf(user)))
            };
            picked.extend(part.picked);
            scanned += SCAN_BATCH;
            let is_enough = picked.len() > wanted || scanned >= scan_max;
            if is_enough || part.rest.is_none() {
                if !self.wait(pending).await {
                    return None;
                }
                break part.rest;
            }
            range.after = part.rest;
            tokio::task::yield_now().await;
        };
        // One more than wanted shows that there is another page.
        let last_kept = (picked.len() > wanted).then(|| picked.get(wanted - 1).map(|(place, _)| *place)).flatten();
        picked.truncate(wanted);
        Some(LoanScan { picked, rest: last_kept.or(rest) })
    }

    /// The loans that the chain can still change, once their state is durable. Only their ids: thousands of loans are
    /// too much to copy at once.
    pub(crate) async fn watched_loans(&self) -> Vec<LoanId> {
        self.picked_loans(|loans| loans.watched().collect()).await
    }

    /// The loans that wait for their lender, once their state is durable.
    pub(crate) async fn loans_awaiting_lender(&self) -> Vec<LoanAccount> {
        self.picked_loans(|loans| loans.awaiting().cloned().collect()).await
    }

    async fn picked_loans<T>(&self, pick: impl FnOnce(&LoanIndex) -> Vec<T>) -> Vec<T> {
        let (loans, latest) = {
            let guard = self.lock();
            (pick(guard.state().loans()), guard.latest())
        };
        if self.wait_durable(latest).await { loans } else { Vec::new() }
    }

    /// An order for a transfer inscription, once the state of orders is durable.
    pub(crate) async fn order(&self, id: TransferOrderId) -> Option<TrackedOrder> {
        self.orders(|state| state.orders().get(id).cloned()).await
    }

    /// The result of reading the orders, once the state read is durable; the default when it never will be.
    pub(crate) async fn orders<T: Default>(&self, read: impl FnOnce(&LedgerState) -> T) -> T {
        let (found, pending) = {
            let guard = self.lock();
            (read(guard.state()), guard.pending_write(StateKey::Orders))
        };
        if self.wait(pending).await { found } else { T::default() }
    }

    /// Waits until everything committed so far is durable; returns whether it is.
    pub(crate) async fn wait_all_durable(&self) -> bool {
        let latest = self.lock().latest();
        self.wait_durable(latest).await
    }

    /// Waits until a commit is durable; returns whether it is.
    pub(crate) async fn wait_durable(&self, ticket: Ticket) -> bool {
        let mut progress = self.progress.subscribe();
        let reached = progress.wait_for(|progress| progress.durable >= ticket || progress.is_closed).await;
        reached.is_ok_and(|progress| progress.durable >= ticket)
    }

    /// Closes the ledger after the journal refused a batch: readers that wait for it stop waiting and get nothing.
    pub(crate) fn close(&self) {
        self.progress.send_modify(|progress| progress.is_closed = true);
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
                    | AccountEvent::FavouriteSet { user, .. },
                ) => StateKey::Account(*user),
                LedgerEvent::Vault(user, _) => StateKey::Vault(*user),
                LedgerEvent::Loan(id, _) => StateKey::Loan(*id),
                LedgerEvent::Order(_) => StateKey::Orders,
                LedgerEvent::Contact(event) => StateKey::Contact(event.user()),
                LedgerEvent::Account(AccountEvent::NonceUsed { .. })
                | LedgerEvent::Asset(_)
                | LedgerEvent::Message(_) => continue,
            };
            inner.last_writes.insert(key, ticket);
        }
        if inner.last_writes.len() > LAST_WRITES_MAX {
            let durable = self.progress.borrow().durable;
            inner.last_writes.retain(|_, write| *write > durable);
        }
        Committed { ticket: Some(ticket), ..inner.state.commit(events, at) }
    }

    /// The commit that a reader must wait for, if any.
    fn pending_write(&self, key: StateKey) -> Option<Ticket> {
        self.inner.last_writes.get(&key).copied().filter(|write| *write > self.progress.borrow().durable)
    }
}
