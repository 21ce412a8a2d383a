//! A watchdog of sockets outside of their actors, which a client that does not read can block.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use engine::feed::CloseReason;

use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::sockets::socket_registry::SocketRecord;

/// The interval between checks of all sockets.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// The time without a heartbeat after which a socket counts as stalled, in milliseconds. Actors beat every five seconds.
const JAMMED_MS: u64 = 20_000;

/// The number of rounds between checks of the sessions and API keys of private channels: every 30 seconds. Their users count as heard,
/// so this is well below the minimum of [`domain::LendingLimits::absence_minutes`].
const SESSION_ROUNDS: u32 = 6;

/// Watches the sockets until it is dropped.
pub async fn watch(app: web::Data<App>) {
    let mut round: u32 = 0;
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        round = round.wrapping_add(1);
        for record in app.sockets.records() {
            cut_if_stalled(&app, &record);
            if round.is_multiple_of(SESSION_ROUNDS) {
                end_if_signed_out(&app, &record).await;
            }
        }
    }
}

/// Closes the connection of a socket whose actor has stopped running.
fn cut_if_stalled(app: &App, record: &Arc<SocketRecord>) {
    if record.alive_at().plus_ms(JAMMED_MS) > app.now() {
        return;
    }
    record.queue.close(CloseReason::TooSlow);
    if let Some(connection) = &record.connection {
        app.metrics.sockets_closed.with_label_values(&["stalled"]).inc();
        tracing::debug!("cutting a stalled socket");
        connection.shut_down();
    }
}

/// Closes a socket that belongs to a session or API key that has ended.
async fn end_if_signed_out(app: &App, record: &Arc<SocketRecord>) {
    for credential in record.credentials() {
        if SignedIn::confirm(app, credential).await.is_err() {
            record.queue.close(CloseReason::SignedOut);
        }
    }
}
