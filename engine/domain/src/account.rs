//! Users, and the nonces that their wallets have signed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use event::AccountEvent;
pub use rejection::AccountRejection;

use crate::{
    ApiKey, ApiKeys, Delegation, Delegations, GroupId, IdleAccounts, LendingLimits, LimitedLenders, QuotedDay,
    RefreshOutcome, Session, SessionId, Sessions, UnixMs, UserId,
};

mod delegations;
mod event;
mod keys;
mod rejection;
#[cfg(test)]
mod tests;

/// A single-use number that prevents replay of a signed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nonce(pub u128);

/// The addresses of a wallet at its latest sign-in. Already validated at the edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalletAddresses {
    /// The address for payments to the user; identifies the account.
    pub payment_address: String,
    /// Its public key in hexadecimal.
    pub payment_pubkey: String,
    /// The address that holds the user's assets.
    pub ordinal_address: String,
    /// Its public key in hexadecimal.
    pub ordinal_pubkey: String,
}

impl WalletAddresses {
    /// Whether both addresses are the same.
    #[must_use]
    pub fn is_one_address(&self) -> bool {
        self.payment_address == self.ordinal_address
    }
}

/// One account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Addresses of the latest sign-in.
    pub addresses: WalletAddresses,
    /// The generation that sessions must be of.
    pub generation: u64,
    /// Whether the key of the ordinals address has signed for it. Accounts from versions without this check sign in
    /// once more.
    pub is_ordinals_proven: bool,
}

/// All accounts, and the used nonces that have not expired yet.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    users: FxHashMap<UserId, Account>,
    by_payment_address: HashMap<String, UserId>,
    favourites: FxHashMap<UserId, BTreeSet<GroupId>>,
    used_nonces: HashMap<Nonce, UnixMs>,
    expiries: BTreeSet<(UnixMs, Nonce)>,
    sessions: Sessions,
    keys: ApiKeys,
    delegations: Delegations,
    limited: LimitedLenders,
    idle: IdleAccounts,
    latest_user: u64,
}

impl Accounts {
    /// The maximum number of favourites of one user.
    pub const FAVOURITES_MAX: usize = 1_000;

    /// The favourite collections of a user, by id.
    pub fn favourites(&self, user: UserId) -> impl Iterator<Item = GroupId> {
        self.favourites.get(&user).into_iter().flatten().copied()
    }

    /// Adds a collection to the favourites, or removes it; no event if that changes nothing.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownUser`], [`AccountRejection::TooManyFavourites`].
    pub fn set_favourite(
        &self,
        user: UserId,
        group: GroupId,
        is_favourite: bool,
    ) -> Result<Option<AccountEvent>, AccountRejection> {
        if !self.users.contains_key(&user) {
            return Err(AccountRejection::UnknownUser(user));
        }
        let known = self.favourites.get(&user);
        if known.is_some_and(|known| known.contains(&group)) == is_favourite {
            return Ok(None);
        }
        if is_favourite && known.is_some_and(|known| known.len() >= Self::FAVOURITES_MAX) {
            return Err(AccountRejection::TooManyFavourites { max: Self::FAVOURITES_MAX });
        }
        Ok(Some(AccountEvent::FavouriteSet { user, group, is_favourite }))
    }

    /// The account of a user.
    #[must_use]
    pub fn get(&self, user: UserId) -> Option<&Account> {
        self.users.get(&user)
    }

    /// The user who signs in with this payment address.
    #[must_use]
    pub fn by_payment_address(&self, address: &str) -> Option<UserId> {
        self.by_payment_address.get(address).copied()
    }

    /// The number of accounts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether there are no accounts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// Uses a nonce, once.
    ///
    /// # Errors
    /// [`AccountRejection::NonceUsed`] the second time, [`AccountRejection::Expired`] after its time.
    pub fn use_nonce(&self, nonce: Nonce, expires_at: UnixMs, now: UnixMs) -> Result<AccountEvent, AccountRejection> {
        if expires_at <= now {
            return Err(AccountRejection::Expired);
        }
        if self.used_nonces.contains_key(&nonce) {
            return Err(AccountRejection::NonceUsed);
        }
        Ok(AccountEvent::NonceUsed { nonce, expires_at })
    }

    /// Records a sign-in; the caller has verified a signature of each address. No events if nothing is new.
    #[must_use]
    pub fn sign_in(&self, addresses: &WalletAddresses) -> (UserId, Vec<AccountEvent>) {
        let known = self.by_payment_address(&addresses.payment_address);
        let user = known.unwrap_or(UserId(self.latest_user + 1));
        let same = self.users.get(&user).filter(|account| account.addresses == *addresses);
        let signed_in = same.is_none().then(|| AccountEvent::SignedIn { user, addresses: addresses.clone() });
        let is_proven = same.map_or(addresses.is_one_address(), |account| account.is_ordinals_proven);
        let proven = (!is_proven).then_some(AccountEvent::OrdinalsProven { user });
        (user, signed_in.into_iter().chain(proven).collect())
    }

    /// Opens a session for a wallet; the caller has verified a signature of each address. Also removes accounts without
    /// any activity.
    ///
    /// # Errors
    /// [`AccountRejection::TooManyNewAccounts`].
    pub fn open_session(
        &self,
        addresses: &WalletAddresses,
        agent: &str,
        now: UnixMs,
    ) -> Result<(UserId, SessionId, Vec<AccountEvent>), AccountRejection> {
        let (user, mut events) = self.sign_in(addresses);
        if !self.users.contains_key(&user) && !self.idle.has_room(now) {
            return Err(AccountRejection::TooManyNewAccounts);
        }
        let session = self.sessions.next_id();
        let length = agent.floor_char_boundary(Session::AGENT_LENGTH_MAX);
        events.push(AccountEvent::SessionOpened { user, session, agent: agent[..length].to_owned() });
        let removed = self.idle.to_remove(now).filter(|idle| *idle != user);
        events.extend(removed.map(|user| AccountEvent::Removed { user }));
        Ok((user, session, events))
    }

    /// Renews a session by the token of this number. No event if the token already has a successor, which is issued
    /// again.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownSession`]; [`AccountRejection::TokenReused`], after which every session of the user
    /// should be ended.
    pub fn renew_session(
        &self,
        session: SessionId,
        serial: u32,
        now: UnixMs,
    ) -> Result<Option<AccountEvent>, AccountRejection> {
        let unknown = AccountRejection::UnknownSession(session);
        let user = self.sessions.get(session, now).ok_or_else(|| unknown.clone())?.user;
        match self.sessions.renewal(session, serial, now).ok_or(unknown)? {
            RefreshOutcome::Next(serial) => Ok(Some(AccountEvent::SessionRenewed { user, session, serial })),
            RefreshOutcome::Same => Ok(None),
            RefreshOutcome::Reused => Err(AccountRejection::TokenReused),
        }
    }

    /// Ends one session of a user.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownSession`].
    pub fn end_session(&self, user: UserId, session: SessionId, now: UnixMs) -> Result<AccountEvent, AccountRejection> {
        let own = self.sessions.get(session, now).filter(|session| session.user == user);
        own.ok_or(AccountRejection::UnknownSession(session))?;
        Ok(AccountEvent::SessionEnded { user, session })
    }

    /// The lenders who have set limits.
    #[must_use]
    pub const fn limited(&self) -> &LimitedLenders {
        &self.limited
    }

    /// Sets a lender's limits. Their lender is present.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownUser`], [`AccountRejection::Limits`].
    pub fn set_limits(&self, user: UserId, limits: LendingLimits) -> Result<Vec<AccountEvent>, AccountRejection> {
        if !self.users.contains_key(&user) {
            return Err(AccountRejection::UnknownUser(user));
        }
        limits.check()?;
        let was_absent = self.limited.is_absent(user);
        let heard = was_absent.then_some(AccountEvent::AbsenceChanged { user, is_absent: false });
        Ok(heard.into_iter().chain([AccountEvent::LimitsSet { user, limits }]).collect())
    }

    /// Records that a lender became absent or was heard again; no event if that changes nothing, or the lender's
    /// limits do not ask for it.
    #[must_use]
    pub fn set_absence(&self, user: UserId, is_absent: bool) -> Option<AccountEvent> {
        let is_followed = self.limited.of(user).is_some_and(|limits| limits.absence_minutes.is_some());
        (is_followed && self.limited.is_absent(user) != is_absent)
            .then_some(AccountEvent::AbsenceChanged { user, is_absent })
    }

    /// The sessions that have not ended.
    #[must_use]
    pub const fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Records that state depends on an account, in this stream or another: it is never removed from now on.
    pub fn mark_active(&mut self, user: UserId) {
        self.idle.mark_active(user);
    }

    /// Ends every session of a user.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownUser`].
    pub fn sign_out(&self, user: UserId) -> Result<AccountEvent, AccountRejection> {
        let account = self.users.get(&user).ok_or(AccountRejection::UnknownUser(user))?;
        Ok(AccountEvent::SignedOut { user, generation: account.generation + 1 })
    }

    /// Applies an event. Nonces that expired before `at` are dropped.
    pub fn apply(&mut self, event: &AccountEvent, at: UnixMs) {
        match event {
            AccountEvent::SignedIn { user, addresses } => {
                let generation = self.users.get(user).map_or(0, |known| known.generation);
                // If both addresses are the same, the signature of the payment address proves the ordinals address,
                // too.
                let is_ordinals_proven = addresses.is_one_address();
                self.users.insert(*user, Account { addresses: addresses.clone(), generation, is_ordinals_proven });
                self.by_payment_address.insert(addresses.payment_address.clone(), *user);
                self.latest_user = self.latest_user.max(user.0);
                self.idle.touch(*user, at);
            }
            AccountEvent::NonceUsed { nonce, expires_at } => {
                self.used_nonces.insert(*nonce, *expires_at);
                self.expiries.insert((*expires_at, *nonce));
            }
            AccountEvent::SignedOut { user, generation } => {
                if let Some(account) = self.users.get_mut(user) {
                    account.generation = *generation;
                }
                self.sessions.end_all(*user);
            }
            AccountEvent::OrdinalsProven { user } => {
                if let Some(account) = self.users.get_mut(user) {
                    account.is_ordinals_proven = true;
                }
            }
            AccountEvent::SessionOpened { user, session, agent } => {
                self.sessions.open(*session, *user, agent.clone(), at);
                self.idle.touch(*user, at);
            }
            AccountEvent::SessionRenewed { user, session, serial } => {
                self.sessions.renew(*session, *serial, at);
                self.idle.touch(*user, at);
            }
            AccountEvent::SessionEnded { session, .. } => self.sessions.end(*session),
            AccountEvent::Removed { user } => self.remove_account(*user),
            AccountEvent::FavouriteSet { user, group, is_favourite: true } => {
                self.idle.mark_active(*user);
                self.favourites.entry(*user).or_default().insert(*group);
            }
            AccountEvent::LimitsSet { user, limits } => {
                self.idle.mark_active(*user);
                self.limited.set(*user, limits.clone());
            }
            AccountEvent::KeyCreated { user, key, terms, secret_hash } => {
                // Programs do not sign in, so without this a key would end with its idle account.
                self.idle.mark_active(*user);
                let (terms, quoted) = (Arc::clone(terms), QuotedDay::default());
                let (id, user, secret_hash) = (*key, *user, *secret_hash);
                self.keys.insert(ApiKey { id, user, terms, secret_hash, created_at: at, revoked_at: None, quoted }, at);
            }
            AccountEvent::KeyRevoked { key, .. } => self.keys.revoke(*key, at),
            AccountEvent::KeyQuoted { key, day, sum, .. } => {
                self.keys.set_quoted(*key, QuotedDay { day: *day, sum: *sum });
            }
            AccountEvent::DelegationCreated { user, delegation, signed } => {
                self.idle.mark_active(*user);
                let (id, user, signed) = (*delegation, *user, Arc::clone(signed));
                let created = Delegation {
                    id,
                    user,
                    signed,
                    created_at: at,
                    revoked_at: None,
                    confirmed_at: None,
                    latest_number: 0,
                };
                self.delegations.insert(created, at);
            }
            AccountEvent::DelegationRevoked { user, delegation } => {
                self.delegations.change(*user, *delegation, |it| it.revoked_at = Some(at));
            }
            AccountEvent::DelegationRevocationConfirmed { user, delegation } => {
                self.delegations.change(*user, *delegation, |it| it.confirmed_at = Some(at));
            }
            AccountEvent::DelegationNumberUsed { user, delegation, number } => {
                self.delegations.change(*user, *delegation, |it| it.latest_number = *number);
            }
            AccountEvent::AbsenceChanged { user, is_absent } => self.limited.set_absence(*user, *is_absent),
            AccountEvent::FavouriteSet { user, group, is_favourite: false } => {
                if let Some(favourites) = self.favourites.get_mut(user) {
                    favourites.remove(group);
                }
            }
        }
        while let Some(&(expires_at, nonce)) = self.expiries.first() {
            if expires_at > at {
                break;
            }
            self.expiries.remove(&(expires_at, nonce));
            self.used_nonces.remove(&nonce);
        }
        self.sessions.remove_ended(at);
    }

    fn remove_account(&mut self, user: UserId) {
        self.sessions.end_all(user);
        self.keys.remove_all(user);
        self.delegations.remove_all(user);
        self.idle.remove(user);
        self.favourites.remove(&user);
        if let Some(account) = self.users.remove(&user) {
            self.by_payment_address.remove(&account.addresses.payment_address);
        }
    }
}
