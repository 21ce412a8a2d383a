//! The feed of a real server, and its local book.

use std::time::Duration;

use lienbook_client::types::{BookOffer, OfferState};
use lienbook_client::{Channel, Client, Event, Feed, FeedError, Staleness};
use tokio::time::timeout;

use super::market::{Lender, Market};
use super::proxy::Proxy;

const BOOK: &str = "g_1";

fn book() -> Channel {
    Channel::Book(BOOK.to_owned())
}

/// Reads the feed until a condition holds.
async fn until(feed: &mut Feed, what: &str, holds: impl Fn(&Feed, &Event) -> bool) {
    let waited = timeout(Duration::from_secs(30), async {
        loop {
            let event = feed.next().await;
            if holds(feed, &event) {
                return;
            }
        }
    });
    assert!(waited.await.is_ok(), "{what}");
}

fn has(feed: &Feed, id: &str) -> bool {
    feed.book(BOOK).is_some_and(|book| book.offer(id).is_some())
}

#[actix_web::test]
async fn a_book_follows_the_server_over_a_lost_connection() {
    let market = Market::start().await;
    let lender = Lender::new(&market, 1).await;
    let proxy = Proxy::to(market.server.address).await;
    let client = Client::new(proxy.url.parse().unwrap(), None).unwrap();
    let mut feed = Feed::new(&client, [book(), Channel::Market]).unwrap();
    assert_eq!(feed.staleness(&book()), Some(&Staleness::Waiting));
    let first = lender.quote("paper-frogs-7d", 400_000).await;
    until(&mut feed, "the first offer", |feed, _| has(feed, &first) && feed.market().is_some()).await;
    assert_eq!(feed.market().unwrap().row("paper-frogs").unwrap().id, BOOK);

    proxy.cut();
    until(&mut feed, "the loss", |_, event| *event == Event::Stale(book(), Staleness::Disconnected)).await;
    assert!(feed.book(BOOK).is_none(), "it is not shown while it may be old");
    // What is missed meanwhile, equal quotes among it, comes with the continuation.
    let mut made = vec![first];
    for (slug, principal) in [("paper-frogs-7d", 500_000), ("paper-frogs-30d", 400_000), ("paper-frogs-7d", 400_000)] {
        made.push(lender.quote(slug, principal).await);
    }
    let last = made[3].clone();
    until(&mut feed, "the continuation", |feed, _| has(feed, &last)).await;

    market.move_floor(900_000).await;
    until(&mut feed, "the floor", |feed, _| feed.book(BOOK).is_some_and(|book| book.row().floor == Some(900_000)))
        .await;
    let shown = market.visitor().get_order_book("paper-frogs").await.unwrap();
    let local = feed.book(BOOK).unwrap();
    let ranked = |slug: usize| -> Vec<&BookOffer> { local.rankings()[slug].offers.clone() };
    assert_eq!(ranked(0).iter().map(|offer| &offer.offer_id).collect::<Vec<_>>(), [&made[1], &made[0], &made[3]]);
    let theirs: Vec<&BookOffer> = shown.manual_offers.iter().filter(|offer| offer.state == OfferState::Live).collect();
    assert_eq!([ranked(0), ranked(1)].concat(), theirs, "the order of the server");
    assert!(feed.silence() < Duration::from_secs(20));
    market.server.stop().await;
}

#[actix_web::test]
async fn own_offers_follow_the_server_over_a_lost_connection() {
    let market = Market::start().await;
    let lender = Lender::new(&market, 1).await;
    let proxy = Proxy::to(market.server.address).await;
    let client = Client::new(proxy.url.parse().unwrap(), Some(lender.secret.parse().unwrap())).unwrap();
    let mut feed = Feed::new(&client, [Channel::Me, Channel::Requests]).unwrap();
    let own = |feed: &Feed, id: &str| feed.me().is_some_and(|me| me.offer(id).is_some());
    let first = lender.quote("paper-frogs-7d", 400_000).await;
    until(&mut feed, "the first offer", |feed, _| own(feed, &first) && feed.requests().is_some()).await;
    assert_eq!(feed.requests().unwrap().requests().count(), 0);
    proxy.cut();
    until(&mut feed, "the loss", |_, event| *event == Event::Stale(Channel::Me, Staleness::Disconnected)).await;
    assert!(feed.me().is_none() && feed.requests().is_none());
    let second = lender.quote("paper-frogs-7d", 500_000).await;
    until(&mut feed, "both offers", |feed, _| own(feed, &first) && own(feed, &second)).await;

    // Without a key there is no private channel.
    let mut visitor = Feed::new(&market.visitor(), [Channel::Me]).unwrap();
    let refused = |_: &Feed, event: &Event| matches!(event, Event::Stale(Channel::Me, Staleness::Refused(_)));
    until(&mut visitor, "the refusal", refused).await;
    market.server.stop().await;
}

#[actix_web::test]
async fn a_refused_channel_says_why() {
    let market = Market::start().await;
    let unknown = Channel::Book("g_99".to_owned());
    let mut feed = Feed::new(&market.visitor(), [unknown.clone()]).unwrap();
    until(
        &mut feed,
        "the refusal",
        |_, event| matches!(event, Event::Stale(channel, Staleness::Refused(_)) if *channel == unknown),
    )
    .await;
    let many = (0..65).map(|number| Channel::Book(format!("g_{number}")));
    assert_eq!(Feed::new(&market.visitor(), many).err(), Some(FeedError::TooManyChannels));
    market.server.stop().await;
}
