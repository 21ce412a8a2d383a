//! Tests of halts: they are durable before they are shown, survive a restart, and reach followers and their readers.

use domain::{Event, HaltEvent, HaltReason, HaltRejection, HaltScope, LoanId, LoanStage, ProcessType, Sats, Stream};
use engine::{
    Refusal,
    clock::Clock as _,
    feed::{Channel, SocketQueue},
};
use serde_json::{Value, json};

use crate::{
    actions::outpoint,
    fake_journal::{events_of, streams_of},
    feed::roomy,
    feed_client::drain,
    fixture::{FROGS, Fixture, NOON, settings, until_read},
    loans::{UNTIL, prepared, signed},
};

const SCOPE: HaltScope = HaltScope::NewLoans;
const PRINCIPAL: Sats = Sats::new(600_000);

fn reason(text: &str) -> HaltReason {
    HaltReason::parse(text).unwrap()
}

/// The halts that a market shows, as their reasons.
fn shown(fixture: &Fixture) -> Vec<String> {
    fixture.market.halts().iter().map(|halt| halt.reason.clone()).collect()
}

#[actix::test]
async fn a_halt_is_one_durable_event_with_its_reason_and_its_beginning() {
    let fixture = Fixture::new().await;
    let resumed = fixture.market.resume_halted(SCOPE).await;
    assert_eq!(resumed, Err(Refusal::Halt(HaltRejection::NotHalted(SCOPE))));
    let first = fixture.market.halt(SCOPE, reason("indexers disagree")).await.unwrap();
    assert_eq!(first.since, fixture.clock.now());
    let batch = fixture.journal.last_batch();
    assert_eq!(streams_of(&batch), [Stream::Halts]);
    let halted = HaltEvent::Halted { scope: SCOPE, reason: reason("indexers disagree") };
    assert_eq!(events_of(&batch, Stream::Halts), [Event::Halt(halted)]);
    let batches = fixture.journal.batches().len();
    fixture.market.halt(SCOPE, reason("indexers disagree")).await.unwrap();
    assert_eq!(fixture.journal.batches().len(), batches, "the same again writes nothing");
    fixture.clock.advance_ms(60_000);
    let changed = fixture.market.halt(SCOPE, reason("a deep reorg")).await.unwrap();
    assert_eq!((changed.since, shown(&fixture)), (first.since, vec!["a deep reorg".to_owned()]));
    assert_eq!(fixture.market.figures().new_loans_halted_since, Some(first.since));
    assert_eq!(fixture.market.resume_halted(SCOPE).await.unwrap(), changed);
    assert_eq!((shown(&fixture), fixture.market.figures().new_loans_halted_since), (vec![], None));
}

#[actix::test]
async fn the_ledger_refuses_each_step_of_a_new_loan_and_no_end_of_one() {
    let fixture = Fixture::new().await;
    let (lender, borrower) = (fixture.user(1).await, fixture.user(2).await);
    let ids = [LoanId(41), LoanId(42), LoanId(43)];
    for (coin, id) in (1..).zip(ids) {
        let offer = fixture.manual(lender, PRINCIPAL.get()).await;
        let event = prepared(outpoint(coin), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
        fixture.market.prepare_loan(id, event).await.unwrap();
    }
    let [begun, accepted, waiting] = ids;
    for id in [begun, accepted] {
        fixture.market.await_lender(id, "answer".to_owned(), UNTIL).await.unwrap();
    }
    fixture.market.begin_loan(begun, signed(), None).await.unwrap();
    let halt = fixture.market.halt(SCOPE, reason("a deep reorg")).await.unwrap();
    let refused = Err(Refusal::Halt(HaltRejection::NewLoans { halt }));
    let batches = fixture.journal.batches().len();
    let offer = fixture.market.loan(waiting).await.unwrap().deal.offer;
    let event = prepared(outpoint(9), offer, ProcessType::Manual, lender, borrower, PRINCIPAL);
    assert_eq!(fixture.market.prepare_loan(LoanId(44), event).await, refused);
    assert_eq!(fixture.market.await_lender(waiting, "answer".to_owned(), UNTIL).await, refused);
    assert_eq!(fixture.market.hold_loan(waiting, UNTIL).await, refused);
    assert_eq!(fixture.market.begin_loan(accepted, signed(), None).await, refused);
    assert_eq!(fixture.market.check_new_loan().await, refused);
    assert_eq!(fixture.journal.batches().len(), batches);
    for id in [accepted, waiting] {
        fixture.market.cancel_loan(id, domain::CancelledBy::Borrower).await.unwrap();
    }
    let mined = domain::BlockTime { height: 100, at: NOON };
    fixture.market.step_loan(begun, domain::LoanEvent::Confirmed(mined)).await.unwrap();
    fixture.market.finish_loan(begun, domain::Ending::Repayment, [7; 32], mined).await.unwrap();
    assert_eq!(fixture.market.loan(begun).await.unwrap().stage, LoanStage::Repaid);
}

#[actix::test]
async fn a_halt_survives_a_restart_and_ends_by_command_alone() {
    let fixture = Fixture::new().await;
    let halt = fixture.market.halt(SCOPE, reason("wrong prices")).await.unwrap();
    let fixture = fixture.restarted().await;
    assert_eq!(shown(&fixture), ["wrong prices"]);
    assert_eq!(fixture.market.resume_halted(SCOPE).await.unwrap(), halt);
    let fixture = fixture.restarted().await;
    assert_eq!(shown(&fixture), Vec::<String>::new());
    fixture.market.check_new_loan().await.unwrap();
}

/// The operations of the deltas that wait in a queue.
fn ops(queue: &SocketQueue) -> Vec<Value> {
    let deltas = drain(queue).into_iter().filter(|frame| frame["type"] == "delta");
    deltas.flat_map(|frame| frame["ops"].as_array().unwrap().clone()).collect()
}

#[actix::test]
async fn readers_of_the_writer_and_of_a_follower_see_a_halt_and_its_end_at_once() {
    let writer = Fixture::new().await;
    let (other, follower) = Fixture::following(&writer.journal, writer.clock.clone(), settings());
    let catch_up = async || {
        for commit in follower.commits(usize::MAX) {
            other.market.apply(commit).await.unwrap();
        }
    };
    let queues = [SocketQueue::new(roomy()), SocketQueue::new(roomy())];
    let _open = [
        writer.market.subscribe(Channel::Halts, &queues[0]).await.unwrap(),
        other.market.subscribe(Channel::Halts, &queues[1]).await.unwrap(),
    ];
    for queue in &queues {
        let [snapshot] = &drain(queue)[..] else { panic!("one frame") };
        assert_eq!((&snapshot["channel"], &snapshot["data"]), (&json!("halts"), &json!({"halts": []})));
    }
    assert_eq!(other.market.halt(SCOPE, reason("no")).await, Err(Refusal::Following), "a follower decides nothing");
    writer.market.halt(SCOPE, reason("fees")).await.unwrap();
    catch_up().await;
    let halt = json!({"scope": "new_loans", "since": writer.clock.now(), "reason": "fees"});
    for queue in &queues {
        let mut seen = Vec::new();
        until_read("the halt", async || {
            seen.extend(ops(queue));
            seen == [json!({"op": "halt", "halt": halt})]
        })
        .await;
    }
    assert_eq!(shown(&other), ["fees"]);
    writer.market.resume_halted(SCOPE).await.unwrap();
    catch_up().await;
    for queue in &queues {
        let mut seen = Vec::new();
        until_read("its end", async || {
            seen.extend(ops(queue));
            seen == [json!({"op": "halt_gone", "scope": "new_loans"})]
        })
        .await;
    }
    assert_eq!(shown(&other), Vec::<String>::new());

    // A follower that takes over keeps the halt.
    writer.market.halt(SCOPE, reason("fees again")).await.unwrap();
    catch_up().await;
    writer.market.stop().await;
    other.market.begin_deciding().await;
    assert!(other.market.check_new_loan().await.is_err());
    assert!(other.market.row(FROGS).is_some());
    other.market.resume_halted(SCOPE).await.unwrap();
}
