//! Tests of messages out of the app: none is lost and each is delivered once, except one that was being handed over
//! when the process died; and none is older than the contact.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    ContactWay, Ending, Handover, LoanEvent, LoanId, Message, MessageContent, Mined, NoticeChoices, NoticeKind, Outbox,
    OutboxEvent, UserId, WhyGivenUp,
};
use engine::{
    Refusal,
    clock::{Clock as _, ManualClock},
};

use crate::{
    fake_journal::FakeJournal,
    loan_players::LoanPlayers,
    stage::{Stage, settings},
};

const DAY_MS: u64 = 24 * 3_600_000;
const WAYS: [ContactWay; 2] = [ContactWay::Email, ContactWay::Telegram];

/// The messages that the other side has accepted, each with the number of batches in the journal at its handover.
type Taken = Vec<(Message, usize)>;

/// Makes a user reachable in both ways, for all kinds of notices.
async fn reach(stage: &Stage, user: UserId) {
    stage.market.give_email(user, &format!("{user}@example.org")).await.unwrap();
    let serial = stage.market.contact(user).await.unwrap().email.unwrap().serial;
    stage.market.verify_email(user, serial).await.unwrap();
    stage.market.link_telegram(user, i64::try_from(user.0).unwrap()).await.unwrap();
    let kinds = NoticeKind::ALL.into_iter().collect();
    stage.market.choose_notices(user, NoticeChoices { critical_alerts: true, kinds }).await.unwrap();
}

/// Queues and hands over everything; every message is accepted.
async fn carry(stage: &Stage, taken: &mut Taken) {
    for user in stage.market.reachable_people(None) {
        stage.market.queue_notices(user, &WAYS).await.unwrap();
    }
    for way in WAYS {
        while let Some(due) = stage.market.due_messages(way, 1).pop() {
            stage.market.hand_message(due.message.id).await.unwrap();
            taken.push((due.message.clone(), stage.journal.batches_count()));
            stage.market.settle_message(due.message.id, Handover::Taken).await.unwrap();
        }
    }
}

type Counts = BTreeMap<(UserId, ContactWay, String), usize>;

fn notices(taken: &Taken) -> Counts {
    let mut counts = Counts::new();
    for (message, _) in taken {
        if let MessageContent::Notice(facts) = &message.content {
            *counts.entry((message.user, message.way, facts.id.clone())).or_default() += 1;
        }
    }
    counts
}

/// Runs a loan from its acceptance to its repayment, delivering messages in between.
async fn lend(stage: &Stage, players: &mut LoanPlayers, taken: &mut Taken) -> LoanId {
    let (lender, borrower) = (players.users[0], players.users[1]);
    let id = players.prepare_for(stage, lender, borrower).await;
    let until = stage.clock.now().plus_ms(DAY_MS / 2);
    stage.market.await_lender(id, "secret".to_owned(), until).await.unwrap();
    carry(stage, taken).await;
    let signed = engine::SignedLoan { txid: [5; 32], running: "secret".to_owned(), vault: None, ends: None };
    stage.market.begin_loan(id, signed, None).await.unwrap();
    let mined = Mined { height: 100, at: stage.clock.now() };
    stage.market.step_loan(id, LoanEvent::Confirmed(mined)).await.unwrap();
    carry(stage, taken).await;
    let (ending, txid) = (Ending::Repayment, [6; 32]);
    let signed = LoanEvent::EndingSigned { ending, txid, transaction: "secret".to_owned() };
    stage.market.step_loan(id, signed).await.unwrap();
    let mined = Mined { height: 101, at: stage.clock.now() };
    stage.market.step_loan(id, LoanEvent::Ended { ending, txid, mined }).await.unwrap();
    carry(stage, taken).await;
    id
}

#[actix::test]
async fn each_notice_since_the_contact_is_delivered_once_in_each_way() {
    let stage = Stage::new().await;
    let mut players = LoanPlayers::new(&stage, 1, 2).await;
    let mut taken = Taken::new();
    let before = lend(&stage, &mut players, &mut taken).await;
    assert_eq!(taken.len(), 0, "no user is reachable");
    stage.clock.advance_ms(1);
    let (lender, borrower) = (players.users[0], players.users[1]);
    reach(&stage, lender).await;
    reach(&stage, borrower).await;
    let id = lend(&stage, &mut players, &mut taken).await;
    carry(&stage, &mut taken).await;
    let told = notices(&taken);
    let expected = |user| if user == lender { 4 } else { 2 };
    for user in [lender, borrower] {
        for way in WAYS {
            let count = told.keys().filter(|(whose, how, _)| (*whose, *how) == (user, way)).count();
            assert_eq!(count, expected(user), "{user} {way:?}: {told:?}");
        }
    }
    assert!(told.values().all(|count| *count == 1) && !told.keys().any(|(_, _, id)| id.contains(&before.to_string())));
    assert!(told.keys().all(|(_, _, notice)| notice.contains(&id.to_string())));
    // A user who is not reachable gets no messages.
    assert_eq!(stage.market.queue_notices(stage.user(9).await, &WAYS).await, Ok(0));
}

#[actix::test]
async fn a_crash_at_any_batch_loses_no_message_and_repeats_only_one_being_handed_over() {
    let stage = Stage::new().await;
    let mut players = LoanPlayers::new(&stage, 2, 2).await;
    let users = players.users.clone();
    let first = stage.journal.batches_count();
    for user in &users {
        reach(&stage, *user).await;
    }
    let mut taken = Taken::new();
    lend(&stage, &mut players, &mut taken).await;
    let all = notices(&taken);
    assert!(all.len() > 10);
    let (last, now) = (stage.journal.batches_count(), stage.clock.now());
    let (mut cuts, mut repeats) = (0, 0);
    for cut in first..=last {
        let clock = Arc::new(ManualClock::new(now));
        let after = Stage::on(stage.journal.cut_to(cut), clock, settings());
        // A message is handed over after the batch that records the handover, and before the batch with its outcome.
        let mut told: Taken = taken.iter().filter(|(_, batches)| *batches <= cut).cloned().collect();
        let handed_last = handed_without_outcome(&after.journal);
        let again = told.last().filter(|_| handed_last).map(|(message, _)| message.clone());
        assert_eq!(after.market.take_up_unknown().await, Ok(usize::from(handed_last)), "cut {cut}");
        assert_eq!(after.market.take_up_unknown().await, Ok(0));
        let before = told.len();
        carry(&after, &mut told).await;
        if let Some(again) = &again {
            let repeated: Vec<&Message> = told[before..].iter().map(|(message, _)| message).collect();
            assert!(repeated.contains(&again), "cut {cut}: the same message is repeated");
        }
        let counts = notices(&told);
        let twice = counts.values().filter(|count| **count > 1).count();
        assert!(counts.values().all(|count| *count <= 2) && twice <= usize::from(handed_last), "cut {cut}: {counts:?}");
        assert!(counts.keys().all(|key| all.contains_key(key)), "cut {cut}");
        assert_eq!(untold(&after, &users, &counts).await, [""; 0], "cut {cut}");
        (cuts, repeats) = (cuts + 1, repeats + usize::from(again.is_some()));
        if cut == last {
            assert_eq!(counts, all);
        }
        after.market.stop().await;
    }
    assert!(cuts > 40 && repeats > 10, "{cuts} {repeats}");
    println!("{cuts} deaths, {repeats} of them while something was being handed over");
}

/// The notices that users want outside the app and did not get there.
async fn untold(stage: &Stage, users: &[UserId], counts: &Counts) -> Vec<String> {
    let mut untold = Vec::new();
    for user in users {
        let contact = stage.market.contact(*user).await.unwrap();
        for notice in stage.market.my_notices(*user).await.unwrap() {
            let is_wanted = contact.choices.takes(notice.kind.into());
            let ways = WAYS.into_iter().filter(|way| contact.reachable_since(*way).is_some_and(|at| at <= notice.at));
            let missing = ways.filter(|way| is_wanted && !counts.contains_key(&(*user, *way, notice.id.clone())));
            untold.extend(missing.map(|way| format!("{user} {way:?} {}", notice.id)));
        }
    }
    untold
}

fn handed_without_outcome(journal: &FakeJournal) -> bool {
    let batches = journal.batches();
    let last = batches.last().unwrap();
    last.appends
        .iter()
        .flat_map(|append| &append.events)
        .any(|event| matches!(event, domain::Event::Message(OutboxEvent::Handed { .. })))
}

#[actix::test]
async fn given_up_and_postponed_messages_stay_so_after_a_restart() {
    let stage = Stage::new().await;
    let user = stage.user(1).await;
    stage.market.give_email(user, "lender@example.org").await.unwrap();
    let id = stage.market.due_messages(ContactWay::Email, 9)[0].message.id;
    assert_eq!(stage.market.hand_message(id).await, Ok(1));
    assert!(matches!(stage.market.hand_message(id).await, Err(Refusal::Message(_))));
    let retry_at = stage.clock.now().plus_ms(30_000);
    stage.market.settle_message(id, Handover::Postponed { retry_at }).await.unwrap();
    let stage = stage.restarted().await;
    assert!(stage.market.due_messages(ContactWay::Email, 9).is_empty());
    stage.clock.advance_ms(30_000);
    assert_eq!(stage.market.due_messages(ContactWay::Email, 9).len(), 1);
    assert_eq!(stage.market.hand_message(id).await, Ok(2));
    stage.market.settle_message(id, Handover::Lost(WhyGivenUp::Refused)).await.unwrap();
    let stage = stage.restarted().await;
    stage.clock.advance_ms(DAY_MS);
    assert!(stage.market.due_messages(ContactWay::Email, 9).is_empty());
}

#[actix::test]
async fn neither_unchosen_nor_outdated_notices_are_sent() {
    let stage = Stage::new().await;
    let mut players = LoanPlayers::new(&stage, 3, 2).await;
    let lender = players.users[0];
    reach(&stage, lender).await;
    let kinds = [NoticeKind::Repaid].into_iter().collect();
    stage.market.choose_notices(lender, NoticeChoices { critical_alerts: true, kinds }).await.unwrap();
    let mut taken = Taken::new();
    lend(&stage, &mut players, &mut taken).await;
    let told = notices(&taken);
    assert!(told.len() == 2 && told.keys().all(|(_, _, id)| id.ends_with("-repaid")), "{told:?}");
    // Kinds that are chosen later are sent only as long as the notice is news.
    let kinds = NoticeKind::ALL.into_iter().collect();
    stage.market.choose_notices(lender, NoticeChoices { critical_alerts: true, kinds }).await.unwrap();
    stage.clock.advance_ms(Outbox::NEWS_MS);
    assert_eq!(stage.market.queue_notices(lender, &WAYS).await, Ok(0));
}

#[actix::test]
async fn the_delivery_worker_is_woken_by_events_of_users() {
    let stage = Stage::new().await;
    let mut players = LoanPlayers::new(&stage, 4, 2).await;
    let mut taken = Taken::new();
    lend(&stage, &mut players, &mut taken).await;
    let stirred = stage.market.stirred().await;
    assert!(players.users.iter().all(|user| stirred.contains(user)), "{stirred:?}");
}
