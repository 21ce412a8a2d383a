//! Tests of contacts: persistence, durability before any answer, and limits.

use domain::{
    AccountRejection, ContactRejection, ContactWay, Event, MessageContent, NoticeChoices, NoticeKind, OutboxEvent,
    Stream, UserId,
};
use engine::{Refusal, clock::Clock as _};

use crate::{
    fake_journal::{events_of, streams_of},
    stage::{Stage, a_while, begin},
};

const ADDRESS: &str = "lender@example.org";

#[actix::test]
async fn an_address_and_its_verification_mail_are_journaled_in_one_batch() {
    let stage = Stage::new().await;
    let user = stage.user(1).await;
    stage.market.give_email(user, ADDRESS).await.unwrap();
    let batch = stage.journal.last_batch();
    assert_eq!(streams_of(&batch), [Stream::Contacts, Stream::Outbox]);
    let queued = events_of(&batch, Stream::Outbox);
    let Event::Message(OutboxEvent::Queued(message)) = &queued[0] else { panic!("{queued:?}") };
    let serial = stage.market.contact(user).await.unwrap().email.unwrap().serial;
    assert_eq!(message.content, MessageContent::Verification { serial });
    let due = stage.market.due_messages(ContactWay::Email, 9);
    assert_eq!((due.len(), &due[0].message), (1, message.as_ref()));
    assert_eq!(due[0].contact.email.as_ref().unwrap().address, ADDRESS);

    let (again, stranger) = (stage.market.give_email(user, "another@example.org").await, UserId(99));
    let again_at = stage.clock.now().plus_ms(60_000);
    assert_eq!(again, Err(Refusal::Contact(ContactRejection::TooManyEmails { again_at })));
    let refused = Err(Refusal::Account(AccountRejection::UnknownUser(stranger)));
    assert_eq!(stage.market.give_email(stranger, ADDRESS).await, refused);
    assert_eq!(stage.market.link_telegram(stranger, 5).await, refused);
    assert_eq!(stage.market.choose_notices(stranger, NoticeChoices::default()).await, refused);
}

#[actix::test]
async fn contacts_are_replayed_from_the_journal() {
    let stage = Stage::new().await;
    let (one, other) = (stage.user(1).await, stage.user(2).await);
    stage.market.give_email(one, ADDRESS).await.unwrap();
    let serial = stage.market.contact(one).await.unwrap().email.unwrap().serial;
    stage.market.verify_email(one, serial).await.unwrap();
    stage.market.link_telegram(one, 5).await.unwrap();
    stage.market.link_telegram(other, 5).await.unwrap();
    let kinds = [NoticeKind::Repaid].into_iter().collect();
    stage.market.choose_notices(one, NoticeChoices { critical_alerts: false, kinds }).await.unwrap();
    stage.market.refuse_email(one, serial).await.unwrap();
    let before = stage.market.contact(one).await.unwrap();
    let stage = stage.restarted().await;
    assert_eq!(stage.market.contact(one).await.unwrap(), before);
    assert!(before.email.unwrap().refused_at.is_some());
    assert_eq!(stage.market.reachable_people(None), [one, other]);
    let batches = stage.journal.batches().len();
    stage.market.link_telegram(one, 5).await.unwrap();
    stage.market.refuse_email(one, serial).await.unwrap();
    assert_eq!(stage.journal.batches().len(), batches, "again changes nothing");
    stage.market.leave_chat(5).await.unwrap();
    stage.market.remove_email(one, Some(serial + 1)).await.unwrap();
    assert!(stage.market.reachable_people(None).is_empty(), "neither chat nor mailbox");
    stage.market.remove_email(one, Some(serial)).await.unwrap();
    assert_eq!(stage.market.contact(one).await.unwrap().email, None);
}

#[actix::test]
async fn no_contact_is_returned_before_it_is_durable() {
    let stage = Stage::new().await;
    let user = stage.user(1).await;
    stage.journal.hold();
    let market = stage.market.clone();
    let given = begin(async move { market.give_email(user, ADDRESS).await });
    a_while().await;
    let market = stage.market.clone();
    let shown = begin(async move { market.contact(user).await });
    a_while().await;
    assert!(!given.is_finished() && !shown.is_finished());
    stage.journal.let_all_go();
    given.await.unwrap().unwrap();
    assert_eq!(shown.await.unwrap().unwrap().email.unwrap().address, ADDRESS);
}
