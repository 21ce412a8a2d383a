//! API keys, with which programs act for a user within signed terms.

mod rejection;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use rejection::ApiKeyRejection;

use crate::{AddressRange, ApiKeyId, GroupId, KeyScope, Sats, UnixMs, UserId};

/// The rights and limits of a key, as its user signed them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKeyTerms {
    /// The user's name for it.
    pub name: String,
    /// The permitted groups of requests.
    pub scopes: BTreeSet<KeyScope>,
    /// The largest principal of one offer.
    pub principal_max: Sats,
    /// The largest sum of the principals of all the user's open offers and running loans at once.
    pub outstanding_max: Sats,
    /// The largest sum of principals quoted in a UTC day.
    pub daily_max: Sats,
    /// The collections that it may quote in; `None` for all.
    pub collections: Option<BTreeSet<GroupId>>,
    /// The networks that it may be used from; `None` for any.
    pub addresses: Option<BTreeSet<AddressRange>>,
    /// The time from which it is refused.
    pub valid_until: UnixMs,
    /// Whether the wallet of its user is a hardware wallet, as reported at sign-in.
    pub is_hardware_wallet: bool,
}

/// The sum of principals that a key has quoted on the latest UTC day on which it quoted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotedDay {
    /// The number of the day since 1970.
    pub day: u64,
    /// The sum.
    pub sum: Sats,
}

impl QuotedDay {
    /// Returns the sum on a day.
    #[must_use]
    pub fn on(self, day: u64) -> Sats {
        if self.day == day { self.sum } else { Sats::ZERO }
    }
}

/// A key of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// Its user.
    pub user: UserId,
    /// Its rights and limits.
    pub terms: Arc<ApiKeyTerms>,
    /// The BLAKE3 hash of its secret.
    pub secret_hash: [u8; 32],
    /// The time of its creation.
    pub created_at: UnixMs,
    /// The time of its revocation; `None` if it was not revoked.
    pub revoked_at: Option<UnixMs>,
    /// The sum that it has quoted on one day.
    pub quoted: QuotedDay,
}

/// Offers of one collection that a key is about to quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyQuote {
    /// The collection.
    pub group: GroupId,
    /// The principal of each offer; the largest one if it follows the floor.
    pub principal: Sats,
    /// The number of offers.
    pub count: u8,
}

impl KeyQuote {
    /// Returns the sum of the principals, saturated.
    #[must_use]
    pub fn sum(&self) -> Sats {
        Sats::new(self.principal.get().saturating_mul(u64::from(self.count)))
    }
}

impl ApiKeyTerms {
    /// The maximum length of a name, in bytes.
    pub const NAME_LENGTH_MAX: usize = 32;
    /// The longest validity, in milliseconds: 365 days.
    pub const VALIDITY_MS_MAX: u64 = 365 * 24 * 3_600_000;
    /// The most collections, or networks, that one key lists.
    pub const LISTED_MAX: usize = 50;

    /// Checks the bounds of a key that is created now.
    ///
    /// # Errors
    /// [`ApiKeyRejection::TermsOutOfBounds`] names the field.
    pub fn check(&self, now: UnixMs) -> Result<(), ApiKeyRejection> {
        let is_listed = |count: Option<usize>| count.is_none_or(|count| (1..=Self::LISTED_MAX).contains(&count));
        let refused = |field: &'static str| Err(ApiKeyRejection::TermsOutOfBounds { field });
        if !(1..=Self::NAME_LENGTH_MAX).contains(&self.name.len()) {
            return refused("name");
        }
        if self.scopes.is_empty() {
            return refused("scopes");
        }
        if [self.principal_max, self.outstanding_max, self.daily_max].contains(&Sats::ZERO) {
            return refused("limits");
        }
        if !is_listed(self.collections.as_ref().map(BTreeSet::len)) {
            return refused("collections");
        }
        if !is_listed(self.addresses.as_ref().map(BTreeSet::len)) {
            return refused("addresses");
        }
        if self.valid_until <= now || self.valid_until > now.plus_ms(Self::VALIDITY_MS_MAX) {
            return refused("validUntil");
        }
        Ok(())
    }
}

impl ApiKey {
    /// The maximum number of keys of one user that are neither revoked nor expired.
    pub const PER_USER_MAX: usize = 20;
    /// The number of revoked and expired keys of one user that stay known; the earliest are forgotten first.
    pub const ENDED_MAX: usize = 20;

    /// Whether it is neither revoked nor expired.
    #[must_use]
    pub fn is_open(&self, now: UnixMs) -> bool {
        self.check_open(now).is_ok()
    }

    /// Refuses a key that is revoked or expired.
    ///
    /// # Errors
    /// [`ApiKeyRejection::Revoked`], [`ApiKeyRejection::Expired`].
    pub fn check_open(&self, now: UnixMs) -> Result<(), ApiKeyRejection> {
        if let Some(at) = self.revoked_at {
            return Err(ApiKeyRejection::Revoked { at });
        }
        let at = self.terms.valid_until;
        if at <= now { Err(ApiKeyRejection::Expired { at }) } else { Ok(()) }
    }

    /// Checks a use of the key from an address.
    ///
    /// # Errors
    /// Those of [`Self::check_open`], [`ApiKeyRejection::AddressNotAllowed`].
    pub fn check_use(&self, address: IpAddr, now: UnixMs) -> Result<(), ApiKeyRejection> {
        self.check_open(now)?;
        let is_allowed =
            self.terms.addresses.as_ref().is_none_or(|ranges| ranges.iter().any(|range| range.contains(address)));
        if is_allowed { Ok(()) } else { Err(ApiKeyRejection::AddressNotAllowed { address }) }
    }

    /// Checks that the key permits a group of requests.
    ///
    /// # Errors
    /// [`ApiKeyRejection::ScopeMissing`].
    pub fn check_scope(&self, scope: KeyScope) -> Result<(), ApiKeyRejection> {
        if self.terms.scopes.contains(&scope) { Ok(()) } else { Err(ApiKeyRejection::ScopeMissing { scope }) }
    }

    /// Checks that the key may quote in a collection.
    ///
    /// # Errors
    /// [`ApiKeyRejection::CollectionNotAllowed`].
    pub fn check_collection(&self, group: GroupId) -> Result<(), ApiKeyRejection> {
        let is_allowed = self.terms.collections.as_ref().is_none_or(|groups| groups.contains(&group));
        if is_allowed { Ok(()) } else { Err(ApiKeyRejection::CollectionNotAllowed { group }) }
    }

    /// Checks offers that the key is about to quote; returns the sum that it has then quoted today. `outstanding` is the
    /// principal of the user's other open offers and running loans.
    ///
    /// # Errors
    /// [`ApiKeyRejection::CollectionNotAllowed`], [`ApiKeyRejection::PrincipalAboveLimit`],
    /// [`ApiKeyRejection::OutstandingAboveLimit`], [`ApiKeyRejection::DailyAboveLimit`].
    pub fn check_quotes(
        &self,
        quotes: &[KeyQuote],
        outstanding: Sats,
        now: UnixMs,
    ) -> Result<QuotedDay, ApiKeyRejection> {
        self.check_open(now)?;
        let terms = &self.terms;
        let mut added = Sats::ZERO;
        for quote in quotes {
            self.check_collection(quote.group)?;
            if quote.principal > terms.principal_max {
                let (principal, max) = (quote.principal, terms.principal_max);
                return Err(ApiKeyRejection::PrincipalAboveLimit { principal, max });
            }
            added = added.saturating_add(quote.sum());
        }
        let sum = outstanding.saturating_add(added);
        if sum > terms.outstanding_max {
            return Err(ApiKeyRejection::OutstandingAboveLimit { sum, max: terms.outstanding_max });
        }
        let day = now.day();
        let sum = self.quoted.on(day).saturating_add(added);
        if sum > terms.daily_max {
            return Err(ApiKeyRejection::DailyAboveLimit { sum, max: terms.daily_max });
        }
        Ok(QuotedDay { day, sum })
    }
}
