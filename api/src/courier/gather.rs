//! The collection of notices into the outbox, according to the users' settings.

use std::collections::BTreeSet;

use domain::{ContactWay, UserId};
use engine::Refusal;
use tokio::time::Instant;

use crate::app::App;

/// The largest number of users who are remembered for a retry after an overload; all others wait for the next sweep.
const LEFT_MAX: usize = 10_000;

/// Collects the notices of users with new events, and at intervals of all users, until the delivery is stopped.
pub async fn run(app: &App) {
    let (ways, tempo) = (app.courier.ways(), app.courier.tempo);
    if ways.is_empty() {
        return;
    }
    let mut sweep_at = Instant::now();
    let mut left = BTreeSet::new();
    loop {
        if Instant::now() >= sweep_at {
            sweep(app, &ways, &mut left).await;
            sweep_at = Instant::now() + tempo.sweep_every;
        }
        let again_at = if left.is_empty() { sweep_at } else { sweep_at.min(Instant::now() + tempo.look_every) };
        let mut people = tokio::select! {
            () = app.courier.stopped() => return,
            people = app.market.stirred() => people,
            () = tokio::time::sleep_until(again_at) => BTreeSet::new(),
        };
        people.append(&mut left);
        for person in people {
            look_at(app, person, &ways, &mut left).await;
        }
    }
}

/// Collects the notices of all users with a channel.
async fn sweep(app: &App, ways: &[ContactWay], left: &mut BTreeSet<UserId>) {
    let mut after = None;
    loop {
        let people = app.market.reachable_people(after);
        let Some(last) = people.last().copied() else { return };
        for person in people {
            if app.courier.is_stopping() {
                return;
            }
            look_at(app, person, ways, left).await;
        }
        after = Some(last);
    }
}

async fn look_at(app: &App, person: UserId, ways: &[ContactWay], left: &mut BTreeSet<UserId>) {
    match app.market.queue_notices(person, ways).await {
        Ok(0) | Err(Refusal::Closed) => {}
        Ok(_) => app.courier.wake(),
        Err(refusal) => {
            if left.len() < LEFT_MAX {
                left.insert(person);
            }
            tracing::warn!(%refusal, "somebody's notices wait");
        }
    }
}
