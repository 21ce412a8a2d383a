//! Tests of durability: nothing leaves before it is durable.

use domain::{Command, Rejection};
use engine::{
    Refusal,
    feed::{Channel, SocketQueue, SocketQueueLimits},
};

use crate::{
    actions::{create, frog_draft},
    feed_client::{drain, seqs, until_rows_are_sent},
    fixture::{FROGS, Fixture, MANUAL, short_delay, spawn, until},
};

#[actix::test]
async fn no_answer_read_or_frame_leaves_before_its_state_is_durable() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let socket_queue = SocketQueue::new(SocketQueueLimits::default());
    let _open = fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap();
    let _mine = fixture.market.subscribe(Channel::Me(lender), &socket_queue).await.unwrap();
    let _rows = fixture.market.subscribe(Channel::Market, &socket_queue).await.unwrap();
    assert!(until_rows_are_sent(&fixture, &socket_queue).await.len() >= 3);

    fixture.journal.hold();
    let market = fixture.market.clone();
    let command = spawn(async move { market.command(FROGS, create(lender, frog_draft(MANUAL, 500_000)), None).await });
    until("the command is in the journal", || fixture.journal.waiting() == 1).await;
    let market = fixture.market.clone();
    let book = spawn(async move { market.book(FROGS).await });
    let market = fixture.market.clone();
    let mine = spawn(async move { market.my_offers(lender).await });
    let market = fixture.market.clone();
    let late = SocketQueue::new(SocketQueueLimits::default());
    let late_socket = late.clone();
    let join = spawn(async move { market.subscribe(Channel::Book(FROGS), &late_socket).await });
    short_delay().await;
    assert!(!command.is_finished() && !book.is_finished() && !mine.is_finished() && !join.is_finished());
    assert_eq!((drain(&socket_queue), drain(&late)), (vec![], vec![]));
    assert_eq!(fixture.market.row(FROGS).unwrap().manual.as_ref().unwrap().offer_count, 0);

    fixture.journal.let_all_go();
    assert_eq!(command.await.unwrap().unwrap().offers.len(), 1);
    assert_eq!(book.await.unwrap().unwrap().offers.len(), 1);
    assert_eq!(mine.await.unwrap().unwrap().len(), 1);
    let _join = join.await.unwrap().unwrap();
    // Published before it was answered, and included in the late subscriber's snapshot.
    assert_eq!(fixture.market.row(FROGS).unwrap().manual.as_ref().unwrap().offer_count, 1);
    let late = drain(&late);
    assert_eq!(late[0]["data"]["offers"].as_array().unwrap().len(), 1);
    assert!(drain(&socket_queue).iter().any(|frame| frame["ops"][0]["op"] == "offer"));
}

#[actix::test]
async fn a_refusal_waits_until_the_state_it_reveals_is_durable() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let offer = fixture.manual(lender, 500_000).await;
    fixture.journal.hold();
    let cancel = Command::Cancel { lender, offer };
    let (market, again) = (fixture.market.clone(), cancel.clone());
    let first = spawn(async move { market.command(FROGS, cancel, None).await });
    until("the first is in the journal", || fixture.journal.waiting() == 1).await;
    let market = fixture.market.clone();
    let second = spawn(async move { market.command(FROGS, again, None).await });
    short_delay().await;
    assert!(!first.is_finished() && !second.is_finished());
    fixture.journal.let_all_go();
    assert!(first.await.unwrap().is_ok());
    assert_eq!(second.await.unwrap(), Err(Refusal::Book(Rejection::UnknownOffer(offer))));
}

#[actix::test]
async fn a_refused_nonce_waits_until_its_first_use_is_durable() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let nonce_use = fixture.nonce();
    fixture.journal.hold();
    let market = fixture.market.clone();
    let first = spawn(async move { market.use_nonce(nonce_use).await });
    until("the first is in the journal", || fixture.journal.waiting() == 1).await;
    let market = fixture.market.clone();
    let draft = frog_draft(MANUAL, 500_000);
    let second = spawn(async move { market.command(FROGS, create(lender, draft), Some(nonce_use)).await });
    short_delay().await;
    assert!(!first.is_finished() && !second.is_finished());
    fixture.journal.let_all_go();
    assert!(first.await.unwrap().is_ok());
    assert_eq!(second.await.unwrap(), Err(Refusal::Account(domain::AccountRejection::NonceUsed)));
}

#[actix::test]
async fn answers_and_deltas_keep_the_order_of_the_journal() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let socket_queue = SocketQueue::new(SocketQueueLimits::default());
    let _open = fixture.market.subscribe(Channel::Book(FROGS), &socket_queue).await.unwrap();
    fixture.journal.hold();
    let mut answers = Vec::new();
    for number in 0..20_u64 {
        let market = fixture.market.clone();
        let draft = frog_draft(MANUAL, 500_000 + number);
        answers.push(spawn(async move { market.command(FROGS, create(lender, draft), None).await.unwrap().sequence }));
        until("it is in the journal", || fixture.journal.waiting() > usize::try_from(number).unwrap()).await;
    }
    let first = fixture.journal.head(domain::Stream::Book(FROGS)) - 19;
    for batch in 0..20_u64 {
        assert!(!answers[usize::try_from(batch).unwrap()].is_finished());
        fixture.journal.let_go(1);
        let place = usize::try_from(batch).unwrap();
        until("it is answered", || answers[place].is_finished()).await;
    }
    for (number, answer) in (0..).zip(answers) {
        assert_eq!(answer.await.unwrap(), first + number);
    }
    let frames = drain(&socket_queue);
    let mut last = frames[0]["seq"].as_u64().unwrap();
    for (prev, seq) in seqs(&frames[1..]) {
        assert_eq!(prev, last);
        last = seq;
    }
    assert_eq!(last, first + 19);
}

#[actix::test]
async fn a_lost_writer_ends_the_process_and_acknowledges_nothing() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    fixture.journal.hold();
    let market = fixture.market.clone();
    let command = spawn(async move { market.command(FROGS, create(lender, frog_draft(MANUAL, 500_000)), None).await });
    until("the command is in the journal", || fixture.journal.waiting() == 1).await;
    fixture.journal.lose_writer();
    assert_eq!(command.await.unwrap(), Err(Refusal::Closed));
    assert_eq!(fixture.ends.lock().unwrap().len(), 1);
    assert_eq!(fixture.market.book(FROGS).await, Err(Refusal::Closed));
    assert_eq!(fixture.market.row(FROGS).unwrap().manual.as_ref().unwrap().offer_count, 0);
}

#[actix::test]
async fn a_closed_journal_refuses_without_ending_the_process() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    fixture.journal.close();
    let refused = fixture.submit(FROGS, create(lender, frog_draft(MANUAL, 500_000))).await;
    assert_eq!(refused, Err(Refusal::Closed));
    assert_eq!(fixture.market.credit_vault(lender, domain::Sats::new(1)).await, Err(Refusal::Closed));
    assert_eq!(fixture.market.vault(lender).await, None);
    assert!(fixture.ends.lock().unwrap().is_empty());
}

#[actix::test]
async fn a_stop_waits_for_what_was_accepted_and_refuses_the_rest() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    fixture.journal.hold();
    let market = fixture.market.clone();
    let command = spawn(async move { market.command(FROGS, create(lender, frog_draft(MANUAL, 500_000)), None).await });
    until("the command is in the journal", || fixture.journal.waiting() == 1).await;
    let market = fixture.market.clone();
    let stop = spawn(async move { market.stop().await });
    short_delay().await;
    assert!(!stop.is_finished());
    assert_eq!(fixture.market.book(FROGS).await, Err(Refusal::Closed));
    fixture.journal.let_all_go();
    stop.await.unwrap();
    assert_eq!(command.await.unwrap().unwrap().offers.len(), 1);
}
