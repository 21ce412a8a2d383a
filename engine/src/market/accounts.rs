//! Accounts and vaults: state that belongs to no single book.

use std::sync::Arc;

use domain::{
    Account, AccountEvent, AccountRejection, GroupId, Sats, Session, SessionId, Stream, UnixMs, UserId, WalletAddresses,
};
use tokio::sync::oneshot;

use crate::{
    NonceUse, Refusal, command_trace,
    journal::Batch,
    ledger::{LedgerEvent, LedgerState, VaultBalances},
    wire::VaultView,
};

use super::{Market, SignedIn};

/// The result of a ledger operation once it is durable, and the balances of the vaults it changed.
type Outcome<T> = Result<(T, Vec<VaultBalances>), Refusal>;

impl Market {
    /// Records a sign-in; the caller has verified a signature of each address.
    pub async fn sign_in(&self, addresses: &WalletAddresses, nonce_use: NonceUse) -> Result<SignedIn, Refusal> {
        let (signed_in, _) = self
            .on_ledger(|ledger, now| {
                let mut events = vec![ledger.use_nonce(nonce_use, now)?];
                let (user, signed_in) = ledger.sign_in(addresses);
                events.extend(signed_in);
                let generation = ledger.account(user).map_or(0, |account| account.generation);
                Ok((events, SignedIn { user, generation }))
            })
            .await?;
        Ok(signed_in)
    }

    /// Opens a session for a wallet; the caller has verified a signature of each address.
    ///
    /// # Errors
    /// Those of [`domain::Accounts::use_nonce`] and [`domain::Accounts::open_session`].
    pub async fn open_session(
        &self,
        addresses: &WalletAddresses,
        agent: &str,
        nonce_use: NonceUse,
    ) -> Result<(SessionId, Session), Refusal> {
        let (id, _) = self
            .on_ledger(|ledger, now| {
                let used = ledger.use_nonce(nonce_use, now)?;
                let (_, id, opened) = ledger.accounts().open_session(addresses, agent, now)?;
                let opened = opened.into_iter().map(LedgerEvent::Account);
                Ok((std::iter::once(used).chain(opened).collect(), id))
            })
            .await?;
        self.session(id).await.map(|(session, _)| (id, session)).ok_or(Refusal::Closed)
    }

    /// Renews a session by the token of this number; returns the session after the renewal. Reuse of a token ends every
    /// session of its user.
    ///
    /// # Errors
    /// Those of [`domain::Accounts::renew_session`].
    pub async fn renew_session(&self, id: SessionId, serial: u32) -> Result<Session, Refusal> {
        let renewed = self
            .on_ledger(|ledger, now| {
                let unknown = AccountRejection::UnknownSession(id);
                let mut session = ledger.accounts().sessions().get(id, now).ok_or(unknown)?.clone();
                let event = ledger.accounts().renew_session(id, serial, now)?;
                if let Some(AccountEvent::SessionRenewed { serial, .. }) = event {
                    (session.serial, session.used_at) = (serial, now);
                }
                Ok((event.map(LedgerEvent::Account).into_iter().collect(), session))
            })
            .await;
        // Waits until the session's state is durable, also where there was nothing to write.
        let seen = self.session(id).await;
        match renewed {
            Ok((session, _)) => Ok(session),
            Err(refusal) => {
                if let (Refusal::Account(AccountRejection::TokenReused), Some((session, _))) = (&refusal, seen) {
                    self.sign_out(session.user).await?;
                }
                Err(refusal)
            }
        }
    }

    /// A session that has not ended and its account, once durable.
    pub async fn session(&self, id: SessionId) -> Option<(Session, Account)> {
        self.shared.ledger.session(id, self.shared.clock.now()).await
    }

    /// The sessions of a user that have not ended, in the order in which they were opened.
    pub async fn sessions(&self, user: UserId) -> Vec<(SessionId, Session)> {
        self.shared.ledger.sessions(user, self.shared.clock.now()).await
    }

    /// Ends one session of a user.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownSession`].
    pub async fn end_session(&self, user: UserId, id: SessionId) -> Result<(), Refusal> {
        let end = |ledger: &LedgerState, now| {
            let event = ledger.accounts().end_session(user, id, now)?;
            Ok((vec![LedgerEvent::Account(event)], ()))
        };
        self.on_ledger(end).await.map(drop)
    }

    /// Ends every session of a user; returns the generation from which on tokens are valid again.
    pub async fn sign_out(&self, user: UserId) -> Result<u64, Refusal> {
        let (generation, _) = self
            .on_ledger(|ledger, _| {
                let event = ledger.sign_out(user)?;
                let generation = ledger.account(user).map_or(0, |account| account.generation) + 1;
                Ok((vec![event], generation))
            })
            .await?;
        self.shared.close_private(user);
        Ok(generation)
    }

    /// Uses a nonce and does nothing else.
    pub async fn use_nonce(&self, nonce_use: NonceUse) -> Result<(), Refusal> {
        self.on_ledger(|ledger, now| Ok((vec![ledger.use_nonce(nonce_use, now)?], ()))).await.map(drop)
    }

    /// Refuses a nonce that was used, without using it. Only the use together with a command is binding; this
    /// check reports a reused nonce before anything else is requested.
    pub async fn check_unused(&self, nonce_use: NonceUse) -> Result<(), Refusal> {
        self.on_ledger(|ledger, now| ledger.use_nonce(nonce_use, now).map_err(Refusal::from).map(|_| (Vec::new(), ())))
            .await
            .map(drop)
    }

    /// An account, once durable. Waits only while a change of this account is being written.
    pub async fn account(&self, user: UserId) -> Option<Account> {
        self.shared.ledger.account(user).await
    }

    /// The favourite collections of a user, by id.
    pub async fn favourites(&self, user: UserId) -> Vec<GroupId> {
        self.shared.ledger.favourites(user).await
    }

    /// Adds a collection to the favourites or removes it; returns all favourites after that.
    ///
    /// # Errors
    /// [`Refusal::UnknownGroup`], [`domain::AccountRejection::TooManyFavourites`].
    pub async fn set_favourite(
        &self,
        user: UserId,
        group: GroupId,
        is_favourite: bool,
    ) -> Result<Vec<GroupId>, Refusal> {
        self.group(group).ok_or(Refusal::UnknownGroup)?;
        self.on_ledger(|ledger, _| {
            let event = ledger.set_favourite(user, group, is_favourite)?;
            Ok((event.into_iter().collect(), ()))
        })
        .await?;
        Ok(self.favourites(user).await)
    }

    /// The user who signs in with this payment address.
    pub async fn user_of(&self, payment_address: &str) -> Option<UserId> {
        self.shared.ledger.user_of(payment_address).await
    }

    /// A lender's vault; `None` until it was opened or credited.
    pub async fn vault(&self, user: UserId) -> Option<VaultView> {
        let balances = self.shared.ledger.vault(user).await?;
        Some(self.shared.vault_view(balances))
    }

    /// Credits sats that arrived; crediting zero opens the vault.
    pub async fn credit_vault(&self, user: UserId, amount: Sats) -> Result<VaultView, Refusal> {
        self.move_vault(|ledger, _| Ok(vec![ledger.credit(user, amount)?])).await
    }

    /// Credits sats that arrived and uses a nonce in the same batch: with one nonce it happens at most once, however
    /// often it is requested.
    pub async fn credit_vault_once(
        &self,
        user: UserId,
        amount: Sats,
        nonce_use: NonceUse,
    ) -> Result<VaultView, Refusal> {
        self.move_vault(|ledger, now| Ok(vec![ledger.use_nonce(nonce_use, now)?, ledger.credit(user, amount)?])).await
    }

    /// Debits usable sats.
    pub async fn debit_vault(&self, user: UserId, amount: Sats) -> Result<VaultView, Refusal> {
        self.move_vault(|ledger, _| Ok(vec![ledger.debit(user, amount)?])).await
    }

    async fn move_vault(
        &self,
        act: impl FnOnce(&LedgerState, UnixMs) -> Result<Vec<LedgerEvent>, Refusal>,
    ) -> Result<VaultView, Refusal> {
        let ((), vaults) = self.on_ledger(|ledger, now| Ok((act(ledger, now)?, ()))).await?;
        vaults.first().map(|balances| self.shared.vault_view(*balances)).ok_or(Refusal::Closed)
    }

    /// Decides on the ledger alone, and answers once it is durable. Refusals wait, too: they reveal other commits.
    pub(super) async fn on_ledger<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&LedgerState, UnixMs) -> Result<(Vec<LedgerEvent>, T), Refusal>,
    ) -> Outcome<T> {
        self.shared.check_deciding()?;
        self.shared.commit_waiter.check_capacity()?;
        match self.commit(decide) {
            Ok(answer) => answer.await.unwrap_or(Err(Refusal::Closed)),
            Err(refusal) => {
                self.shared.ledger.wait_all_durable().await;
                Err(refusal)
            }
        }
    }

    fn commit<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&LedgerState, UnixMs) -> Result<(Vec<LedgerEvent>, T), Refusal>,
    ) -> Result<oneshot::Receiver<Outcome<T>>, Refusal> {
        let shared = Arc::clone(&self.shared);
        let now = shared.clock.now();
        let mut ledger = self.shared.ledger.lock();
        // Again, under the lock, which is held where the market stops deciding.
        shared.check_deciding()?;
        let (events, value) = decide(ledger.state(), now)?;
        let (reply, answer) = oneshot::channel();
        if events.is_empty() {
            // Nothing to write; the caller then reads durable state. The receiver is still held here, so the send
            // cannot fail.
            let _ = reply.send(Ok((value, Vec::new())));
            return Ok(answer);
        }
        let mut committed = ledger.commit(events, now);
        let appends = std::mem::take(&mut committed.appends);
        debug_assert!(appends.iter().all(|append| !matches!(append.stream, Stream::Book(_))));
        let durable = shared.journal.append(Batch { at: now, appends });
        let (ticket, vaults) = (committed.ticket, std::mem::take(&mut committed.vaults));
        let loans = std::mem::take(&mut committed.loans);
        let halts = std::mem::take(&mut committed.halts);
        let span = command_trace::commit();
        self.shared.commit_waiter.run_when_durable(durable, move |outcome| {
            drop(span);
            match (&outcome, ticket) {
                (Ok(()), Some(ticket)) => shared.ledger.mark_durable(ticket),
                (Ok(()), None) => {}
                (Err(_), _) => shared.ledger.close(),
            }
            if outcome.is_ok() {
                shared.publish_vaults(&vaults);
                shared.publish_loans(&loans);
                shared.publish_halts(halts);
            }
            // The receiver may have been dropped; the commit holds regardless.
            let _ = reply.send(outcome.map(|()| (value, vaults)));
        });
        drop(ledger);
        self.shared.notify_books(&committed, None);
        Ok(answer)
    }
}
