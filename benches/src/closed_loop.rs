//! One lender after whose answers the next order follows.

use std::{
    io,
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};

use crate::{
    latency::Latencies,
    orders::{Order, OrderSource},
};

/// Executes orders of a lender until `may_go_on` is false, with at most `depth` unanswered; `act` executes one and
/// returns the offer that is open now. Returns their latencies.
///
/// # Errors
/// The first error of an order.
pub async fn drive<K, F>(
    source: &mut OrderSource<K>,
    mut may_go_on: impl FnMut() -> bool,
    depth: usize,
    act: impl Fn(Order<K>) -> F,
) -> io::Result<Latencies>
where
    F: Future<Output = io::Result<Option<K>>>,
{
    let mut latencies = Latencies::default();
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < depth && may_go_on() {
            running.push(timed(act(source.draw())));
        }
        let Some((outcome, latency)) = running.next().await else { return Ok(latencies) };
        latencies.record(latency);
        source.opened(outcome?);
    }
}

async fn timed<T>(act: impl Future<Output = T>) -> (T, Duration) {
    let start = Instant::now();
    let outcome = act.await;
    (outcome, start.elapsed())
}

/// Cancels offers until `count` are open, with at most `depth` unanswered.
///
/// # Errors
/// The first error of an order.
pub async fn trim<K, F>(
    source: &mut OrderSource<K>,
    count: usize,
    depth: usize,
    act: impl Fn(Order<K>) -> F,
) -> io::Result<()>
where
    F: Future<Output = io::Result<Option<K>>>,
{
    let orders: Vec<Order<K>> = std::iter::from_fn(|| source.trim(count)).collect();
    let mut outcomes = futures_util::stream::iter(orders.into_iter().map(act)).buffer_unordered(depth);
    while let Some(outcome) = outcomes.next().await {
        outcome?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::orders::Shares;

    #[tokio::test]
    async fn every_order_is_executed_and_answered() {
        let mut source = OrderSource::new(1, 0, Shares::LOAD, 200);
        let (next, running, most) = (Cell::new(0_u32), Cell::new(0), Cell::new(0));
        let act = |order: Order<u32>| {
            running.set(running.get() + 1);
            most.set(most.get().max(running.get()));
            let (next, running) = (&next, &running);
            async move {
                tokio::task::yield_now().await;
                running.set(running.get() - 1);
                next.set(next.get() + 1);
                Ok((!matches!(order, Order::Cancel { .. })).then(|| next.get()))
            }
        };
        let mut begun = 0;
        let may_go_on = || {
            begun += 1;
            begun <= 500
        };
        let latencies = drive(&mut source, may_go_on, 4, act).await.unwrap();
        assert_eq!((latencies.len(), next.get(), most.get()), (500, 500, 4));
        assert!(source.open() > 50);
        trim(&mut source, 10, 4, act).await.unwrap();
        assert_eq!(source.open(), 10);
    }
}
