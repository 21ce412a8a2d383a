//! Tests of the Atom feeds of collections.

use atom_syndication::{Entry, Feed};
use reqwest::Method;
use serde_json::json;

use super::lender::TestUser;
use super::loans::LoanFixture;
use super::rig::Rig;

const FEED: &str = "/api/v1/collections/paper-frogs/activity.atom";

async fn feed(rig: &Rig) -> Feed {
    let response = rig.request(Method::GET, FEED).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/atom+xml; charset=utf-8");
    assert_eq!(response.headers()["cache-control"], "public, max-age=60");
    Feed::read_from(response.text().await.unwrap().as_bytes()).unwrap()
}

#[actix_web::test]
async fn a_feed_has_the_newest_offers_and_leads_to_them() {
    let rig = Rig::start().await;
    let empty = feed(&rig).await;
    assert!(empty.entries().is_empty());
    assert_eq!(empty.title().as_str(), "paper frogs on Lienbook");
    let lender = TestUser::sign_in(&rig, 1).await;
    let mut offers = Vec::new();
    for principal in 0..60 {
        offers.extend(lender.quote(&rig, "paper-frogs-7d", 300_000 + principal * 1_000, 1).await);
    }
    let full = feed(&rig).await;
    assert_eq!(full.entries().len(), 50);
    let newest = &full.entries()[0];
    assert_eq!(newest.title().as_str(), "0.00359 BTC offered against paper frogs");
    assert_eq!(newest.updated(), full.updated());
    let target = newest.links()[0].href();
    assert!(target.ends_with(&format!("/borrow/ordinals?collection=paper-frogs&offer={}", offers[59])), "{target}");
    let mut ids: Vec<&str> = full.entries().iter().map(Entry::id).collect();
    assert!(ids[0].starts_with("tag:") && ids[0].ends_with(&offers[59]), "{}", ids[0]);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 50, "ids are unique");
    // A reader that knows the page finds the feed.
    let page = rig.request(Method::GET, "/borrow/ordinals?collection=paper-frogs").send().await.unwrap();
    let page = page.text().await.unwrap();
    let alternate = r#"<link rel="alternate" type="application/atom+xml" title="paper frogs on Lienbook" href=""#;
    let (_, rest) = page.split_once(alternate).unwrap();
    assert!(rest.split_once('"').unwrap().0.ends_with(FEED), "{rest}");
    rig.get("/api/v1/collections/other/activity.atom").await.refused(404, "unknown_collection");
    rig.server.stop().await;
}

#[actix_web::test]
async fn unlisted_offers_are_in_no_feed() {
    let fixture = LoanFixture::new().await;
    let before = feed(&fixture.rig).await.entries().len();
    fixture.offer_on(json!({"unlisted": true})).await;
    assert_eq!(feed(&fixture.rig).await.entries().len(), before);
    fixture.rig.server.stop().await;
}
