//! Tests of notices: each is sent once, in time, and only to the sides of its loan.

use std::collections::BTreeSet;

use domain::{
    Ending, InterestRate, LoanEvent, LoanId, Mined, SubCollectionId, TermChange, TermChangeId, TermDays, UserId,
};
use engine::{
    clock::Clock,
    feed::{Channel, Outbox, OutboxLimits, Subscription},
    wire::NoticeKind,
};
use serde_json::Value;

use crate::{
    feed_client::{Mirror, drain},
    loan_players::LoanPlayers,
    stage::{FROGS, Stage, a_while, percent, price, until},
};

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// A user's private channel, with all notices on it after the snapshot.
struct Listener {
    outbox: Outbox,
    mirror: Mirror,
    told: Vec<Value>,
    raw: String,
    _subscription: Subscription,
}

impl Listener {
    async fn of(stage: &Stage, user: UserId) -> Self {
        let outbox = Outbox::new(OutboxLimits { frames_max: 1_000_000, bytes_max: usize::MAX / 2, lags_max: 0 });
        let subscription = stage.market.subscribe(Channel::Me(user), &outbox).await.unwrap();
        let mut listener = Self {
            outbox,
            mirror: Mirror::default(),
            told: Vec::new(),
            raw: String::new(),
            _subscription: subscription,
        };
        listener.read();
        listener
    }

    fn read(&mut self) {
        for frame in drain(&self.outbox) {
            self.mirror.take_in(&frame);
            self.raw += &frame.to_string();
            let ops = frame["ops"].as_array().into_iter().flatten();
            self.told.extend(ops.filter(|op| op["op"] == "notice").map(|op| op["notice"].clone()));
        }
    }

    fn kinds(&mut self) -> Vec<String> {
        self.read();
        self.told.iter().map(|notice| notice["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the latest notice is of this kind.
    async fn hears(&mut self, kind: &str) {
        until(kind, || self.kinds().last().is_some_and(|last| last == kind)).await;
    }
}

async fn accept(stage: &Stage, id: LoanId) {
    let until = stage.clock.now().plus_ms(12 * HOUR_MS);
    stage.market.await_lender(id, "secret".to_owned(), until).await.unwrap();
}

async fn begin(stage: &Stage, id: LoanId) {
    let signed = engine::SignedLoan { txid: [5; 32], running: "secret".to_owned(), vault: None, ends: None };
    stage.market.begin_loan(id, signed, None).await.unwrap();
    let mined = Mined { height: 100, at: stage.clock.now() };
    stage.market.step_loan(id, LoanEvent::Confirmed(mined)).await.unwrap();
}

#[actix::test]
async fn a_loan_yields_notices_step_by_step_and_by_time_alone() {
    let stage = Stage::new().await;
    let mut players = LoanPlayers::new(&stage, 1, 2).await;
    let (lender, borrower) = (players.users[0], players.users[1]);
    let (mut one, mut other) = (Listener::of(&stage, lender).await, Listener::of(&stage, borrower).await);
    let id = players.prepare_for(&stage, lender, borrower).await;
    accept(&stage, id).await;
    one.hears("counter_signature_needed").await;
    begin(&stage, id).await;
    one.hears("loan_started").await;
    assert_eq!(one.kinds(), ["offer_accepted", "counter_signature_needed", "loan_started"]);
    for (days, kind) in [(4, "due_in_72h"), (2, "due_in_24h"), (1, "overdue")] {
        stage.clock.advance_ms(days * DAY_MS);
        other.hears(kind).await;
    }
    assert_eq!(other.kinds(), ["loan_started", "due_in_72h", "due_in_24h", "overdue"]);
    let loan = other.mirror.things.values().find(|thing| thing["loanId"].is_string()).unwrap();
    assert_eq!(
        (&loan["isOverdue"], &loan["state"], &loan["waitsFor"]),
        (&true.into(), &"DEFAULTED".into(), &"repayment".into())
    );
    stage.clock.advance_ms(2 * DAY_MS);
    one.hears("claimable").await;
    assert_eq!(one.kinds()[3..], ["overdue", "claimable"]);
    let mined = Mined { height: 200, at: stage.clock.now() };
    stage.market.finish_loan(id, Ending::Repayment, [6; 32], mined).await.unwrap();
    one.hears("repaid").await;
    other.hears("repaid").await;
    assert!(!one.raw.contains("secret") && !other.raw.contains("secret"));
}

#[actix::test]
async fn notices_that_came_due_during_downtime_are_listed_once() {
    let stage = Stage::new().await;
    let mut players = LoanPlayers::new(&stage, 2, 2).await;
    let (lender, borrower) = (players.users[0], players.users[1]);
    let id = players.prepare_for(&stage, lender, borrower).await;
    accept(&stage, id).await;
    begin(&stage, id).await;
    let kinds = async |stage: &Stage| -> Vec<NoticeKind> {
        stage.market.my_notices(borrower).await.unwrap().iter().map(|notice| notice.kind).collect()
    };
    stage.clock.advance_ms(4 * DAY_MS);
    assert_eq!(kinds(&stage).await, [NoticeKind::DueIn72Hours, NoticeKind::LoanStarted]);
    stage.market.stop().await;
    stage.clock.advance_ms(3 * DAY_MS);
    let stage = Stage::on(stage.journal, stage.clock, crate::stage::settings());
    let all = [NoticeKind::Overdue, NoticeKind::DueIn24Hours, NoticeKind::DueIn72Hours, NoticeKind::LoanStarted];
    assert_eq!(kinds(&stage).await, all);
    let mut listener = Listener::of(&stage, borrower).await;
    stage.clock.advance_ms(5_000);
    a_while().await;
    assert!(listener.kinds().is_empty(), "{:?}", listener.told);
    assert_eq!(kinds(&stage).await, all);
}

#[actix::test]
async fn a_channel_equals_a_fresh_snapshot_and_repeats_no_notice() {
    for seed in [1, 2, 3] {
        println!("seed {seed}");
        let stage = Stage::new().await;
        let mut players = LoanPlayers::new(&stage, seed, 3).await;
        let users = players.users.clone();
        let mut listeners = Vec::new();
        for user in &users {
            listeners.push(Listener::of(&stage, *user).await);
        }
        for _ in 0..120 {
            players.play(&stage).await;
        }
        // Notices by time are sent within a second of the clock.
        stage.clock.advance_ms(1_001);
        a_while().await;
        for (user, listener) in users.iter().zip(&mut listeners) {
            let mut fresh = Listener::of(&stage, *user).await;
            for _ in 0..200 {
                listener.read();
                if listener.mirror.shows() == fresh.mirror.shows() {
                    break;
                }
                a_while().await;
                fresh = Listener::of(&stage, *user).await;
            }
            assert_eq!(listener.mirror.shows(), fresh.mirror.shows(), "seed {seed}");
            let told: BTreeSet<&String> = listener.mirror.things.keys().map(|(_, id)| id).collect();
            let missing: Vec<_> = fresh.mirror.things.keys().filter(|(_, id)| !told.contains(id)).collect();
            assert!(missing.is_empty(), "seed {seed}: no notice of {missing:?}");
            let mut given: Vec<(String, u64)> = Vec::new();
            for notice in &listener.told {
                let key = (notice["id"].as_str().unwrap().to_owned(), notice["at"].as_u64().unwrap());
                let again = given.contains(&key);
                assert!(!again || stage_can_repeat(notice), "seed {seed}: twice {notice}");
                given.push(key);
            }
        }
        stage.market.stop().await;
    }
}

/// Whether a notice may repeat: a start or an end that a reorg unconfirmed, and that another block confirmed, yields
/// new notices.
fn stage_can_repeat(notice: &Value) -> bool {
    ["loan_started", "repaid", "claimed", "due_in_72h", "due_in_24h", "overdue", "repayment_waits", "claimable"]
        .iter()
        .any(|kind| notice["kind"] == *kind)
}

#[actix::test]
async fn no_user_gets_data_of_other_users_loans() {
    let stage = Stage::new().await;
    let mut players = LoanPlayers::new(&stage, 7, 2).await;
    let (stranger, mut all) = (stage.user(8).await, Vec::new());
    let mut quiet = Listener::of(&stage, stranger).await;
    for user in players.users.clone() {
        all.push((user, Listener::of(&stage, user).await));
    }
    for _ in 0..60 {
        players.play(&stage).await;
    }
    a_while().await;
    quiet.read();
    assert_eq!((quiet.mirror.deltas, quiet.mirror.things.len()), (0, 0), "{}", quiet.raw);
    for (user, mut listener) in all {
        listener.read();
        assert!(listener.mirror.deltas > 0);
        for id in &players.loans {
            let is_theirs = match stage.market.loan(*id).await {
                Some(loan) => loan.role_of(user).is_some(),
                None => players.borrowers[id] == user,
            };
            if !is_theirs {
                assert!(!listener.raw.contains(&id.to_string()), "{user} got data of {id}");
            }
        }
    }
}

#[actix::test]
async fn a_lender_is_notified_of_pauses_and_of_new_terms() {
    let stage = Stage::new().await;
    let lender = stage.lender(1, 900_000).await;
    let offer = stage.instant(lender, 850_000).await;
    stage.instant(lender, 40_000).await;
    let mut listener = Listener::of(&stage, lender).await;
    assert!(percent(90) > percent(85));
    stage.market.move_price(FROGS, price(FROGS, 90), stage.clock.now()).await.unwrap();
    listener.hears("offer_paused").await;
    assert_eq!((listener.told.len(), &listener.told[0]["offerId"]), (1, &offer.to_string().into()));
    stage.market.move_price(FROGS, price(FROGS, 100), stage.clock.now()).await.unwrap();
    stage.clock.advance_ms(1_000);
    stage.market.move_price(FROGS, price(FROGS, 89), stage.clock.now()).await.unwrap();
    until("it is paused again", || listener.kinds().len() == 2).await;
    assert_ne!(listener.told[0]["id"], listener.told[1]["id"]);
    let change = TermChange {
        id: TermChangeId(1),
        interest: InterestRate::from_basis_points(300),
        term: TermDays(9),
        change_at: stage.clock.now().plus_ms(DAY_MS),
    };
    let schedule = domain::Command::ScheduleTermChange { sub_collection: SubCollectionId(0), change };
    stage.give(FROGS, schedule).await.unwrap();
    listener.hears("term_change").await;
    assert_eq!(listener.kinds().len(), 3, "one change yields one notice, however many offers it concerns");

    let before = stage.market.my_notices(lender).await.unwrap();
    let kinds: Vec<NoticeKind> = before.iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds.len(), 2, "{before:?}");
    assert!(kinds.contains(&NoticeKind::OfferPaused) && kinds.contains(&NoticeKind::TermChange));
    let stage = stage.restarted().await;
    assert_eq!(stage.market.my_notices(lender).await.unwrap(), before, "the same after a restart");
}
