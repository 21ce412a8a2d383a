//! Keeps the books to what the vaults' signer pays from, while the server runs.

use std::time::Duration;

use actix_web::web;
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
/// Returns when to look next.
pub async fn begin(app: &App) -> (Look, Duration) {
    if !app.vault_keys.are_somewhere() {
        return (Look::First, EVERY);
    }
    match timeout(PATIENCE_AT_START, app.quotes().reconcile(Look::First)).await {
        Ok(Ok(_)) => (Look::Again, EVERY),
        Ok(Err(error)) => (after(&error), SOON),
        Err(_) => (Look::Again, SOON),
    }
}

/// Looks again and again.
pub async fn keep(app: web::Data<App>, next: (Look, Duration)) {
    let (mut look, mut wait) = next;
    while app.vault_keys.are_somewhere() {
        tokio::time::sleep(wait).await;
        (look, wait) = match app.quotes().reconcile(look).await {
            Ok(_) => (Look::Again, EVERY),
            Err(error) => (after(&error), SOON),
        };
    }
}

/// What was not under way at the start may be now.
fn after(error: &QuoteError) -> Look {
    tracing::warn!(%error, "the instant offers could not be held against the vaults' signer");
    Look::Again
}
