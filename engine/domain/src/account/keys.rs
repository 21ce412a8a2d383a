//! The decisions about API keys of accounts.

use std::sync::Arc;

use crate::{
    AccountEvent, AccountRejection, Accounts, ApiKey, ApiKeyId, ApiKeyRejection, ApiKeyTerms, ApiKeys, KeyQuote,
    QuotedDay, Sats, UnixMs, UserId,
};

impl Accounts {
    /// The API keys of all users.
    #[must_use]
    pub const fn keys(&self) -> &ApiKeys {
        &self.keys
    }

    /// Creates an API key; the caller has verified the signed terms. `secret_hash` is the BLAKE3 hash of its secret.
    ///
    /// # Errors
    /// [`AccountRejection::UnknownUser`], [`ApiKeyRejection::TermsOutOfBounds`], [`ApiKeyRejection::TooMany`];
    /// [`ApiKeyRejection::Unknown`] if `key` is not the next id.
    pub fn create_key(
        &self,
        user: UserId,
        key: ApiKeyId,
        terms: ApiKeyTerms,
        secret_hash: [u8; 32],
        now: UnixMs,
    ) -> Result<AccountEvent, AccountRejection> {
        if !self.users.contains_key(&user) {
            return Err(AccountRejection::UnknownUser(user));
        }
        terms.check(now)?;
        if key != self.keys.next_id() {
            return Err(ApiKeyRejection::Unknown(key).into());
        }
        let max = ApiKey::PER_USER_MAX;
        if self.keys.of(user).filter(|key| key.is_open(now)).count() >= max {
            return Err(ApiKeyRejection::TooMany { max }.into());
        }
        Ok(AccountEvent::KeyCreated { user, key, terms: Arc::new(terms), secret_hash })
    }

    /// Revokes an API key; no event if it was revoked before.
    ///
    /// # Errors
    /// [`ApiKeyRejection::Unknown`].
    pub fn revoke_key(&self, user: UserId, key: ApiKeyId) -> Result<Option<AccountEvent>, ApiKeyRejection> {
        let known = self.own_key(user, key)?;
        Ok(known.revoked_at.is_none().then_some(AccountEvent::KeyRevoked { user, key }))
    }

    /// Counts offers that an API key is about to quote, within its limits. `outstanding` is the principal of the user's
    /// other open offers and running loans.
    ///
    /// # Errors
    /// [`ApiKeyRejection::Unknown`], and those of [`ApiKey::check_quotes`].
    pub fn quote_by_key(
        &self,
        user: UserId,
        key: ApiKeyId,
        quotes: &[KeyQuote],
        outstanding: Sats,
        now: UnixMs,
    ) -> Result<AccountEvent, ApiKeyRejection> {
        let QuotedDay { day, sum } = self.own_key(user, key)?.check_quotes(quotes, outstanding, now)?;
        Ok(AccountEvent::KeyQuoted { user, key, day, sum })
    }

    /// Takes back principal that an API key counted on a day and did not quote; no event if it has quoted on a later day.
    #[must_use]
    pub fn uncount_quote(&self, user: UserId, key: ApiKeyId, day: u64, unquoted: Sats) -> Option<AccountEvent> {
        let quoted = self.own_key(user, key).ok()?.quoted;
        let sum = quoted.sum.saturating_sub(unquoted);
        (quoted.day == day && sum != quoted.sum).then_some(AccountEvent::KeyQuoted { user, key, day, sum })
    }

    fn own_key(&self, user: UserId, key: ApiKeyId) -> Result<&ApiKey, ApiKeyRejection> {
        self.keys.get(key).filter(|known| known.user == user).ok_or(ApiKeyRejection::Unknown(key))
    }
}
