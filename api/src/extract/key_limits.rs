//! The limits of API keys, checked where a key quotes.

use domain::{GroupId, KeyQuote, OfferId, Sats};

use super::signed_in::SignedIn;
use crate::app::App;
use crate::http::api_error::ApiError;

impl SignedIn {
    /// Runs `quote`, which creates offers, within the limits of the caller's API key; a session has none. `quotes` are the
    /// offers, `replaced` are those that edits replace. `quote` returns the principal of those that were refused
    /// beside its value.
    ///
    /// # Errors
    /// Those of `quote`; the codes of the limits.
    pub async fn quote_within_limits<T>(
        &self,
        app: &App,
        quotes: &[KeyQuote],
        replaced: &[OfferId],
        quote: impl Future<Output = Result<(T, Sats), ApiError>>,
    ) -> Result<T, ApiError> {
        let Some(key) = self.key() else { return Ok(quote.await?.0) };
        let user = self.user();
        let _turn = app.key_turns.take(user).await;
        let mut open = app.market.open_principal(user).await?;
        for offer in replaced {
            open = open.saturating_sub(app.market.open_principal_of(user, *offer).await?);
        }
        let counted = app.market.count_quotes(user, key.id, quotes, open).await?;
        let outcome = quote.await;
        let unquoted = match &outcome {
            Ok((_, refused)) => *refused,
            // An unknown outcome counts.
            Err(refusal) if refusal.code().status() >= 500 => Sats::ZERO,
            Err(_) => quotes.iter().map(KeyQuote::sum).sum(),
        };
        if unquoted > Sats::ZERO
            && let Err(refusal) = app.market.uncount_quote(counted, unquoted).await
        {
            tracing::warn!(%user, key = %key.id, %refusal, "refused offers count against the day's limit of an API key");
        }
        Ok(outcome?.0)
    }

    /// Refuses a collection that the caller's API key does not quote in.
    ///
    /// # Errors
    /// [`crate::http::error_code::ErrorCode::ApiKeyCollection`].
    pub fn check_collection(&self, group: GroupId) -> Result<(), ApiError> {
        Ok(self.key().map_or(Ok(()), |key| key.check_collection(group))?)
    }
}
