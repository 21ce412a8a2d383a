//! Tests of contacts: persistence, durability before any answer, and limits.

use domain::{
    AccountRejection, ChannelKind, ContactRejection, Event, MessageContent, NoticeChoices, NoticeKind, OutboxEvent,
    Stream, UserId,
};
use engine::{Refusal, clock::Clock as _};

use crate::{
    fake_journal::{events_of, streams_of},
    fixture::{Fixture, short_delay, spawn},
};

const ADDRESS: &str = "lender@example.org";

#[actix::test]
async fn an_address_and_its_verification_mail_are_journaled_in_one_batch() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    fixture.market.set_email(user, ADDRESS).await.unwrap();
    let batch = fixture.journal.last_batch();
    assert_eq!(streams_of(&batch), [Stream::Contacts, Stream::Outbox]);
    let queued = events_of(&batch, Stream::Outbox);
    let Event::Message(OutboxEvent::Queued(message)) = &queued[0] else { panic!("{queued:?}") };
    let serial = fixture.market.contact(user).await.unwrap().email.unwrap().serial;
    assert_eq!(message.content, MessageContent::Verification { serial });
    let due = fixture.market.due_messages(ChannelKind::Email, 9);
    assert_eq!((due.len(), &due[0].message), (1, message.as_ref()));
    assert_eq!(due[0].contact.email.as_ref().unwrap().address, ADDRESS);

    let (again, unknown_user) = (fixture.market.set_email(user, "another@example.org").await, UserId(99));
    let again_at = fixture.clock.now().plus_ms(60_000);
    assert_eq!(again, Err(Refusal::Contact(ContactRejection::TooManyEmails { again_at })));
    let refused = Err(Refusal::Account(AccountRejection::UnknownUser(unknown_user)));
    assert_eq!(fixture.market.set_email(unknown_user, ADDRESS).await, refused);
    assert_eq!(fixture.market.link_telegram(unknown_user, 5).await, refused);
    assert_eq!(fixture.market.choose_notices(unknown_user, NoticeChoices::default()).await, refused);
}

#[actix::test]
async fn contacts_are_replayed_from_the_journal() {
    let fixture = Fixture::new().await;
    let (one, other) = (fixture.user(1).await, fixture.user(2).await);
    fixture.market.set_email(one, ADDRESS).await.unwrap();
    let serial = fixture.market.contact(one).await.unwrap().email.unwrap().serial;
    fixture.market.verify_email(one, serial).await.unwrap();
    fixture.market.link_telegram(one, 5).await.unwrap();
    fixture.market.link_telegram(other, 5).await.unwrap();
    let kinds = [NoticeKind::Repaid].into_iter().collect();
    fixture.market.choose_notices(one, NoticeChoices { critical_alerts: false, kinds }).await.unwrap();
    fixture.market.mark_email_rejected(one, serial).await.unwrap();
    let before = fixture.market.contact(one).await.unwrap();
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.market.contact(one).await.unwrap(), before);
    assert!(before.email.unwrap().bounced_at.is_some());
    assert_eq!(fixture.market.reachable_users(None), [one, other]);
    let batches = fixture.journal.batches().len();
    fixture.market.link_telegram(one, 5).await.unwrap();
    fixture.market.mark_email_rejected(one, serial).await.unwrap();
    assert_eq!(fixture.journal.batches().len(), batches, "again changes nothing");
    fixture.market.unlink_chat(5).await.unwrap();
    fixture.market.remove_email(one, Some(serial + 1)).await.unwrap();
    assert!(fixture.market.reachable_users(None).is_empty(), "neither chat nor mailbox");
    fixture.market.remove_email(one, Some(serial)).await.unwrap();
    assert_eq!(fixture.market.contact(one).await.unwrap().email, None);
}

#[actix::test]
async fn no_contact_is_returned_before_it_is_durable() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    fixture.journal.hold();
    let market = fixture.market.clone();
    let given = spawn(async move { market.set_email(user, ADDRESS).await });
    short_delay().await;
    let market = fixture.market.clone();
    let shown = spawn(async move { market.contact(user).await });
    short_delay().await;
    assert!(!given.is_finished() && !shown.is_finished());
    fixture.journal.let_all_go();
    given.await.unwrap().unwrap();
    assert_eq!(shown.await.unwrap().unwrap().email.unwrap().address, ADDRESS);
}
