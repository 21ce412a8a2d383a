//! Keeps the books to what the vaults' signer pays from, while the server runs.

use std::time::Duration;

use actix_web::web;
use engine::wire::NoticeKind;
use lending::quotes::QuoteError;
use lending::reconcile::Look;
use tokio::time::timeout;

use crate::app::App;

/// How often the signer is asked whether it stands by every instant offer.
const EVERY: Duration = Duration::from_mins(1);
/// How soon it is asked again when it gave no answer.
const SOON: Duration = Duration::from_secs(5);
/// For how long a starting server waits for it.
const PATIENCE_AT_START: Duration = Duration::from_secs(5);

/// Looks before anybody is served.
///
/// Returns how to look next, and when.
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

/// Looks again and again; less often while the signer gives no answer.
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
