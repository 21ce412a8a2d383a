//! Users, and the nonces their wallets have signed.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{GroupId, UnixMs, UserId};

/// A single-use number that makes a signed message unrepeatable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nonce(pub u128);

/// The addresses a wallet showed at its latest sign-in. Already checked at the edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalletAddresses {
    /// Where the person is paid; identifies the account.
    pub payment_address: String,
    /// Its public key in hexadecimal.
    pub payment_pubkey: String,
    /// Where the person keeps assets.
    pub ordinal_address: String,
    /// Its public key in hexadecimal.
    pub ordinal_pubkey: String,
}

/// Something that happened to the accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountEvent {
    /// Somebody signed in for the first time, or with other companion addresses.
    SignedIn {
        /// Who.
        user: UserId,
        /// With which wallet.
        addresses: WalletAddresses,
    },
    /// A nonce was used; it is remembered until it would have expired anyway.
    NonceBurned {
        /// Which nonce.
        nonce: Nonce,
        /// When a message with it expires.
        expires_at: UnixMs,
    },
    /// Every session of the user ended; tokens issued before are void.
    SignedOut {
        /// Who.
        user: UserId,
        /// Sessions of an earlier generation are refused.
        generation: u64,
    },
    /// A collection became a favourite of the user, or is none any more.
    FavouriteSet {
        /// Whose.
        user: UserId,
        /// Which collection.
        group: GroupId,
        /// Whether it is one.
        is_favourite: bool,
    },
}

/// Why an account command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccountRejection {
    /// The nonce was used before.
    #[error("nonce was used already")]
    NonceUsed,
    /// The message expired.
    #[error("message expired")]
    Expired,
    /// Nobody has this id.
    #[error("no user {0}")]
    UnknownUser(UserId),
    /// The user has as many favourites as there can be.
    #[error("nobody has more than {max} favourites")]
    TooManyFavourites {
        /// How many there can be.
        max: usize,
    },
}

/// One account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Addresses of the latest sign-in.
    pub addresses: WalletAddresses,
    /// Sessions must be of this generation.
    pub generation: u64,
}

/// All accounts and the burned nonces that have not expired yet.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    users: HashMap<UserId, Account>,
    by_payment_address: HashMap<String, UserId>,
    favourites: HashMap<UserId, BTreeSet<GroupId>>,
    burned: HashMap<Nonce, UnixMs>,
    expiries: BTreeSet<(UnixMs, Nonce)>,
    latest_user: u64,
}

impl Accounts {
    /// The most favourites of one user.
    pub const FAVOURITES_MAX: usize = 1_000;

    /// The favourite collections of a user, by id.
    pub fn favourites(&self, user: UserId) -> impl Iterator<Item = GroupId> {
        self.favourites.get(&user).into_iter().flatten().copied()
    }

    /// Makes a collection a favourite, or ends that; no event when it is so already.
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

    /// Who signs in with this payment address.
    #[must_use]
    pub fn by_payment_address(&self, address: &str) -> Option<UserId> {
        self.by_payment_address.get(address).copied()
    }

    /// How many people ever signed in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether nobody ever signed in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// Burns a nonce, once.
    ///
    /// # Errors
    /// [`AccountRejection::NonceUsed`] the second time, [`AccountRejection::Expired`] after its time.
    pub fn burn(&self, nonce: Nonce, expires_at: UnixMs, now: UnixMs) -> Result<AccountEvent, AccountRejection> {
        if expires_at <= now {
            return Err(AccountRejection::Expired);
        }
        if self.burned.contains_key(&nonce) {
            return Err(AccountRejection::NonceUsed);
        }
        Ok(AccountEvent::NonceBurned { nonce, expires_at })
    }

    /// Records a sign-in whose signature the caller has verified; no event when nothing is new.
    #[must_use]
    pub fn sign_in(&self, addresses: &WalletAddresses) -> (UserId, Option<AccountEvent>) {
        match self.by_payment_address(&addresses.payment_address) {
            Some(user) if self.users.get(&user).is_some_and(|known| known.addresses == *addresses) => (user, None),
            known => {
                let user = known.unwrap_or(UserId(self.latest_user + 1));
                (user, Some(AccountEvent::SignedIn { user, addresses: addresses.clone() }))
            }
        }
    }

    /// Ends every session of a user.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownUser`].
    pub fn sign_out(&self, user: UserId) -> Result<AccountEvent, AccountRejection> {
        let account = self.users.get(&user).ok_or(AccountRejection::UnknownUser(user))?;
        Ok(AccountEvent::SignedOut { user, generation: account.generation + 1 })
    }

    /// Takes an event in. Nonces that expired before `at` are forgotten.
    pub fn apply(&mut self, event: &AccountEvent, at: UnixMs) {
        match event {
            AccountEvent::SignedIn { user, addresses } => {
                let generation = self.users.get(user).map_or(0, |known| known.generation);
                self.users.insert(*user, Account { addresses: addresses.clone(), generation });
                self.by_payment_address.insert(addresses.payment_address.clone(), *user);
                self.latest_user = self.latest_user.max(user.0);
            }
            AccountEvent::NonceBurned { nonce, expires_at } => {
                self.burned.insert(*nonce, *expires_at);
                self.expiries.insert((*expires_at, *nonce));
            }
            AccountEvent::SignedOut { user, generation } => {
                if let Some(account) = self.users.get_mut(user) {
                    account.generation = *generation;
                }
            }
            AccountEvent::FavouriteSet { user, group, is_favourite: true } => {
                self.favourites.entry(*user).or_default().insert(*group);
            }
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
            self.burned.remove(&nonce);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(payment: &str) -> WalletAddresses {
        WalletAddresses {
            payment_address: payment.to_owned(),
            payment_pubkey: "02".to_owned(),
            ordinal_address: "bcrt1p".to_owned(),
            ordinal_pubkey: "aa".to_owned(),
        }
    }

    #[test]
    fn a_nonce_burns_once_and_is_forgotten_when_it_expires() {
        let mut accounts = Accounts::default();
        let burn = accounts.burn(Nonce(7), UnixMs(100), UnixMs(10)).unwrap();
        accounts.apply(&burn, UnixMs(10));
        assert_eq!(accounts.burn(Nonce(7), UnixMs(100), UnixMs(99)), Err(AccountRejection::NonceUsed));
        assert_eq!(accounts.burn(Nonce(7), UnixMs(100), UnixMs(100)), Err(AccountRejection::Expired));
        let other = accounts.burn(Nonce(8), UnixMs(300), UnixMs(200)).unwrap();
        accounts.apply(&other, UnixMs(200));
        assert_eq!(accounts.burned.len(), 1);
    }

    #[test]
    fn favourites_are_set_once_and_bounded() {
        let mut accounts = Accounts::default();
        let (user, event) = accounts.sign_in(&addresses("bcrt1qlender"));
        assert_eq!(accounts.set_favourite(user, GroupId(1), true), Err(AccountRejection::UnknownUser(user)));
        accounts.apply(&event.unwrap(), UnixMs(1));
        assert_eq!(accounts.set_favourite(user, GroupId(1), false), Ok(None));
        let max = Accounts::FAVOURITES_MAX;
        for number in 0..u32::try_from(max).unwrap() {
            let event = accounts.set_favourite(user, GroupId(number), true).unwrap().unwrap();
            accounts.apply(&event, UnixMs(2));
        }
        assert_eq!(accounts.set_favourite(user, GroupId(0), true), Ok(None));
        let full = accounts.set_favourite(user, GroupId(u32::MAX), true);
        assert_eq!(full, Err(AccountRejection::TooManyFavourites { max }));
        let event = accounts.set_favourite(user, GroupId(0), false).unwrap().unwrap();
        accounts.apply(&event, UnixMs(3));
        assert_eq!(accounts.favourites(user).next(), Some(GroupId(1)));
        assert!(accounts.set_favourite(user, GroupId(u32::MAX), true).unwrap().is_some());
        assert_eq!(accounts.favourites(UserId(99)).count(), 0);
    }

    #[test]
    fn a_wallet_keeps_its_user_id_and_signing_out_ends_its_sessions() {
        let mut accounts = Accounts::default();
        let (lender, event) = accounts.sign_in(&addresses("bcrt1qlender"));
        accounts.apply(&event.unwrap(), UnixMs(1));
        assert_eq!(accounts.sign_in(&addresses("bcrt1qlender")), (lender, None));
        let (borrower, event) = accounts.sign_in(&addresses("bcrt1qborrower"));
        accounts.apply(&event.unwrap(), UnixMs(2));
        assert_ne!(lender, borrower);
        let out = accounts.sign_out(lender).unwrap();
        accounts.apply(&out, UnixMs(3));
        assert_eq!(accounts.get(lender).unwrap().generation, 1);
        assert_eq!(accounts.get(borrower).unwrap().generation, 0);
        assert_eq!(accounts.sign_out(UserId(99)), Err(AccountRejection::UnknownUser(UserId(99))));
    }
}
