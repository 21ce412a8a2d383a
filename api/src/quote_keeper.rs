//! Periodic reconciliation of the instant offers in the books with those of the vault signer.

use std::time::Duration;

use actix_web::web;
use engine::wire::NoticeKind;
use lending::quotes::QuoteError;
use lending::reconcile::Look;
use tokio::time::timeout;

use crate::app::App;

/// The interval between reconciliations.
const EVERY: Duration = Duration::from_mins(1);
/// The delay before the first retry when the signer does not answer.
const SOON: Duration = Duration::from_secs(5);
/// The timeout of the reconciliation at the start.
const PATIENCE_AT_START: Duration = Duration::from_secs(5);

/// Reconciles before the first request is served.
///
/// Returns the mode of the next reconciliation, and the delay until then.
pub async fn begin(app: &App) -> (Look, Duration) {
    if !app.vault_keys.are_somewhere() {
        return (Look::First, EVERY);
    }
    match timeout(PATIENCE_AT_START, look_once(app, Look::First)).await {
        Ok(Ok(())) => (Look::Again, EVERY),
        Ok(Err(error)) => {
            tracing::warn!(%error, "instant offers could not be held against the vaults' signer");
            (Look::Again, SOON)
        }
        Err(_) => (Look::Again, SOON),
    }
}

/// Reconciles periodically; retries back off while the signer does not answer.
pub async fn keep(app: web::Data<App>, next: (Look, Duration)) {
    let (look, mut wait) = next;
    while app.vault_keys.are_somewhere() {
        tokio::time::sleep(wait).await;
        wait = match look_once(&app, look).await {
            Ok(()) => EVERY,
            Err(error) => {
                tracing::warn!(%error, "instant offers could not be held against the vaults' signer");
                if wait < EVERY { (wait * 2).min(EVERY) } else { SOON }
            }
        };
    }
}

async fn look_once(app: &App, look: Look) -> Result<(), QuoteError> {
    app.vault_keys.check_policy(&app.settings, app.public_url.domain()).await?;
    for one in app.quotes().reconcile(look).await? {
        app.market.tell_of_offer(one.lender, one.offer, NoticeKind::OfferNotAdmitted);
    }
    Ok(())
}
