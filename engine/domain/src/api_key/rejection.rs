//! The errors of API keys.

use std::net::IpAddr;

use thiserror::Error;

use crate::{ApiKeyId, GroupId, KeyScope, Sats, UnixMs};

/// The reason why a key was not created, or refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ApiKeyRejection {
    /// The user has no such key.
    #[error("no API key {0}")]
    Unknown(ApiKeyId),
    /// The user has the maximum number of keys.
    #[error("at most {max} API keys per user")]
    TooMany {
        /// The maximum.
        max: usize,
    },
    /// Terms that no key can have.
    #[error("the field {field} of the API key is out of bounds")]
    TermsOutOfBounds {
        /// The field.
        field: &'static str,
    },
    /// The key was revoked.
    #[error("the API key was revoked")]
    Revoked {
        /// The time of the revocation.
        at: UnixMs,
    },
    /// The key has expired.
    #[error("the API key has expired")]
    Expired {
        /// The time until which it was valid.
        at: UnixMs,
    },
    /// The key is restricted to other networks.
    #[error("the API key is not valid from {address}")]
    AddressNotAllowed {
        /// The address of the request.
        address: IpAddr,
    },
    /// The key lacks a scope.
    #[error("the API key lacks the scope {scope}")]
    ScopeMissing {
        /// The scope that the request needs.
        scope: KeyScope,
    },
    /// The key may not quote in the collection.
    #[error("the API key does not quote in collection {group}")]
    CollectionNotAllowed {
        /// The collection.
        group: GroupId,
    },
    /// The principal of an offer is above the key's limit.
    #[error("the principal {principal} is above the API key's limit of {max} for one offer")]
    PrincipalAboveLimit {
        /// The principal.
        principal: Sats,
        /// The limit.
        max: Sats,
    },
    /// The principal of open offers and running loans would be above the key's limit.
    #[error("open offers and running loans of {sum} would be above the API key's limit of {max}")]
    OutstandingAboveLimit {
        /// The sum that there would be.
        sum: Sats,
        /// The limit.
        max: Sats,
    },
    /// The principal quoted today would be above the key's limit.
    #[error("{sum} quoted today would be above the API key's limit of {max}")]
    DailyAboveLimit {
        /// The sum that there would be.
        sum: Sats,
        /// The limit.
        max: Sats,
    },
}
