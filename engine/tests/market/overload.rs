//! Tests of overload: excess requests are refused with an error.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Waker},
    thread,
    time::Duration,
};

use domain::UnixMs;
use engine::{
    Refusal, Settings,
    clock::{Clock, Sleep},
};

use crate::{
    actions::{create, frog_draft},
    fixture::{FROGS, Fixture, MANUAL, NOON, frogs, price, settings, short_delay, spawn, until},
};

#[actix::test]
async fn commands_beyond_what_may_wait_for_the_disk_are_refused() {
    let fixture = Fixture::with(Settings { in_flight_max: 2, ..settings() }).await;
    let lender = fixture.user(1).await;
    fixture.journal.hold();
    let mut accepted = Vec::new();
    for number in 1..=2 {
        let market = fixture.market.clone();
        let command = create(lender, frog_draft(MANUAL, 500_000));
        accepted.push(spawn(async move { market.command(FROGS, command, None).await }));
        until("it is in the journal", || fixture.journal.waiting() == number).await;
    }
    let refused = fixture.submit(FROGS, create(lender, frog_draft(MANUAL, 500_000))).await;
    assert_eq!(refused, Err(Refusal::Overloaded { retry_after_s: 1 }));
    assert_eq!((fixture.market.stats().overloads, fixture.market.stats().in_flight), (1, 2));
    fixture.journal.let_all_go();
    for answer in accepted {
        assert!(answer.await.unwrap().is_ok());
    }
    assert!(fixture.submit(FROGS, create(lender, frog_draft(MANUAL, 500_000))).await.is_ok());
    assert_eq!(fixture.market.stats().in_flight, 0);
}

/// A clock that can be blocked: a read of it waits.
#[derive(Default)]
struct Gate {
    open: Mutex<()>,
    /// The number of reads that wait.
    waiting: AtomicUsize,
}

impl Clock for Gate {
    fn now(&self) -> UnixMs {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let _open = self.open.lock().unwrap();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        NOON
    }

    fn sleep_until(&self, _: UnixMs) -> Sleep {
        Box::pin(std::future::pending())
    }
}

/// Sends a command to its actor, which the first poll does.
fn send<T>(command: &mut Pin<Box<impl Future<Output = T>>>) {
    // A refused one is ready.
    let _ = command.as_mut().poll(&mut Context::from_waker(Waker::noop()));
}

#[actix::test]
async fn a_full_mailbox_refuses_at_once() {
    let journal = crate::fake_journal::FakeJournal::default();
    let gate = Arc::new(Gate::default());
    let settings = Settings { mailbox_capacity: 8, arbiters: 1, ..settings() };
    let market = engine::Market::start(Arc::new(journal), gate.clone(), settings).unwrap();
    market.list_group(frogs()).await.unwrap();
    market.move_price(FROGS, price(FROGS, 100), NOON).await.unwrap();
    let outcomes = {
        let _closed = gate.open.lock().unwrap();
        let mut moves: Vec<_> = (0..41).map(|_| Box::pin(market.move_price(FROGS, price(FROGS, 100), NOON))).collect();
        send(&mut moves[0]);
        // The actor takes all commands that wait, so the others are sent when it is blocked at the clock.
        while gate.waiting.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        moves[1..].iter_mut().for_each(send);
        moves
    };
    // The first is taken, unless the actor is blocked before that, in the publication of the price before.
    let overloads = market.stats().overloads;
    assert!((32..=33).contains(&overloads), "{overloads} of 41 refused with room for 8");
    drop(outcomes);
    let accepted = async {
        while market.move_price(FROGS, price(FROGS, 100), NOON).await.is_err() {
            short_delay().await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(10), accepted).await.is_ok(), "the mailbox never emptied");
}
