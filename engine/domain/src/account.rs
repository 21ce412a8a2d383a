//! Users, and the nonces their wallets have signed.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{UnixMs, UserId};

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
    burned: HashMap<Nonce, UnixMs>,
    expiries: BTreeSet<(UnixMs, Nonce)>,
    latest_user: u64,
}

impl Accounts {
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
