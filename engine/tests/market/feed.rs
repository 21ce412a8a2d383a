//! Tests of the feed: a snapshot and the deltas after it equal a fresh snapshot.

use std::time::Duration;

use engine::{
    Settings,
    feed::{Channel, CloseReason, FeedPosition, Outgoing, SocketQueue, SocketQueueLimits, Subscription},
    wire::Volumes,
};
use serde_json::Value;

use crate::{
    actions::{create, frog_draft},
    feed_client::{Mirror, drain, next, take, until_rows_are_sent},
    fixture::{FROGS, Fixture, GOLD, MANUAL, price, settings, until},
    random_market::RandomTraders,
};

/// Limits under which a socket never lags.
pub(crate) fn roomy() -> SocketQueueLimits {
    SocketQueueLimits { frames_max: 1_000_000, bytes_max: usize::MAX / 2, lags_max: 0 }
}

/// One channel with a copy of it.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) channel: Channel,
    socket_queue: SocketQueue,
    pub(crate) mirror: Mirror,
    /// Kept open.
    subscription: Subscription,
}

impl Reader {
    pub(crate) async fn of(fixture: &Fixture, channel: Channel) -> Self {
        let socket_queue = SocketQueue::new(roomy());
        let subscription = fixture.market.subscribe(channel, &socket_queue).await.unwrap();
        Self { channel, socket_queue, mirror: Mirror::default(), subscription }
    }

    /// Loses the connection, and subscribes again after the last frame; returns whether the first frame is a delta.
    pub(crate) async fn reconnect(&mut self, fixture: &Fixture) -> bool {
        self.read();
        let socket_queue = SocketQueue::new(roomy());
        let after = self.mirror.position();
        let subscription = fixture.market.resume(self.channel, &socket_queue, after).await.unwrap();
        (self.socket_queue, self.subscription) = (socket_queue, subscription);
        let first = drain(&self.socket_queue);
        for frame in &first {
            self.mirror.apply(frame);
        }
        first.first().expect("a first frame")["type"] == "delta"
    }

    pub(crate) fn read(&mut self) {
        for frame in drain(&self.socket_queue) {
            self.mirror.apply(&frame);
        }
    }

    /// Waits until the copy equals that of a new subscriber.
    pub(crate) async fn check(&mut self, fixture: &Fixture, seed: u64) {
        for attempt in 0..=2_000 {
            let mut fresh = Self::of(fixture, self.channel).await;
            fresh.read();
            self.read();
            if self.mirror.state() == fresh.mirror.state() {
                return;
            }
            assert!(attempt < 2_000, "seed {seed}: {} shows\n{self:#?}\nbut a fresh one has\n{fresh:#?}", self.channel);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// Returns the number of checksums compared and of loans taken in a run.
async fn run(seed: u64, settings: Settings) -> (usize, u64) {
    println!("seed {seed}");
    let fixture = Fixture::with(settings).await;
    let mut traders = RandomTraders::new(&fixture, seed).await;
    let mut readers = Vec::new();
    for channel in [Channel::Market, Channel::Book(FROGS), Channel::Book(GOLD)] {
        readers.push(Reader::of(&fixture, channel).await);
    }
    // One subscribes at the start, one in the middle.
    readers.push(Reader::of(&fixture, Channel::Me(traders.users[0])).await);
    for round in 0..240 {
        traders.random_step(&fixture).await;
        if round == 60 {
            readers.push(Reader::of(&fixture, Channel::Me(traders.users[1])).await);
            readers.push(Reader::of(&fixture, Channel::Me(traders.users[0])).await);
            readers.push(Reader::of(&fixture, Channel::Book(FROGS)).await);
        }
        for reader in &mut readers {
            reader.read();
            if round % 60 == 59 {
                reader.check(&fixture, seed).await;
            }
            if round % 17 == 16 && matches!(reader.channel, Channel::Book(_)) {
                let is_resumed = reader.reconnect(&fixture).await;
                assert!(is_resumed, "seed {seed}: {} began anew", reader.channel);
            }
        }
    }
    let checksums = readers.iter().map(|reader| reader.mirror.checksums).sum();
    let loans = fixture.market.rows().iter().map(|row| row.total_loans).sum();
    fixture.market.stop().await;
    (checksums, loans)
}

#[actix::test]
async fn a_snapshot_and_the_deltas_after_it_are_a_fresh_snapshot() {
    let (mut checksums, mut loans) = (0, 0);
    for seed in 100..104 {
        let went = run(seed, settings()).await;
        (checksums, loans) = (checksums + went.0, loans + went.1);
    }
    assert!(checksums >= 8 && loans >= 8, "only {checksums} checksums and {loans} loans");
}

#[actix::test]
async fn a_subscriber_who_comes_back_late_or_from_elsewhere_gets_a_snapshot() {
    let fixture = Fixture::new().await;
    let lender = fixture.lender(1, 2_000_000).await;
    let mut reader = Reader::of(&fixture, Channel::Book(FROGS)).await;
    reader.read();
    let start = reader.mirror.position().unwrap();
    let from = async |after: FeedPosition| {
        let socket_queue = SocketQueue::new(roomy());
        let _open = fixture.market.resume(Channel::Book(FROGS), &socket_queue, Some(after)).await.unwrap();
        drain(&socket_queue).remove(0)
    };
    let resumed = from(start.clone()).await;
    assert_eq!(
        (&resumed["type"], &resumed["prev"], &resumed["ops"][0]["op"]),
        (&"delta".into(), &start.seq.into(), &"row".into())
    );
    for elsewhere in [
        FeedPosition { epoch: "another".to_owned(), ..start.clone() },
        FeedPosition { seq: start.seq + 1, ..start.clone() },
    ] {
        assert_eq!(from(elsewhere).await["type"], "snapshot");
    }
    for _ in 0..300 {
        fixture.submit(FROGS, create(lender, frog_draft(MANUAL, 400_000))).await.unwrap();
    }
    assert_eq!(from(start).await["type"], "snapshot", "300 offers are more than one frame");
    fixture.clock.advance_ms(3_000);
    fixture.submit(FROGS, create(lender, frog_draft(MANUAL, 400_000))).await.unwrap();
    assert!(reader.reconnect(&fixture).await, "nothing is missing after the last frame");
}

#[actix::test]
async fn deferred_ranks_and_rows_arrive_eventually() {
    run(200, Settings { rank_interval_ms: 7, market_interval_ms: 5, ..settings() }).await;
}

#[actix::test]
async fn a_socket_that_falls_behind_gets_fresh_snapshots_and_is_closed_when_it_keeps_falling_behind() {
    let fixture = Fixture::new().await;
    let socket_queue = SocketQueue::new(SocketQueueLimits { frames_max: 4, bytes_max: 1 << 20, lags_max: 1 });
    let mut subscription = fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap();
    let flood = async || {
        for step in 0..6 {
            fixture.market.move_price(FROGS, price(FROGS, 90 + step), domain::UnixMs(1)).await.unwrap();
        }
    };
    flood().await;
    assert_eq!(next(&socket_queue).await, Some(Outgoing::Lagged));
    assert_eq!(take(&socket_queue), None, "everything queued before was dropped");
    assert_eq!(fixture.market.stats().lagged, 1);

    drop(std::mem::replace(
        &mut subscription,
        fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap(),
    ));
    assert_eq!(drain(&socket_queue)[0]["type"], "snapshot");
    flood().await;
    assert_eq!(next(&socket_queue).await, Some(Outgoing::Lagged));
    subscription = fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap();
    flood().await;
    assert_eq!(next(&socket_queue).await, Some(Outgoing::Closed(CloseReason::TooSlow)));
    assert_eq!(next(&socket_queue).await, None);
    assert_eq!(subscription.channel(), Channel::Book(FROGS));
}

#[actix::test]
async fn a_dropped_subscription_gets_nothing_more() {
    let fixture = Fixture::new().await;
    let socket_queue = SocketQueue::new(roomy());
    let book = fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap();
    let market = fixture.market.subscribe(Channel::Market, &socket_queue).await.unwrap();
    let frames = until_rows_are_sent(&fixture, &socket_queue).await;
    let snapshots = frames.iter().filter(|frame| frame["type"] == "snapshot").count();
    assert_eq!((snapshots, fixture.market.stats().subscribers), (2, 2));
    drop((book, market));
    fixture.market.move_price(FROGS, price(FROGS, 90), domain::UnixMs(1)).await.unwrap();
    assert_eq!((drain(&socket_queue), fixture.market.stats().subscribers), (vec![], 0));
}

#[actix::test]
async fn one_frame_is_encoded_once_for_all_sockets() {
    let fixture = Fixture::new().await;
    let socket_queues: Vec<SocketQueue> = (0..10).map(|_| SocketQueue::new(roomy())).collect();
    let mut subscriptions = Vec::new();
    for socket_queue in &socket_queues {
        subscriptions.push(fixture.market.subscribe(Channel::Book(FROGS), socket_queue).await.unwrap());
    }
    fixture.market.move_price(FROGS, price(FROGS, 90), domain::UnixMs(1)).await.unwrap();
    let mut texts = Vec::new();
    for socket_queue in &socket_queues {
        for place in 0..2 {
            let Some(Outgoing::Frame(frame)) = next(socket_queue).await else { panic!("a frame") };
            texts.push((place, frame.as_bytes().as_ptr()));
        }
    }
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 2, "one snapshot and one delta, each in one place of memory");
}

#[actix::test]
async fn volumes_from_elsewhere_reach_the_rows() {
    let fixture = Fixture::new().await;
    let mut market = Reader::of(&fixture, Channel::Market).await;
    let volumes = Volumes { total: domain::Sats::new(7), ..Volumes::default() };
    fixture.market.set_market_volumes(FROGS, volumes).await.unwrap();
    until("the row shows it", || fixture.market.row(FROGS).unwrap().market_volume_stats == Some(volumes)).await;
    market.check(&fixture, 0).await;
    let row: &Value = &market.mirror.items[&("row", "g_1".to_owned())];
    assert_eq!(row["marketVolumeStats"]["totalVolume"], 7);
}

#[actix::test]
async fn a_restart_begins_a_new_epoch_and_keeps_the_books_sequence() {
    let fixture = Fixture::new().await;
    let socket_queue = SocketQueue::new(roomy());
    let _before = fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap();
    let before = drain(&socket_queue).remove(0);
    fixture.market.stop().await;
    assert_eq!(next(&socket_queue).await, Some(Outgoing::Closed(CloseReason::Shutdown)));
    let later = Settings { epoch: "epoch-2".to_owned(), ..settings() };
    let fixture = Fixture::on(fixture.journal, fixture.clock, later);
    let socket_queue = SocketQueue::new(roomy());
    let _after = fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap();
    let after = drain(&socket_queue).remove(0);
    assert_eq!((&before["seq"], &before["data"]), (&after["seq"], &after["data"]));
    assert_ne!(before["epoch"], after["epoch"]);
}

#[actix::test]
async fn frames_have_the_fields_that_the_protocol_names() {
    let fixture = Fixture::new().await;
    let lender = fixture.lender(1, 900_000).await;
    fixture.instant(lender, 600_000).await;
    fixture.gold(lender, 500_000).await;
    for (channel, name) in [(Channel::Market, "market"), (Channel::Book(GOLD), "book:g_2"), (Channel::Me(lender), "me")]
    {
        let socket_queue = SocketQueue::new(roomy());
        let _open = fixture.market.subscribe(channel, &socket_queue).await.unwrap();
        let snapshot = drain(&socket_queue).remove(0);
        assert_eq!((snapshot["type"].as_str(), snapshot["channel"].as_str()), (Some("snapshot"), Some(name)));
        assert_eq!(snapshot["epoch"], "epoch-1");
        assert!(snapshot["seq"].is_u64() && snapshot["data"].is_object());
    }
    let book = serde_json::to_value(&fixture.market.book(GOLD).await.unwrap().offers[0]).unwrap();
    assert_eq!((book["offerId"].as_str(), book["ltv_max"].as_u64()), (Some("of_20000000001"), Some(9_000)));
    assert_eq!((book["fungible_amount"].as_str(), book["state"].as_str()), (Some("10000000"), Some("live")));
    let mine = serde_json::to_value(&fixture.market.my_offers(lender).await.unwrap()[1]).unwrap();
    assert_eq!((mine["loanProcessType"].as_str(), mine["offerRanking"].as_u64()), (Some("Instant"), Some(1)));
    assert_eq!((mine["toLeadSats"].as_u64(), mine["isPausedFromMaxLTV"].as_bool()), (Some(0), Some(false)));
    assert_eq!((mine["unitPrice"].as_str(), mine["ltv"].as_f64()), (Some("10.00000000"), Some(50.0)));
    let row = serde_json::to_value(&*fixture.market.row(FROGS).unwrap()).unwrap();
    assert_eq!((row["floor"].as_u64(), row["collateralType"].as_str()), (Some(1_000_000), Some("inscription")));
    assert_eq!(row["instant"]["bestOffer"].as_u64(), Some(600_000));
    assert!(row["instant"]["maxAPY"].is_number() && row["manual"]["bestOffer"].is_null());
}
