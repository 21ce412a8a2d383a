//! API keys: their creation and end, and what programs quote with them.

use domain::{Account, AccountRejection, ApiKey, ApiKeyId, ApiKeyTerms, KeyQuote, OfferId, Sats, UserId};
use futures_util::future::try_join_all;

use super::Market;
use crate::{NonceUse, Refusal, book_actor::ReadRequest, ledger::LedgerEvent};

/// Principal that a key has counted as quoted, before the books decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedQuote {
    user: UserId,
    key: ApiKeyId,
    day: u64,
}

impl Market {
    /// Creates an API key; the caller has verified the signed terms. `hash` returns the BLAKE3 hash of the secret that
    /// belongs to an id.
    ///
    /// # Errors
    /// Those of [`domain::Accounts::use_nonce`] and [`domain::Accounts::create_key`]; [`Refusal::UnknownGroup`].
    pub async fn create_api_key(
        &self,
        user: UserId,
        terms: ApiKeyTerms,
        nonce_use: NonceUse,
        hash: impl FnOnce(ApiKeyId) -> [u8; 32],
    ) -> Result<ApiKey, Refusal> {
        if terms.collections.iter().flatten().any(|group| self.group(*group).is_none()) {
            return Err(Refusal::UnknownGroup);
        }
        let (id, _) = self
            .on_ledger(|ledger, now| {
                let nonce = ledger.use_nonce(nonce_use, now)?;
                let id = ledger.accounts().keys().next_id();
                let created = ledger.accounts().create_key(user, id, terms, hash(id), now)?;
                Ok((vec![nonce, LedgerEvent::Account(created)], id))
            })
            .await?;
        self.api_key(id).await.map(|(key, _)| key).ok_or(Refusal::Closed)
    }

    /// An API key, also one that has ended, and its account, once durable.
    pub async fn api_key(&self, id: ApiKeyId) -> Option<(ApiKey, Account)> {
        self.shared.ledger.api_key(id).await
    }

    /// The API keys of a user in the order of their creation, also those that have ended.
    pub async fn api_keys(&self, user: UserId) -> Vec<ApiKey> {
        self.shared.ledger.api_keys(user).await
    }

    /// Revokes an API key. The user's private channels close, because one of them may be the key's.
    ///
    /// # Errors
    /// [`domain::ApiKeyRejection::Unknown`].
    pub async fn revoke_api_key(&self, user: UserId, id: ApiKeyId) -> Result<(), Refusal> {
        self.on_ledger(|ledger, _| {
            let revoked = ledger.accounts().revoke_key(user, id).map_err(AccountRejection::from)?;
            Ok((revoked.map(LedgerEvent::Account).into_iter().collect(), ()))
        })
        .await?;
        self.shared.close_private(user);
        Ok(())
    }

    /// The principal of a user's offers that is not lent, paused offers included; of one that follows the floor the
    /// largest.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Closed`].
    pub async fn open_principal(&self, user: UserId) -> Result<Sats, Refusal> {
        let groups = self.shared.ledger.lock().state().quoting(user);
        let read = |group| self.read_book(group, move |reply| ReadRequest::OpenPrincipal(user, reply));
        Ok(try_join_all(groups.into_iter().map(read)).await?.into_iter().sum())
    }

    /// The principal of one offer that is not lent, as [`Self::open_principal`] counts it; zero if there is no such offer
    /// of this user.
    ///
    /// # Errors
    /// Those of [`Self::open_principal`], [`Refusal::UnknownGroup`].
    pub async fn open_principal_of(&self, user: UserId, offer: OfferId) -> Result<Sats, Refusal> {
        self.read_book(offer.group(), |reply| ReadRequest::OpenPrincipalOf(user, offer, reply)).await
    }

    /// Counts offers that an API key is about to quote, within the key's limits. The caller holds back other quotes of
    /// the user's keys until it has quoted; `open` is the principal of the user's other open offers.
    ///
    /// # Errors
    /// Those of [`domain::Accounts::quote_by_key`].
    pub async fn count_quotes(
        &self,
        user: UserId,
        key: ApiKeyId,
        quotes: &[KeyQuote],
        open: Sats,
    ) -> Result<CountedQuote, Refusal> {
        let (day, _) = self
            .on_ledger(|ledger, now| {
                let outstanding = open.saturating_add(ledger.running_principal(user));
                let counted = ledger.accounts().quote_by_key(user, key, quotes, outstanding, now);
                let counted = counted.map_err(AccountRejection::from)?;
                Ok((vec![LedgerEvent::Account(counted)], now.day()))
            })
            .await?;
        Ok(CountedQuote { user, key, day })
    }

    /// Takes back counted principal that was not quoted after all.
    ///
    /// # Errors
    /// [`Refusal::Overloaded`], [`Refusal::Following`], [`Refusal::Closed`]; the principal then counts until the day is
    /// over.
    pub async fn uncount_quote(&self, counted: CountedQuote, unquoted: Sats) -> Result<(), Refusal> {
        let CountedQuote { user, key, day } = counted;
        self.on_ledger(|ledger, _| {
            let event = ledger.accounts().uncount_quote(user, key, day, unquoted);
            Ok((event.map(LedgerEvent::Account).into_iter().collect(), ()))
        })
        .await
        .map(drop)
    }
}
