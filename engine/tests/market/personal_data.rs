//! Tests of the removal of contact data and favourites.

use std::collections::BTreeSet;

use domain::{NoticeChoices, NoticeKind, NoticeKinds, PushTarget, Stream};

use crate::{
    fake_journal::streams_of,
    fixture::{FROGS, Fixture, GOLD},
};

#[actix::test]
async fn contacts_and_favourites_go_in_one_batch_and_those_of_others_stay() {
    let fixture = Fixture::new().await;
    let market = &fixture.market;
    let (user, other) = (fixture.user(1).await, fixture.user(2).await);
    let kinds = NoticeKinds::from_iter([NoticeKind::LoanStarted]);
    for (number, each) in [user, other].into_iter().enumerate() {
        market.set_email(each, &format!("user{number}@example.org")).await.unwrap();
        market.link_telegram(each, 40 + i64::try_from(number).unwrap()).await.unwrap();
        for path in ["one", "two"] {
            market.add_webhook(each, &format!("https://example.org/{number}/{path}"), kinds).await.unwrap();
        }
        let endpoint = format!("https://push.example.org/{number}");
        let target = PushTarget { endpoint, public_key: "BAAA".to_owned(), auth: "AAAA".to_owned() };
        market.add_push(each, target, "Firefox", kinds).await.unwrap();
        market.choose_notices(each, NoticeChoices { critical_alerts: false, kinds }).await.unwrap();
        for group in [FROGS, GOLD] {
            market.set_favourite(each, group, true).await.unwrap();
        }
    }
    let before = market.contact(other).await.unwrap();
    let removed = market.remove_personal_data(user).await.unwrap();
    assert!(removed.email && removed.telegram, "{removed:?}");
    assert_eq!((removed.webhooks, removed.pushes, removed.favourites), (2, 1, 2));
    let streams: BTreeSet<Stream> = streams_of(&fixture.journal.last_batch()).into_iter().collect();
    assert_eq!(streams, BTreeSet::from([Stream::Accounts, Stream::Contacts, Stream::Outbox]));
    let batches = fixture.journal.batches().len();
    assert_eq!(market.remove_personal_data(user).await.unwrap(), engine::RemovedData::default(), "again");
    assert_eq!(fixture.journal.batches().len(), batches);
    let fixture = fixture.restarted().await;
    let contact = fixture.market.contact(user).await.unwrap();
    assert!(contact.email.is_none() && contact.telegram.is_none());
    assert!(contact.webhooks.is_empty() && contact.pushes.is_empty());
    assert_eq!(contact.choices, NoticeChoices::default());
    assert_eq!(fixture.market.favourites(user).await, []);
    assert_eq!(fixture.market.contact(other).await.unwrap(), before);
    assert_eq!(fixture.market.favourites(other).await, [FROGS, GOLD]);
    assert!(fixture.market.account(user).await.is_some(), "the account stays");
}
