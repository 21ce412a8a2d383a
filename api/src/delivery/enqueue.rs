//! The collection of notices into the outbox, according to the users' settings.

use std::collections::BTreeSet;

use domain::{ChannelKind, UserId};
use engine::Refusal;
use tokio::time::Instant;

use super::context::DeliveryContext;

/// The largest number of users who are remembered for a retry after an overload; all others wait for the next sweep.
const RETRY_USERS_MAX: usize = 10_000;

/// Collects the notices of users with new events, and at intervals of all users, until the delivery is stopped.
pub async fn run(context: &DeliveryContext) {
    let (channels, timing) = (context.delivery.channels(), context.delivery.timing);
    if channels.is_empty() {
        return;
    }
    let mut sweep_at = Instant::now();
    let mut retry_users = BTreeSet::new();
    loop {
        if Instant::now() >= sweep_at {
            sweep(context, &channels, &mut retry_users).await;
            sweep_at = Instant::now() + timing.sweep_interval;
        }
        let wake_at =
            if retry_users.is_empty() { sweep_at } else { sweep_at.min(Instant::now() + timing.poll_interval) };
        let mut users = tokio::select! {
            () = context.delivery.stopped() => return,
            users = context.market.next_dirty_users() => users,
            () = tokio::time::sleep_until(wake_at) => BTreeSet::new(),
        };
        users.append(&mut retry_users);
        for user in users {
            enqueue_notices(context, user, &channels, &mut retry_users).await;
        }
    }
}

/// Collects the notices of all users with a channel.
async fn sweep(context: &DeliveryContext, channels: &[ChannelKind], retry_users: &mut BTreeSet<UserId>) {
    let mut after = None;
    loop {
        let users = context.market.reachable_users(after);
        let Some(last) = users.last().copied() else { return };
        for user in users {
            if context.delivery.is_stopping() {
                return;
            }
            enqueue_notices(context, user, channels, retry_users).await;
        }
        after = Some(last);
    }
}

async fn enqueue_notices(
    context: &DeliveryContext,
    user: UserId,
    channels: &[ChannelKind],
    retry_users: &mut BTreeSet<UserId>,
) {
    match context.market.queue_notices(user, channels).await {
        Ok(0) | Err(Refusal::Closed) => {}
        Ok(_) => context.delivery.wake(),
        Err(refusal) => {
            if retry_users.len() < RETRY_USERS_MAX {
                retry_users.insert(user);
            }
            tracing::warn!(%refusal, "notices of a user could not be queued yet");
        }
    }
}
