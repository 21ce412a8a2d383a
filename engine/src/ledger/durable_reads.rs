//! Reads of the ledger that return once the state read is durable.

use domain::{
    Account, ApiKey, ApiKeyId, Contact, Delegation, Exposure, GroupId, LendingLimits, LoanAccount, LoanId, OfferId,
    Session, SessionId, TrackedOrder, TransferOrderId, UnixMs, UserId, Vault,
};

use super::{Ledger, LedgerState, LoanIndex, LoanRange, LoanScan, SCAN_BATCH, StateKey, VaultBalances};
use crate::journal::Sequence;

impl Ledger {
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

    /// An API key, also one that has ended, and its account, once their state is durable.
    pub(crate) async fn api_key(&self, id: ApiKeyId) -> Option<(ApiKey, Account)> {
        let (key, account, pending) = {
            let guard = self.lock();
            let key = guard.state().accounts().keys().get(id)?.clone();
            let account = guard.state().account(key.user)?.clone();
            let pending = guard.pending_write(StateKey::Account(key.user));
            (key, account, pending)
        };
        self.wait(pending).await.then_some((key, account))
    }

    /// The API keys of a user, also those that have ended, once their state is durable.
    pub(crate) async fn api_keys(&self, user: UserId) -> Vec<ApiKey> {
        let (keys, pending) = {
            let guard = self.lock();
            let keys = guard.state().accounts().keys().of(user).cloned().collect();
            (keys, guard.pending_write(StateKey::Account(user)))
        };
        if self.wait(pending).await { keys } else { Vec::new() }
    }

    /// The delegations of a lender, also those that have ended, once their state is durable.
    pub(crate) async fn delegations(&self, user: UserId) -> Vec<Delegation> {
        let (delegations, pending) = {
            let guard = self.lock();
            let delegations = guard.state().accounts().delegations().of(user).cloned().collect();
            (delegations, guard.pending_write(StateKey::Account(user)))
        };
        if self.wait(pending).await { delegations } else { Vec::new() }
    }

    /// The favourite collections of a user, once their state is durable.
    pub(crate) async fn favourites(&self, user: UserId) -> Vec<GroupId> {
        let (favourites, pending) = {
            let guard = self.lock();
            (guard.state().favourites(user).collect(), guard.pending_write(StateKey::Account(user)))
        };
        if self.wait(pending).await { favourites } else { Vec::new() }
    }

    /// The limits of a lender, the exposure that they are compared with, and whether the lender is absent, once their
    /// state is durable.
    pub(crate) async fn limits(&self, lender: UserId) -> Option<(LendingLimits, Exposure, bool)> {
        let (found, pending) = {
            let guard = self.lock();
            let limits = guard.state().accounts().limited();
            let set = limits.of(lender).cloned().unwrap_or_default();
            let found = (set, guard.state().exposure(lender).clone(), limits.is_absent(lender));
            let keys = [StateKey::Account(lender), StateKey::LoansOf(lender)];
            (found, keys.into_iter().filter_map(|key| guard.pending_write(key)).max())
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
}
