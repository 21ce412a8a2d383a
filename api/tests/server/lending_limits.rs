//! Tests of a lender's limits over HTTP: what is set, what is refused, and what they pause.

use domain::AccountEvent;
use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{Answer, FLOOR_SATS, Rig};

const LIMITS: &str = "/api/v1/me/lending-limits";
const PAUSE_ALL: &str = "/api/v1/offers/pause-all";

async fn set(rig: &Rig, lender: &TestUser, limits: &Value) -> Answer {
    lender.send(rig, Method::PUT, LIMITS, Some(limits)).await
}

async fn pause_all(rig: &Rig, lender: &TestUser) -> Answer {
    lender.post(rig, PAUSE_ALL, &json!({})).await
}

/// Returns the lender's only offer once the book shows it as asked for.
async fn offer_with(rig: &Rig, lender: &TestUser, field: &str, value: bool) -> Value {
    loop {
        let offer = lender.get(rig, "/api/v1/offers").await.ok()["data"][0].clone();
        if offer[field] == value {
            return offer;
        }
        tokio::task::yield_now().await;
    }
}

#[actix_web::test]
async fn limits_are_private_bounded_and_survive_a_restart() {
    let rig = Rig::start().await;
    let (one, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let none = json!({
        "budgetSats": null, "outstandingSats": 0, "dailySats": null, "todaySats": 0, "collections": [],
        "absenceMinutes": null, "isAbsent": false,
    });
    assert_eq!(one.get(&rig, LIMITS).await.ok(), none);
    let limits = json!({
        "budgetSats": 2_000_000, "dailySats": 1_000_000, "absenceMinutes": 30,
        "collections": [{"collection": "paper-frogs", "budgetSats": 500_000}],
    });
    let shown = set(&rig, &one, &limits).await.ok();
    assert_eq!((&shown["budgetSats"], &shown["dailySats"]), (&json!(2_000_000), &json!(1_000_000)));
    let frogs = json!([{"groupId": "g_1", "budgetSats": 500_000, "outstandingSats": 0}]);
    assert_eq!((&shown["collections"], &shown["absenceMinutes"]), (&frogs, &json!(30)));

    for (wrong, status, code) in [
        (json!({"budgetSats": 0}), 422, "invalid_field"),
        (json!({"dailySats": 2_100_000_000_000_001_u64}), 422, "invalid_field"),
        (json!({"absenceMinutes": 4}), 422, "invalid_field"),
        (json!({"absenceMinutes": 10_081}), 422, "invalid_field"),
        (json!({"collections": [{"collection": "nothing", "budgetSats": 1}]}), 404, "unknown_collection"),
        (
            json!({"collections": [{"collection": "g_1", "budgetSats": 1}, {"collection": "paper-frogs", "budgetSats": 1}]}),
            422,
            "invalid_field",
        ),
    ] {
        set(&rig, &one, &wrong).await.refused(status, code);
    }
    rig.get(LIMITS).await.refused(401, "unauthenticated");
    assert_eq!(other.get(&rig, LIMITS).await.ok(), none);

    let rig = rig.restart().await;
    assert_eq!(one.get(&rig, LIMITS).await.ok(), shown);
    assert_eq!(set(&rig, &one, &json!({})).await.ok(), none, "every limit is replaced");
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_offer_beyond_a_limit_is_paused_with_its_own_reason_until_the_limit_covers_it() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    set(&rig, &lender, &json!({"budgetSats": FLOOR_SATS / 4})).await.ok();
    lender.quote(&rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let paused = offer_with(&rig, &lender, "isPausedFromLimits", true).await;
    assert_eq!((&paused["offerRanking"], &paused["isPausedByLender"]), (&json!(null), &json!(false)));
    set(&rig, &lender, &json!({"budgetSats": FLOOR_SATS / 2})).await.ok();
    assert_eq!(offer_with(&rig, &lender, "isPausedFromLimits", false).await["isBestOffer"], true);

    let paused = pause_all(&rig, &lender).await.ok();
    assert_eq!(paused, json!({"paused": 1}));
    offer_with(&rig, &lender, "isPausedByLender", true).await;
    assert_eq!(pause_all(&rig, &lender).await.ok(), json!({"paused": 0}));
    rig.post(PAUSE_ALL, &json!({})).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_offers_of_an_absent_lender_are_open_again_after_any_request_of_the_session() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    lender.quote(&rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    set(&rig, &lender, &json!({"absenceMinutes": 5})).await.ok();
    let user = rig.app().market.user_of(&lender.address()).await.unwrap();
    let rig = rig.restart_after(AccountEvent::AbsenceChanged { user, is_absent: true }).await;
    let is_absent = async || rig.app().market.lending_limits(user).await.unwrap().is_absent;
    other.get(&rig, "/api/v1/offers").await.ok();
    assert!(is_absent().await, "requests of others do not count");
    let is_paused = async || rig.app().market.my_offers(user).await.unwrap()[0].is_paused_from_absence;
    while !is_paused().await {
        tokio::task::yield_now().await;
    }

    lender.get(&rig, "/api/v1/me/points").await.ok();
    assert!(!is_absent().await);
    offer_with(&rig, &lender, "isPausedFromAbsence", false).await;
    rig.server.stop().await;
}
