//! Tests of messages out of the app: none is lost and each is delivered once, except one that was being handed over
//! when the process died; and none is older than the contact.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    BlockTime, ChannelKind, ContactChannel, DeliveryOutcome, Ending, GiveUpReason, LoanEvent, LoanId, Message,
    MessageContent, NoticeChoices, NoticeKind, Outbox, OutboxEvent, UserId,
};
use engine::{
    Refusal,
    clock::{Clock as _, ManualClock},
};

use crate::{
    fake_journal::FakeJournal,
    fixture::{Fixture, settings},
    random_loans::RandomLoans,
};

const DAY_MS: u64 = 24 * 3_600_000;
const WAYS: [ChannelKind; 2] = [ChannelKind::Email, ChannelKind::Telegram];
const CHANNELS: [ContactChannel; 2] = [ContactChannel::Email, ContactChannel::Telegram];

/// The messages that the other side has accepted, each with the number of batches in the journal at its handover.
type Delivered = Vec<(Message, usize)>;

/// Makes a user reachable in both ways, for all kinds of notices.
async fn make_reachable(fixture: &Fixture, user: UserId) {
    fixture.market.set_email(user, &format!("{user}@example.org")).await.unwrap();
    let serial = fixture.market.contact(user).await.unwrap().email.unwrap().serial;
    fixture.market.verify_email(user, serial).await.unwrap();
    fixture.market.link_telegram(user, i64::try_from(user.0).unwrap()).await.unwrap();
    let kinds = NoticeKind::ALL.into_iter().collect();
    fixture.market.choose_notices(user, NoticeChoices { critical_alerts: true, kinds }).await.unwrap();
}

/// Queues and hands over everything; every message is accepted.
async fn deliver_all(fixture: &Fixture, delivered: &mut Delivered) {
    for user in fixture.market.reachable_users(None) {
        fixture.market.queue_notices(user, &WAYS).await.unwrap();
    }
    for way in WAYS {
        while let Some(due) = fixture.market.due_messages(way, 1).pop() {
            fixture.market.begin_delivery(due.message.id).await.unwrap();
            delivered.push((due.message.clone(), fixture.journal.batches_count()));
            fixture.market.record_delivery(due.message.id, DeliveryOutcome::Accepted).await.unwrap();
        }
    }
}

type Counts = BTreeMap<(UserId, ContactChannel, String), usize>;

fn notices(delivered: &Delivered) -> Counts {
    let mut counts = Counts::new();
    for (message, _) in delivered {
        if let MessageContent::Notice(facts) = &message.content {
            *counts.entry((message.user, message.channel, facts.id.clone())).or_default() += 1;
        }
    }
    counts
}

/// Runs a loan from its acceptance to its repayment, delivering messages in between.
async fn run_loan(fixture: &Fixture, random_loans: &mut RandomLoans, delivered: &mut Delivered) -> LoanId {
    let (lender, borrower) = (random_loans.users[0], random_loans.users[1]);
    let id = random_loans.prepare_for(fixture, lender, borrower).await;
    let until = fixture.clock.now().plus_ms(DAY_MS / 2);
    fixture.market.await_lender(id, "secret".to_owned(), until).await.unwrap();
    deliver_all(fixture, delivered).await;
    let signed = engine::SignedLoan { txid: [5; 32], running: "secret".to_owned(), vault: None, ends: None };
    fixture.market.begin_loan(id, signed, None).await.unwrap();
    let mined = BlockTime { height: 100, at: fixture.clock.now() };
    fixture.market.step_loan(id, LoanEvent::Confirmed(mined)).await.unwrap();
    deliver_all(fixture, delivered).await;
    let (ending, txid) = (Ending::Repayment, [6; 32]);
    let signed = LoanEvent::EndingSigned { ending, txid, transaction: "secret".to_owned() };
    fixture.market.step_loan(id, signed).await.unwrap();
    let mined = BlockTime { height: 101, at: fixture.clock.now() };
    fixture.market.step_loan(id, LoanEvent::Ended { ending, txid, mined }).await.unwrap();
    deliver_all(fixture, delivered).await;
    id
}

#[actix::test]
async fn each_notice_since_the_contact_is_delivered_once_in_each_way() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 1, 2).await;
    let mut delivered = Delivered::new();
    let before = run_loan(&fixture, &mut random_loans, &mut delivered).await;
    assert_eq!(delivered.len(), 0, "no user is reachable");
    fixture.clock.advance_ms(1);
    let (lender, borrower) = (random_loans.users[0], random_loans.users[1]);
    make_reachable(&fixture, lender).await;
    make_reachable(&fixture, borrower).await;
    let id = run_loan(&fixture, &mut random_loans, &mut delivered).await;
    deliver_all(&fixture, &mut delivered).await;
    let counts = notices(&delivered);
    let expected = |user| if user == lender { 4 } else { 2 };
    for user in [lender, borrower] {
        for way in CHANNELS {
            let count = counts.keys().filter(|(whose, how, _)| (*whose, *how) == (user, way)).count();
            assert_eq!(count, expected(user), "{user} {way:?}: {counts:?}");
        }
    }
    assert!(
        counts.values().all(|count| *count == 1) && !counts.keys().any(|(_, _, id)| id.contains(&before.to_string()))
    );
    assert!(counts.keys().all(|(_, _, notice)| notice.contains(&id.to_string())));
    // A user who is not reachable gets no messages.
    assert_eq!(fixture.market.queue_notices(fixture.user(9).await, &WAYS).await, Ok(0));
}

#[actix::test]
async fn a_crash_at_any_batch_loses_no_message_and_repeats_only_one_being_handed_over() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 2, 2).await;
    let users = random_loans.users.clone();
    let first = fixture.journal.batches_count();
    for user in &users {
        make_reachable(&fixture, *user).await;
    }
    let mut delivered = Delivered::new();
    run_loan(&fixture, &mut random_loans, &mut delivered).await;
    let all = notices(&delivered);
    assert!(all.len() > 10);
    let (last, now) = (fixture.journal.batches_count(), fixture.clock.now());
    let (mut cuts, mut repeats) = (0, 0);
    for cut in first..=last {
        let clock = Arc::new(ManualClock::new(now));
        let after = Fixture::on(fixture.journal.cut_to(cut), clock, settings());
        // A message is handed over after the batch that records the handover, and before the batch with its outcome.
        let mut delivered_by_cut: Delivered =
            delivered.iter().filter(|(_, batches)| *batches <= cut).cloned().collect();
        let handed_last = handed_without_outcome(&after.journal);
        let again = delivered_by_cut.last().filter(|_| handed_last).map(|(message, _)| message.clone());
        assert_eq!(after.market.requeue_unknown_deliveries().await, Ok(usize::from(handed_last)), "cut {cut}");
        assert_eq!(after.market.requeue_unknown_deliveries().await, Ok(0));
        let before = delivered_by_cut.len();
        deliver_all(&after, &mut delivered_by_cut).await;
        if let Some(again) = &again {
            let repeated: Vec<&Message> = delivered_by_cut[before..].iter().map(|(message, _)| message).collect();
            assert!(repeated.contains(&again), "cut {cut}: the same message is repeated");
        }
        let counts = notices(&delivered_by_cut);
        let twice = counts.values().filter(|count| **count > 1).count();
        assert!(counts.values().all(|count| *count <= 2) && twice <= usize::from(handed_last), "cut {cut}: {counts:?}");
        assert!(counts.keys().all(|key| all.contains_key(key)), "cut {cut}");
        assert_eq!(undelivered(&after, &users, &counts).await, [""; 0], "cut {cut}");
        (cuts, repeats) = (cuts + 1, repeats + usize::from(again.is_some()));
        if cut == last {
            assert_eq!(counts, all);
        }
        after.market.stop().await;
    }
    assert!(cuts > 40 && repeats > 10, "{cuts} {repeats}");
    println!("{cuts} crashes, {repeats} of them during a handover");
}

/// The notices that users want outside the app and did not get.
async fn undelivered(fixture: &Fixture, users: &[UserId], counts: &Counts) -> Vec<String> {
    let mut undelivered = Vec::new();
    for user in users {
        let contact = fixture.market.contact(*user).await.unwrap();
        for notice in fixture.market.my_notices(*user).await.unwrap() {
            let is_wanted = contact.choices.includes(notice.kind.into());
            let ways =
                CHANNELS.into_iter().filter(|way| contact.reachable_since(*way).is_some_and(|at| at <= notice.at));
            let missing = ways.filter(|way| is_wanted && !counts.contains_key(&(*user, *way, notice.id.clone())));
            undelivered.extend(missing.map(|way| format!("{user} {way:?} {}", notice.id)));
        }
    }
    undelivered
}

fn handed_without_outcome(journal: &FakeJournal) -> bool {
    let batches = journal.batches();
    let last = batches.last().unwrap();
    last.appends
        .iter()
        .flat_map(|append| &append.events)
        .any(|event| matches!(event, domain::Event::Message(OutboxEvent::DeliveryStarted { .. })))
}

#[actix::test]
async fn given_up_and_postponed_messages_stay_so_after_a_restart() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    fixture.market.set_email(user, "lender@example.org").await.unwrap();
    let id = fixture.market.due_messages(ChannelKind::Email, 9)[0].message.id;
    assert_eq!(fixture.market.begin_delivery(id).await, Ok(1));
    assert!(matches!(fixture.market.begin_delivery(id).await, Err(Refusal::Message(_))));
    let retry_at = fixture.clock.now().plus_ms(30_000);
    fixture.market.record_delivery(id, DeliveryOutcome::Deferred { retry_at }).await.unwrap();
    let fixture = fixture.restarted().await;
    assert!(fixture.market.due_messages(ChannelKind::Email, 9).is_empty());
    fixture.clock.advance_ms(30_000);
    assert_eq!(fixture.market.due_messages(ChannelKind::Email, 9).len(), 1);
    assert_eq!(fixture.market.begin_delivery(id).await, Ok(2));
    fixture.market.record_delivery(id, DeliveryOutcome::Rejected(GiveUpReason::Refused)).await.unwrap();
    let fixture = fixture.restarted().await;
    fixture.clock.advance_ms(DAY_MS);
    assert!(fixture.market.due_messages(ChannelKind::Email, 9).is_empty());
}

#[actix::test]
async fn notices_that_are_not_chosen_or_outdated_are_not_sent() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 3, 2).await;
    let lender = random_loans.users[0];
    make_reachable(&fixture, lender).await;
    let kinds = [NoticeKind::Repaid].into_iter().collect();
    fixture.market.choose_notices(lender, NoticeChoices { critical_alerts: true, kinds }).await.unwrap();
    let mut delivered = Delivered::new();
    run_loan(&fixture, &mut random_loans, &mut delivered).await;
    let counts = notices(&delivered);
    assert!(counts.len() == 2 && counts.keys().all(|(_, _, id)| id.ends_with("-repaid")), "{counts:?}");
    // Kinds that are chosen later are sent only as long as the notice is news.
    let kinds = NoticeKind::ALL.into_iter().collect();
    fixture.market.choose_notices(lender, NoticeChoices { critical_alerts: true, kinds }).await.unwrap();
    fixture.clock.advance_ms(Outbox::NOTICE_AGE_MAX_MS);
    assert_eq!(fixture.market.queue_notices(lender, &WAYS).await, Ok(0));
}

#[actix::test]
async fn the_delivery_worker_is_woken_by_changes_of_users_notices() {
    let fixture = Fixture::new().await;
    let mut random_loans = RandomLoans::new(&fixture, 4, 2).await;
    let mut delivered = Delivered::new();
    run_loan(&fixture, &mut random_loans, &mut delivered).await;
    let dirty_users = fixture.market.next_dirty_users().await;
    assert!(random_loans.users.iter().all(|user| dirty_users.contains(user)), "{dirty_users:?}");
}
