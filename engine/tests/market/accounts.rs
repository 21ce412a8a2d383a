//! Tests of accounts, nonces and listings.

use domain::{AccountRejection, Command, GroupId, Stream};
use engine::{
    ListingRejection, Refusal,
    feed::{Channel, CloseReason, Outgoing, SocketQueue, SocketQueueLimits},
};

use crate::{
    actions::{create, frog_draft},
    fake_journal::streams_of,
    feed_client::next,
    fixture::{FROGS, Fixture, MANUAL, addresses, frogs, gold},
};

#[actix::test]
async fn a_nonce_is_used_in_the_same_batch_as_what_it_signed() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let nonce_use = fixture.nonce();
    let command = create(lender, frog_draft(MANUAL, 500_000));
    fixture.market.command(FROGS, command.clone(), Some(nonce_use)).await.unwrap();
    assert_eq!(streams_of(&fixture.journal.last_batch()), [Stream::Accounts, Stream::Book(FROGS)]);
    let batches = fixture.journal.batches().len();
    let again = fixture.market.command(FROGS, command, Some(nonce_use)).await;
    assert_eq!(again, Err(Refusal::Account(AccountRejection::NonceUsed)));
    assert_eq!(fixture.journal.batches().len(), batches);
}

#[actix::test]
async fn a_refused_command_does_not_use_its_nonce() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let nonce_use = fixture.nonce();
    assert!(fixture.market.command(FROGS, create(lender, frog_draft(MANUAL, 1)), Some(nonce_use)).await.is_err());
    assert!(fixture.market.command(FROGS, create(lender, frog_draft(MANUAL, 500_000)), Some(nonce_use)).await.is_ok());
}

#[actix::test]
async fn signing_out_ends_sessions_and_open_private_channels() {
    let fixture = Fixture::new().await;
    let user = fixture.user(1).await;
    assert_eq!(fixture.market.user_of(&addresses(1).payment_address).await, Some(user));
    let socket_queue = SocketQueue::new(SocketQueueLimits::default());
    let _mine = fixture.market.subscribe(Channel::Me(user), &socket_queue).await.unwrap();
    assert!(matches!(next(&socket_queue).await, Some(Outgoing::Frame(_))));
    assert_eq!(fixture.market.sign_out(user).await, Ok(1));
    assert_eq!(next(&socket_queue).await, Some(Outgoing::Closed(CloseReason::SignedOut)));
    assert_eq!(fixture.market.account(user).await.unwrap().generation, 1);
    let again = fixture.market.sign_in(&addresses(1), fixture.nonce()).await.unwrap();
    assert_eq!((again.user, again.generation), (user, 1));
}

#[actix::test]
async fn several_commands_are_one_batch_or_nothing() {
    let fixture = Fixture::new().await;
    let lender = fixture.user(1).await;
    let (one, two) = (fixture.manual(lender, 500_000).await, fixture.manual(lender, 400_000).await);
    let cancel = |offer| Command::Cancel { lender, offer };
    let batches = fixture.journal.batches().len();
    let unknown_offer = Command::Cancel { lender, offer: domain::OfferId::new(FROGS, 99).unwrap() };
    assert!(fixture.market.commands(FROGS, vec![cancel(one), unknown_offer], None).await.is_err());
    assert_eq!(fixture.market.commands(FROGS, vec![cancel(one), cancel(one)], None).await, Err(Refusal::NotBatchable));
    assert_eq!(fixture.journal.batches().len(), batches);
    let nonce_use = Some(fixture.nonce());
    let applied = fixture.market.commands(FROGS, vec![cancel(one), cancel(two)], nonce_use).await.unwrap();
    assert_eq!((applied.events.len(), fixture.journal.batches().len()), (2, batches + 1));
    assert!(fixture.market.my_offers(lender).await.unwrap().is_empty());
}

#[actix::test]
async fn a_group_is_listed_once_and_found_by_its_names() {
    let fixture = Fixture::new().await;
    let taken = |rejection| Err(Refusal::Listing(rejection));
    assert_eq!(fixture.market.list_group(frogs()).await, taken(ListingRejection::IdTaken(FROGS)));
    let mut other = gold();
    other.id = GroupId(3);
    assert_eq!(fixture.market.list_group(other.clone()).await, taken(ListingRejection::SlugTaken(other.slug.clone())));
    other.slug = "silver".parse().unwrap();
    let sub_slug = other.sub_collections[0].slug.clone();
    assert_eq!(fixture.market.list_group(other.clone()).await, taken(ListingRejection::SlugTaken(sub_slug)));
    other.sub_collections[0].slug = "silver-14d".parse().unwrap();
    fixture.market.list_group(other).await.unwrap();
    assert_eq!(fixture.market.group_named("g_3").unwrap().slug.as_str(), "silver");
    assert_eq!(fixture.market.group_named("frogs").unwrap().id, FROGS);
    assert!(fixture.market.group_named("toads").is_none());
    let (group, sub) = fixture.market.sub_collection_named("frogs-30d").unwrap();
    assert_eq!((group.id, sub.0), (FROGS, 1));
    assert_eq!(fixture.market.groups().len(), 3);
    assert_eq!(fixture.market.rows().len(), 3);
    let unknown = fixture.market.book(GroupId(9)).await;
    assert_eq!(unknown, Err(Refusal::UnknownGroup));
}
