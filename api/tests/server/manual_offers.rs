//! Tests of manual offers: created, edited, paused, resumed, cancelled; repeated and refused.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Method;
use serde_json::json;

use super::lender::TestUser;
use super::rig::{FLOOR_SATS, Rig};

#[actix_web::test]
async fn an_offer_is_created_ranked_edited_paused_resumed_and_cancelled() {
    let rig = Rig::start().await;
    let (first, second) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let ids = first.quote(&rig, "paper-frogs-7d", 500_000, 2).await;
    assert_eq!(ids, ["of_10000000001", "of_10000000002"]);
    let leading = second.quote(&rig, "paper-frogs-7d", 600_000, 1).await.remove(0);

    let page = first.get(&rig, "/api/v1/offers").await.ok();
    let offer = &page["data"][0];
    assert_eq!(offer["offerRanking"], 2);
    assert_eq!(offer["bestOfferId"], leading.as_str());
    assert_eq!(offer["toLeadSats"], 100_001);
    assert_eq!(offer["loanProcessType"], "Manual");

    let body = json!({"offer_id": ids[0], "principal_amount": 700_000});
    let path = format!("/api/v1/offers/manual/{}", ids[0]);
    let edited = first.send(&rig, Method::PATCH, &path, Some(&body)).await.ok();
    let new_id = edited["offer"]["offerId"].as_str().unwrap().to_owned();
    assert_ne!(new_id, ids[0]);
    assert_eq!(edited["offer"]["isBestOffer"], true);
    first.send(&rig, Method::PATCH, &path, Some(&body)).await.refused(404, "unknown_offer");

    let these = json!({"offerIds": [new_id]});
    assert_eq!(first.post(&rig, "/api/v1/offers/pause", &these).await.ok()["results"][0]["ok"], true);
    let again = first.post(&rig, "/api/v1/offers/pause", &these).await.ok();
    assert_eq!(again["results"][0]["error"]["code"], "already_paused");
    let row = rig.get("/api/v1/collections/paper-frogs").await.ok();
    assert_eq!(row["manual"]["bestOfferId"], leading.as_str());
    assert_eq!(first.post(&rig, "/api/v1/offers/resume", &these).await.ok()["results"][0]["ok"], true);

    let foreign = second.post(&rig, "/api/v1/offers/manual/cancel", &these).await.ok();
    assert_eq!(foreign["results"][0]["error"]["code"], "not_owner");
    let all = json!({"offerIds": [new_id, ids[1], "of_1", "garbage"]});
    let results = first.post(&rig, "/api/v1/offers/manual/cancel", &all).await.ok()["results"].clone();
    let outcomes: Vec<_> = results.as_array().unwrap().iter().map(|it| it["ok"].as_bool().unwrap()).collect();
    assert_eq!(outcomes, [true, true, false, false]);
    assert_eq!(results[3]["error"]["code"], "unknown_offer");
    assert_eq!(first.get(&rig, "/api/v1/offers").await.ok()["data"], json!([]));
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_offer_is_good_until_a_time_that_its_lender_sets_keeps_and_removes() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let now_ms = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let (hour, day) = (now_ms + 3_600_000, now_ms + 86_400_000);
    let mut item = lender.item("paper-frogs-7d", 500_000, 1);
    for (wrong, code) in [
        (json!(now_ms + 590_000), "good_until_out_of_range"),
        (json!(u64::MAX), "good_until_out_of_range"),
        (json!(-1), "invalid_body"),
        (json!("tomorrow"), "invalid_body"),
    ] {
        item["good_until"] = wrong;
        lender.post(&rig, "/api/v1/offers/manual", &json!({"offers": [item]})).await.refused(422, code);
    }
    item["good_until"] = json!(hour);
    let created = lender.post(&rig, "/api/v1/offers/manual", &json!({"offers": [item]})).await.ok();
    let offers = created["offers"].as_array().unwrap();
    assert_eq!((offers.len(), &offers[0]["goodUntil"], &offers[0]["isExpired"]), (1, &json!(hour), &json!(false)));
    let id = offers[0]["offerId"].as_str().unwrap();
    let shown = rig.get("/api/v1/collections/paper-frogs/orderbook").await.ok();
    assert_eq!(shown["manual_offers"].get(0).or(shown["manualOffers"].get(0)).unwrap()["goodUntil"], hour);

    let edit = json!({"principal_amount": 600_000});
    let edited = lender.send(&rig, Method::PATCH, &format!("/api/v1/offers/manual/{id}"), Some(&edit)).await.ok();
    assert_eq!(edited["offer"]["goodUntil"], hour, "an edit keeps it");
    let id = edited["offer"]["offerId"].clone();

    let path = "/api/v1/offers/good-until";
    let foreign = other.post(&rig, path, &json!({"offerIds": [id], "goodUntil": day})).await.ok();
    assert_eq!(foreign["results"][0]["error"]["code"], "not_owner");
    let wrong = lender.post(&rig, path, &json!({"offerIds": [id], "goodUntil": now_ms})).await;
    wrong.refused(422, "good_until_out_of_range");
    assert!(wrong.body["values"]["min"].as_u64().unwrap() > now_ms);
    lender.post(&rig, path, &json!({"offerIds": [id]})).await.refused(422, "invalid_body");
    for good_until in [json!(day), json!(null)] {
        let set = lender.post(&rig, path, &json!({"offerIds": [id], "goodUntil": good_until})).await.ok();
        assert_eq!(set["results"][0]["ok"], true);
        assert_eq!(lender.get(&rig, "/api/v1/offers").await.ok()["data"][0]["goodUntil"], good_until);
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn refusals_quote_the_texts_of_the_screens_and_change_nothing() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let before = rig.events();
    for (slug, principal, quantity, status, code, detail) in [
        ("paper-frogs-7d", 29_999, 1, 422, "below_min_offer", "Below min offer of ₿0.0003"),
        ("paper-frogs-7d", 2_000_000_001, 1, 422, "above_max_offer", "Offer cannot be above ₿20"),
        ("paper-frogs-7d", FLOOR_SATS * 99 / 100, 1, 422, "ltv_above_ceiling", "Offer cannot be above 98% LTV"),
        ("paper-frogs-7d", 500_000, 0, 422, "count_out_of_range", "count must be 1 to 5"),
        ("paper-frogs-7d", 500_000, 6, 422, "count_out_of_range", "count must be 1 to 5"),
        ("no-such-place", 500_000, 1, 404, "unknown_collection", "There is no such collection"),
        ("frog-pond-open", 100_000, 1, 422, "process_not_taken", "this term or bundle takes no offers of this type"),
    ] {
        let good = lender.item("paper-frogs-7d", 500_000, 1);
        let body = json!({"offers": [good, lender.item(slug, principal, quantity)]});
        let answer = lender.post(&rig, "/api/v1/offers/manual", &body).await;
        answer.refused(status, code);
        assert_eq!(answer.body["detail"], detail);
        assert_eq!(answer.body["values"]["index"], 1);
    }
    let mut foreign = lender.item("paper-frogs-7d", 500_000, 1);
    foreign["payment_address"] = json!("bcrt1q72xweewm4uvlkgzevmewy0dk3mmpymgrn6d2h0");
    let answer = lender.post(&rig, "/api/v1/offers/manual", &json!({"offers": [foreign]})).await;
    answer.refused(422, "invalid_field");
    lender.post(&rig, "/api/v1/offers/manual", &json!({"offers": []})).await.refused(422, "invalid_field");
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_repeated_request_is_applied_once_even_after_a_restart() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let body = json!({"offers": [lender.item("paper-frogs-7d", 500_000, 3)]});
    let keyed = |rig: &Rig, body: &serde_json::Value, key: &str| {
        rig.request(Method::POST, "/api/v1/offers/manual")
            .bearer_auth(&lender.token)
            .header("idempotency-key", key)
            .json(body)
    };
    let first = rig.send(keyed(&rig, &body, "one")).await.ok();
    let events = rig.events();
    assert_eq!(rig.send(keyed(&rig, &body, "one")).await.ok(), first);
    let other = json!({"offers": [lender.item("paper-frogs-7d", 500_001, 3)]});
    rig.send(keyed(&rig, &other, "one")).await.refused(409, "idempotency_mismatch");
    for key in ["", "two words", "schlüssel", &"x".repeat(65)] {
        let answer = rig.send(keyed(&rig, &body, key)).await;
        answer.refused(400, "invalid_idempotency_key");
    }
    assert_eq!(rig.events(), events);

    let rig = rig.restart().await;
    rig.send(keyed(&rig, &body, "one")).await.refused(409, "idempotency_spent");
    assert_eq!(lender.get(&rig, "/api/v1/offers").await.ok()["data"].as_array().unwrap().len(), 3);
    assert_eq!(rig.events(), events);
    rig.server.stop().await;
}

#[actix_web::test]
async fn equal_requests_at_the_same_time_with_one_key_are_applied_once() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let body = json!({"offers": [lender.item("paper-frogs-7d", 500_000, 1)]});
    let requests = (0..12).map(|_| {
        rig.send(
            rig.request(Method::POST, "/api/v1/offers/manual")
                .bearer_auth(&lender.token)
                .header("idempotency-key", "same")
                .json(&body),
        )
    });
    for answer in futures_util::future::join_all(requests).await {
        let is_early = answer.code() == "idempotency_in_flight" && answer.headers.contains_key("retry-after");
        assert!(answer.status == 201 || is_early, "{}", answer.body);
    }
    assert_eq!(lender.get(&rig, "/api/v1/offers").await.ok()["data"].as_array().unwrap().len(), 1);
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_instant_offer_cannot_be_changed_by_the_unsigned_requests_of_manual_ones() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let id = super::instant_offers::create_ordinal(&rig, &lender, 500_000).await;
    let events = rig.events();
    let path = format!("/api/v1/offers/manual/{id}");
    let body = json!({"principal_amount": 600_000});
    lender.send(&rig, Method::PATCH, &path, Some(&body)).await.refused(422, "process_not_taken");
    let results = lender.post(&rig, "/api/v1/offers/manual/cancel", &json!({"offerIds": [id]})).await.ok();
    assert_eq!(results["results"][0]["error"]["code"], "process_not_taken");
    assert_eq!(rig.events(), events);
    rig.server.stop().await;
}

/// Every creation with a key uses up a nonce that is remembered for a day.
#[actix_web::test]
async fn creations_with_a_key_have_a_lower_limit_and_repetitions_do_not_count() {
    let rig = Rig::start_with(|settings| settings.quotas.writes_per_minute = 12).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let body = json!({"offers": [lender.item("paper-frogs-7d", 500_000, 1)]});
    let create = async |key: &str| {
        let request = rig.request(Method::POST, "/api/v1/offers/manual").bearer_auth(&lender.token);
        rig.send(request.header("idempotency-key", key).json(&body)).await
    };
    for key in ["a", "b", "c", "a", "b"] {
        assert_eq!(create(key).await.status, 201, "{key}");
    }
    create("d").await.refused(429, "rate_limited");
    lender.quote(&rig, "paper-frogs-7d", 500_000, 1).await;
    rig.server.stop().await;
}
