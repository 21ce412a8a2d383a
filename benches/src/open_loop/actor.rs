//! The book behind its actor at a steady rate, with a journal that answers immediately.

use std::{future::poll_fn, pin::Pin, task::Poll};

use engine::Market;
use futures_util::{Stream as _, stream::FuturesUnordered};

use super::step::{Schedule, Step};
use crate::{
    actor::{GROUP, start},
    book_log::{Log, Step as Command},
    drive::{drive, submit},
    latency::Latencies,
    stopwatch::monotonic_nanoseconds,
};

/// The number of commands in flight at most; less than the capacity of a book's mailbox. Later ones wait, and their
/// latency counts.
const WINDOW: usize = 512;

/// Carries out the log's commands at a rate, for at most this long; filling and trimming have no schedule.
pub(super) async fn step(log: &Log, lenders: usize, rate: f64, seconds: f64) -> Step {
    let market = start(lenders).await;
    drive(&market, GROUP, &log.fill, WINDOW).await;
    let (mut step, mut left) = (Step::default(), seconds);
    for window in &log.windows {
        let schedule = Schedule::from_now(rate);
        let latencies = stretch(&market, &window.mixed, schedule).await;
        let elapsed = schedule.elapsed();
        step.add(&latencies, elapsed);
        left -= elapsed.as_secs_f64();
        if left <= 0.0 {
            break;
        }
        drive(&market, GROUP, &window.trim, WINDOW).await;
    }
    market.stop().await;
    step
}

/// Submits commands when they are due, and looks for answers meanwhile.
async fn stretch(market: &Market, commands: &[Command], schedule: Schedule) -> Latencies {
    let (mut latencies, mut running, mut next) = (Latencies::default(), FuturesUnordered::new(), 0);
    while next < commands.len() || !running.is_empty() {
        while running.len() < WINDOW
            && let Some(command) = commands.get(next)
            && schedule.due(next) <= monotonic_nanoseconds()
        {
            let due = schedule.due(next);
            next += 1;
            let mut answer = Box::pin(async move {
                submit(market, GROUP, command).await.expect("the planned command is accepted");
                monotonic_nanoseconds().saturating_sub(due)
            });
            // The first poll posts the command, so that commands arrive in order.
            match poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await {
                Poll::Ready(latency) => latencies.record_nanoseconds(latency),
                Poll::Pending => running.push(answer),
            }
        }
        let arrived = poll_fn(|context| Poll::Ready(Pin::new(&mut running).poll_next(context))).await;
        match arrived {
            Poll::Ready(Some(latency)) => latencies.record_nanoseconds(latency),
            // The caller has a core of its own and looks again at once.
            Poll::Ready(None) | Poll::Pending => tokio::task::yield_now().await,
        }
    }
    latencies
}
