//! The events of the accounts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Nonce, WalletAddresses};
use crate::{
    ApiKeyId, ApiKeyTerms, DelegationId, GroupId, LendingLimits, Sats, SessionId, SignedDelegation, UnixMs, UserId,
};

/// An event of the accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountEvent {
    /// A user signed in for the first time, or with other companion addresses.
    SignedIn {
        /// The user.
        user: UserId,
        /// The addresses of the wallet.
        addresses: WalletAddresses,
    },
    /// A nonce was used; it is remembered until its message would have expired anyway.
    #[serde(rename = "NonceBurned")]
    NonceUsed {
        /// The nonce.
        nonce: Nonce,
        /// The expiry of its message.
        expires_at: UnixMs,
    },
    /// Every session of the user ended; tokens issued before are void.
    SignedOut {
        /// The user.
        user: UserId,
        /// The new generation; sessions of an earlier one are refused.
        generation: u64,
    },
    /// A collection became a favourite of the user, or stopped being one.
    FavouriteSet {
        /// The user.
        user: UserId,
        /// The collection.
        group: GroupId,
        /// Whether it is a favourite now.
        is_favourite: bool,
    },
    /// The ordinals address of the user's latest sign-in was proven by a signature of its key.
    OrdinalsProven {
        /// The user.
        user: UserId,
    },
    /// A session began.
    SessionOpened {
        /// The user.
        user: UserId,
        /// The session.
        session: SessionId,
        /// The client's user agent.
        agent: String,
    },
    /// A session was renewed: from now on the token of this number renews it.
    SessionRenewed {
        /// The user.
        user: UserId,
        /// The session.
        session: SessionId,
        /// The number of the new token.
        serial: u32,
    },
    /// One session of the user ended.
    SessionEnded {
        /// The user.
        user: UserId,
        /// The session.
        session: SessionId,
    },
    /// An account without any activity was removed. The same wallet then opens a new one.
    #[serde(rename = "LetGo")]
    Removed {
        /// The user.
        user: UserId,
    },
    /// A lender set limits, in place of all earlier ones.
    LimitsSet {
        /// The lender.
        user: UserId,
        /// The limits.
        limits: LendingLimits,
    },
    /// A lender with a limit on absence became absent, or was heard again.
    AbsenceChanged {
        /// The lender.
        user: UserId,
        /// Whether the lender is absent now.
        is_absent: bool,
    },
    /// An API key was created.
    KeyCreated {
        /// The user.
        user: UserId,
        /// The key.
        key: ApiKeyId,
        /// Its rights and limits.
        terms: Arc<ApiKeyTerms>,
        /// The BLAKE3 hash of its secret.
        secret_hash: [u8; 32],
    },
    /// An API key was revoked.
    KeyRevoked {
        /// The user.
        user: UserId,
        /// The key.
        key: ApiKeyId,
    },
    /// The sum of principals that an API key has quoted on a UTC day changed.
    KeyQuoted {
        /// The user.
        user: UserId,
        /// The key.
        key: ApiKeyId,
        /// The number of the day since 1970.
        day: u64,
        /// The new sum.
        sum: Sats,
    },
    /// A lender delegated quotes to a program.
    DelegationCreated {
        /// The lender.
        user: UserId,
        /// The delegation.
        delegation: DelegationId,
        /// The signed message.
        signed: Arc<SignedDelegation>,
    },
    /// A delegation was revoked: the server accepts nothing under it any more.
    DelegationRevoked {
        /// The lender.
        user: UserId,
        /// The delegation.
        delegation: DelegationId,
    },
    /// The vault signer has logged the revocation of a delegation.
    DelegationRevocationConfirmed {
        /// The lender.
        user: UserId,
        /// The delegation.
        delegation: DelegationId,
    },
    /// A program used the number of a text under a delegation.
    DelegationNumberUsed {
        /// The lender.
        user: UserId,
        /// The delegation.
        delegation: DelegationId,
        /// The number: lower ones are refused from now on, and this one.
        number: u64,
    },
}
