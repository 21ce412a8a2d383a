//! Tests of notices: each is sent once, in time, and only to the sides of its loan.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use domain::{
    BlockTime, Ending, InterestRate, LoanEvent, LoanId, SubCollectionId, TermChange, TermChangeId, TermDays, UserId,
};
use engine::{
    clock::Clock,
    feed::{Channel, SocketQueue, SocketQueueLimits, Subscription},
    wire::NoticeKind,
};
use serde_json::Value;

use crate::{
    feed_client::{Mirror, drain},
    fixture::{FROGS, Fixture, percent, price, short_delay, until},
    random_loans::RandomLoans,
};

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
/// The limit of the wait for the end of all changes on a channel.
const CHANNEL_TIMEOUT: Duration = Duration::from_secs(90);

/// A user's private channel, with all notices on it after the snapshot.
pub(crate) struct Listener {
    socket_queue: SocketQueue,
    mirror: Mirror,
    notices: Vec<Value>,
    pub(crate) raw: String,
    _subscription: Subscription,
}

impl Listener {
    pub(crate) async fn of(fixture: &Fixture, user: UserId) -> Self {
        let socket_queue =
            SocketQueue::new(SocketQueueLimits { frames_max: 1_000_000, bytes_max: usize::MAX / 2, lags_max: 0 });
        let subscription = fixture.market.subscribe(Channel::Me(user), &socket_queue).await.unwrap();
        let mut listener = Self {
            socket_queue,
            mirror: Mirror::default(),
            notices: Vec::new(),
            raw: String::new(),
            _subscription: subscription,
        };
        listener.read();
        listener
    }

    pub(crate) fn read(&mut self) {
        for frame in drain(&self.socket_queue) {
            self.mirror.apply(&frame);
            self.raw += &frame.to_string();
            let ops = frame["ops"].as_array().into_iter().flatten();
            self.notices.extend(ops.filter(|op| op["op"] == "notice").map(|op| op["notice"].clone()));
        }
    }

    /// The notices that another one has and this one lacks.
    fn missing(&self, other: &Self) -> Vec<String> {
        let received: BTreeSet<&String> = self.mirror.items.keys().map(|(_, id)| id).collect();
        let ids = other.mirror.items.keys().map(|(_, id)| id);
        ids.filter(|id| !received.contains(id)).cloned().collect()
    }

    fn kinds(&mut self) -> Vec<String> {
        self.read();
        self.notices.iter().map(|notice| notice["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the latest notice is of this kind.
    async fn receives(&mut self, kind: &str) {
        until(kind, || self.kinds().last().is_some_and(|last| last == kind)).await;
    }
}

async fn accept(fixture: &Fixture, id: LoanId) {
    let until = fixture.clock.now().plus_ms(12 * HOUR_MS);
    fixture.market.await_lender(id, "secret".to_owned(), until).await.unwrap();
}

async fn begin(fixture: &Fixture, id: LoanId) {
    let signed = engine::SignedLoan { txid: [5; 32], running: "secret".to_owned(), vault: None, ends: None };
    fixture.market.begin_loan(id, signed, None).await.unwrap();
    let mined = BlockTime { height: 100, at: fixture.clock.now() };
    fixture.market.step_loan(id, LoanEvent::Confirmed(mined)).await.unwrap();
}

#[actix::test]
async fn each_step_of_a_loan_and_each_due_time_yields_a_notice() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 1, 2).await;
    let (lender, borrower) = (random_loans.users[0], random_loans.users[1]);
    let (mut one, mut other) = (Listener::of(&fixture, lender).await, Listener::of(&fixture, borrower).await);
    let id = random_loans.prepare_for(&fixture, lender, borrower).await;
    accept(&fixture, id).await;
    one.receives("counter_signature_needed").await;
    begin(&fixture, id).await;
    one.receives("loan_started").await;
    assert_eq!(one.kinds(), ["offer_accepted", "counter_signature_needed", "loan_started"]);
    for (days, kind) in [(4, "due_in_72h"), (2, "due_in_24h"), (1, "overdue")] {
        fixture.clock.advance_ms(days * DAY_MS);
        other.receives(kind).await;
    }
    assert_eq!(other.kinds(), ["loan_started", "due_in_72h", "due_in_24h", "overdue"]);
    let loan = other.mirror.items.values().find(|item| item["loanId"].is_string()).unwrap();
    assert_eq!(
        (&loan["isOverdue"], &loan["state"], &loan["waitsFor"]),
        (&true.into(), &"DEFAULTED".into(), &"repayment".into())
    );
    fixture.clock.advance_ms(2 * DAY_MS);
    one.receives("claimable").await;
    assert_eq!(one.kinds()[3..], ["overdue", "claimable"]);
    let mined = BlockTime { height: 200, at: fixture.clock.now() };
    fixture.market.finish_loan(id, Ending::Repayment, [6; 32], mined).await.unwrap();
    one.receives("repaid").await;
    other.receives("repaid").await;
    assert!(!one.raw.contains("secret") && !other.raw.contains("secret"));
}

#[actix::test]
async fn notices_that_came_due_during_downtime_are_listed_once() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 2, 2).await;
    let (lender, borrower) = (random_loans.users[0], random_loans.users[1]);
    let id = random_loans.prepare_for(&fixture, lender, borrower).await;
    accept(&fixture, id).await;
    begin(&fixture, id).await;
    let kinds = async |fixture: &Fixture| -> Vec<NoticeKind> {
        fixture.market.my_notices(borrower).await.unwrap().iter().map(|notice| notice.kind).collect()
    };
    fixture.clock.advance_ms(4 * DAY_MS);
    assert_eq!(kinds(&fixture).await, [NoticeKind::DueIn72Hours, NoticeKind::LoanStarted]);
    fixture.market.stop().await;
    fixture.clock.advance_ms(3 * DAY_MS);
    let fixture = Fixture::on(fixture.journal, fixture.clock, crate::fixture::settings());
    let all = [NoticeKind::Overdue, NoticeKind::DueIn24Hours, NoticeKind::DueIn72Hours, NoticeKind::LoanStarted];
    assert_eq!(kinds(&fixture).await, all);
    let mut listener = Listener::of(&fixture, borrower).await;
    fixture.clock.advance_ms(5_000);
    short_delay().await;
    assert!(listener.kinds().is_empty(), "{:?}", listener.notices);
    assert_eq!(kinds(&fixture).await, all);
}

#[actix::test]
async fn a_channel_equals_a_fresh_snapshot_and_repeats_no_notice() {
    for seed in [1, 2, 3] {
        println!("seed {seed}");
        let fixture = Fixture::new().await;
        let mut random_loans = RandomLoans::new(&fixture, seed, 3).await;
        let users = random_loans.users.clone();
        let mut listeners = Vec::new();
        for user in &users {
            listeners.push(Listener::of(&fixture, *user).await);
        }
        for _ in 0..120 {
            random_loans.random_step(&fixture).await;
        }
        // Notices by time are sent within a second of the clock.
        fixture.clock.advance_ms(1_001);
        short_delay().await;
        for (user, listener) in users.iter().zip(&mut listeners) {
            let began = Instant::now();
            loop {
                listener.read();
                let fresh = Listener::of(&fixture, *user).await;
                let missing = listener.missing(&fresh);
                if listener.mirror.state() == fresh.mirror.state() && missing.is_empty() {
                    break;
                }
                if began.elapsed() > CHANNEL_TIMEOUT {
                    assert_eq!(listener.mirror.state(), fresh.mirror.state(), "seed {seed}");
                    panic!("seed {seed}: no notice of {missing:?}");
                }
                short_delay().await;
            }
            let mut seen: Vec<(String, u64)> = Vec::new();
            for notice in &listener.notices {
                let key = (notice["id"].as_str().unwrap().to_owned(), notice["at"].as_u64().unwrap());
                let again = seen.contains(&key);
                assert!(!again || may_repeat(notice), "seed {seed}: twice {notice}");
                seen.push(key);
            }
        }
        fixture.market.stop().await;
    }
}

/// Whether a notice may repeat: a start or an end that a reorg unconfirmed, and that another block confirmed, yields
/// new notices.
fn may_repeat(notice: &Value) -> bool {
    ["loan_started", "repaid", "claimed", "due_in_72h", "due_in_24h", "overdue", "repayment_waits", "claimable"]
        .iter()
        .any(|kind| notice["kind"] == *kind)
}

#[actix::test]
async fn no_user_gets_data_of_other_users_loans() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 7, 2).await;
    let (other_user, mut all) = (fixture.user(8).await, Vec::new());
    let mut other_listener = Listener::of(&fixture, other_user).await;
    for user in random_loans.users.clone() {
        all.push((user, Listener::of(&fixture, user).await));
    }
    for _ in 0..60 {
        random_loans.random_step(&fixture).await;
    }
    short_delay().await;
    other_listener.read();
    assert_eq!((other_listener.mirror.deltas, other_listener.mirror.items.len()), (0, 0), "{}", other_listener.raw);
    for (user, mut listener) in all {
        listener.read();
        assert!(listener.mirror.deltas > 0);
        for id in &random_loans.loans {
            let is_theirs = match fixture.market.loan(*id).await {
                Some(loan) => loan.role_of(user).is_some(),
                None => random_loans.borrowers[id] == user,
            };
            if !is_theirs {
                assert!(!listener.raw.contains(&id.to_string()), "{user} got data of {id}");
            }
        }
    }
}

#[actix::test]
async fn a_lender_is_notified_of_pauses_and_of_new_terms() {
    let fixture = Fixture::new().await;
    let lender = fixture.lender(1, 900_000).await;
    let offer = fixture.instant(lender, 850_000).await;
    fixture.instant(lender, 40_000).await;
    let mut listener = Listener::of(&fixture, lender).await;
    assert!(percent(90) > percent(85));
    fixture.market.move_price(FROGS, price(FROGS, 90), fixture.clock.now()).await.unwrap();
    listener.receives("offer_paused").await;
    assert_eq!((listener.notices.len(), &listener.notices[0]["offerId"]), (1, &offer.to_string().into()));
    fixture.market.move_price(FROGS, price(FROGS, 100), fixture.clock.now()).await.unwrap();
    fixture.clock.advance_ms(1_000);
    fixture.market.move_price(FROGS, price(FROGS, 89), fixture.clock.now()).await.unwrap();
    until("it is paused again", || listener.kinds().len() == 2).await;
    assert_ne!(listener.notices[0]["id"], listener.notices[1]["id"]);
    let change = TermChange {
        id: TermChangeId(1),
        interest: InterestRate::from_basis_points(300),
        term: TermDays(9),
        change_at: fixture.clock.now().plus_ms(DAY_MS),
    };
    let schedule = domain::Command::ScheduleTermChange { sub_collection: SubCollectionId(0), change };
    fixture.submit(FROGS, schedule).await.unwrap();
    listener.receives("term_change").await;
    assert_eq!(listener.kinds().len(), 3, "one change yields one notice, however many offers it concerns");

    let before = fixture.market.my_notices(lender).await.unwrap();
    let kinds: Vec<NoticeKind> = before.iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds.len(), 2, "{before:?}");
    assert!(kinds.contains(&NoticeKind::OfferPaused) && kinds.contains(&NoticeKind::TermChange));
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.my_notices(lender).await.unwrap(), before, "the same after a restart");
}
