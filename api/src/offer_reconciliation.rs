//! Periodic reconciliation of the instant offers in the books with those of the vault signer.

use std::time::Duration;

use actix_web::web;
use engine::wire::NoticeKind;
use lending::instant_offers::reconcile::ReconcilePass;
use lending::instant_offers::service::InstantOfferError;
use tokio::time::timeout;

use crate::app::App;

/// The interval between reconciliations.
const INTERVAL: Duration = Duration::from_mins(1);
/// The delay before the first retry when the signer does not answer.
const RETRY_DELAY: Duration = Duration::from_secs(5);
/// The timeout of the reconciliation at the start.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Reconciles before the first request is served.
///
/// Returns the mode of the next reconciliation, and the delay until then.
pub async fn reconcile_at_start(app: &App) -> (ReconcilePass, Duration) {
    if !app.signer.current().is_configured() {
        return (ReconcilePass::Startup, INTERVAL);
    }
    match timeout(STARTUP_TIMEOUT, reconcile_once(app, ReconcilePass::Startup)).await {
        Ok(Ok(())) => (ReconcilePass::Periodic, INTERVAL),
        Ok(Err(error)) => {
            tracing::warn!(%error, "instant offers could not be reconciled with the vault signer");
            (ReconcilePass::Periodic, RETRY_DELAY)
        }
        Err(_) => (ReconcilePass::Periodic, RETRY_DELAY),
    }
}

/// Reconciles periodically; retries back off while the signer does not answer.
pub async fn run(app: web::Data<App>, next: (ReconcilePass, Duration)) {
    let (pass, mut delay) = next;
    while app.signer.current().is_configured() {
        tokio::time::sleep(delay).await;
        delay = match reconcile_once(&app, pass).await {
            Ok(()) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "instant offers could not be reconciled with the vault signer");
                if delay < INTERVAL { (delay * 2).min(INTERVAL) } else { RETRY_DELAY }
            }
        };
    }
}

async fn reconcile_once(app: &App, pass: ReconcilePass) -> Result<(), InstantOfferError> {
    for signer in app.signer.ports() {
        signer.check_policy(&app.settings, app.public_url.domain()).await?;
    }
    for one in app.instant_offers().reconcile(pass).await? {
        app.market.notify_lender_of_offer(one.lender, one.offer, NoticeKind::OfferNotAdmitted);
    }
    Ok(())
}
