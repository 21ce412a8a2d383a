//! Tests of offers whose principal follows the floor: their rank and principal at each price, loans while it moves, and
//! the message that bounds them for the vault signer.

use std::time::Duration;

use domain::{GroupId, LoanId, Sats, UnitPrice};
use escrow::action::{Action, NewOffer, OfferProcess};
use reqwest::Method;
use serde_json::{Value, json};

use super::feed::Socket;
use super::lender::{TestUser, instant, instant_body, vault_signer};
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{FLOOR_SATS, Rig};

const FROGS: GroupId = GroupId(1);
const MANUAL: &str = "/api/v1/offers/manual";

async fn move_floor(rig: &Rig, sats: u64) {
    let price = UnitPrice::from_sats(Sats::new(sats)).unwrap();
    rig.app().market.move_price(FROGS, price, rig.app().now()).await.unwrap();
}

/// Creates a manual offer of a share of the floor; returns it.
async fn peg(rig: &Rig, lender: &TestUser, (ltv, least, most): (u32, u64, u64)) -> Value {
    let mut item = lender.item("paper-frogs-7d", most, 1);
    (item["principal_min_amount"], item["ltv_max"]) = (json!(least), json!(ltv));
    lender.post(rig, MANUAL, &json!({"offers": [item]})).await.ok()["offers"][0].clone()
}

async fn own(rig: &Rig, lender: &TestUser) -> Value {
    lender.get(rig, "/api/v1/offers").await.ok()["data"][0].clone()
}

#[actix_web::test]
async fn a_pegged_offer_outbids_another_one_while_the_floor_rises() {
    let rig = Rig::start().await;
    let (fixed, pegged) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    fixed.quote(&rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    let created = peg(&rig, &pegged, (4_500, FLOOR_SATS / 4, FLOOR_SATS)).await;
    let id = created["offerId"].clone();
    assert_eq!((&created["offerRanking"], &created["principal"]), (&json!(2), &json!(FLOOR_SATS / 100 * 45)));
    let step = (FLOOR_SATS - FLOOR_SATS / 4).div_ceil(100_000) * 1_000;
    let shown = &created["peg"];
    let bounds = (&shown["ltv"], &shown["minSats"], &shown["maxSats"], &shown["stepSats"]);
    assert_eq!(bounds, (&json!(45), &json!(FLOOR_SATS / 4), &json!(FLOOR_SATS), &json!(step)));

    let mut socket = Socket::open(&rig).await;
    let snapshot = socket.subscribe("book:g_1").await;
    let mut seq = snapshot["seq"].as_u64().unwrap();
    let of_book = snapshot["data"]["offers"].as_array().unwrap().iter().find(|offer| offer["offerId"] == id).unwrap();
    assert_eq!(of_book["isPegged"], true);

    move_floor(&rig, FLOOR_SATS / 10 * 12).await;
    let moved = socket.next_op(&mut seq, "offer").await["offer"].clone();
    let risen = (FLOOR_SATS / 10 * 12 * 45 / 100 - FLOOR_SATS / 4) / step * step + FLOOR_SATS / 4;
    assert_eq!((&moved["offerId"], &moved["principal_amount_sats"]), (&id, &json!(risen)));
    let best = own(&rig, &pegged).await;
    assert_eq!((&best["offerRanking"], &best["principal"], &best["offerId"]), (&json!(1), &json!(risen), &id));

    // Far above, it lends no more than its largest principal; far below, it is paused.
    move_floor(&rig, FLOOR_SATS * 10).await;
    assert_eq!(own(&rig, &pegged).await["principal"], FLOOR_SATS);
    move_floor(&rig, FLOOR_SATS / 2).await;
    let low = own(&rig, &pegged).await;
    assert_eq!((&low["isPausedFromMaxLTV"], &low["principal"]), (&json!(true), &json!(FLOOR_SATS / 4)));
    move_floor(&rig, FLOOR_SATS).await;
    assert_eq!(own(&rig, &pegged).await["principal"], created["principal"]);

    // An edit makes the principal fixed, or sets other bounds.
    let path = format!("{MANUAL}/{}", id.as_str().unwrap());
    let edit = json!({"principal_amount": 600_000, "principal_min_amount": 250_000, "ltv_max": 5_500});
    let edited = pegged.send(&rig, Method::PATCH, &path, Some(&edit)).await.ok()["offer"].clone();
    assert_eq!((&edited["peg"]["ltv"], &edited["principal"]), (&json!(55), &json!(FLOOR_SATS / 100 * 55)));
    let path = format!("{MANUAL}/{}", edited["offerId"].as_str().unwrap());
    let fixed = pegged.send(&rig, Method::PATCH, &path, Some(&json!({"principal_amount": 400_000}))).await.ok();
    assert_eq!((&fixed["offer"]["peg"], &fixed["offer"]["principal"]), (&Value::Null, &json!(400_000)));

    let rig = rig.restart().await;
    let lender = TestUser::sign_in(&rig, 3).await;
    let again = peg(&rig, &lender, (4_500, FLOOR_SATS / 4, FLOOR_SATS)).await;
    move_floor(&rig, FLOOR_SATS / 10 * 12).await;
    let rig = rig.restart().await;
    let lender = TestUser::sign_in(&rig, 3).await;
    let shown = own(&rig, &lender).await;
    assert_eq!((&shown["offerId"], &shown["principal"]), (&again["offerId"], &json!(risen)), "after a restart");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_borrower_signs_for_the_principal_that_was_shown_or_is_refused() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let offer = peg(rig, &fixture.lender, (5_000, FLOOR_SATS / 4, FLOOR_SATS)).await;
    let id = offer["offerId"].as_str().unwrap();
    let prepared = borrower.post(rig, PREPARE, &fixture.loan_request(borrower, id)).await.ok();
    let signed = sign(borrower, &prepared);

    // The principal rose after the loan was prepared: the loan that was signed is not the one on offer.
    move_floor(rig, FLOOR_SATS / 10 * 11).await;
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.refused(409, "offer_used");

    let again = borrower.post(rig, PREPARE, &fixture.loan_request(borrower, id)).await.ok();
    let signed = sign(borrower, &again);
    borrower.post(rig, ACCEPT, &acceptance(&again, &signed)).await.ok();
    let deal = async || rig.app().market.loan(again["loanId"].as_str().unwrap().parse::<LoanId>().unwrap()).await;
    let principal = deal().await.unwrap().deal.principal.get();
    assert_eq!(principal, own(rig, &fixture.lender).await["principal"]);
    assert!(principal > FLOOR_SATS / 2, "{principal}");

    // From then on the price concerns the loan no more.
    move_floor(rig, FLOOR_SATS / 10 * 13).await;
    assert_eq!(own(rig, &fixture.lender).await["principal"], principal);
    fixture.countersign(again["loanId"].as_str().unwrap()).await;
    let is_gone = async || lender_has_none(rig, &fixture.lender).await;
    tokio::time::timeout(Duration::from_secs(20), is_gone()).await.expect("it is lent");
    fixture.rig.server.stop().await;
}

async fn lender_has_none(rig: &Rig, lender: &TestUser) {
    while lender.get(rig, "/api/v1/offers").await.ok()["data"] != json!([]) {
        tokio::task::yield_now().await;
    }
}

/// The signed terms of an instant offer that follows the floor.
async fn signed_peg(rig: &Rig, least: u64) -> NewOffer {
    let mut offer = instant("paper-frogs-7d", FLOOR_SATS, None, 5_000, &vault_signer(rig).await);
    if let OfferProcess::Instant(terms) = &mut offer.process {
        terms.principal_min_sats = Some(least);
    }
    offer
}

#[actix_web::test]
async fn the_bounds_of_an_instant_offer_are_those_of_its_message() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, FLOOR_SATS * 2).await;
    let offer = signed_peg(&rig, 200_000).await;
    let create = async |asked: Option<u64>| {
        let signed = lender.sign_fresh(&rig, Action::CreateOffer(offer.clone())).await;
        let mut body = instant_body(&lender, &offer, &signed);
        if let Some(asked) = asked {
            body["principal_min_amount_sats"] = json!(asked);
        }
        lender.post(&rig, "/api/v1/offers/instant/ordinals", &body).await
    };
    for asked in [None, Some(199_999), Some(200_001)] {
        create(asked).await.refused(422, "message_field_mismatch");
    }
    let created = create(Some(200_000)).await.ok()["offer"].clone();
    let step = created["peg"]["stepSats"].as_u64().unwrap();
    let half = (FLOOR_SATS / 2 - 200_000) / step * step + 200_000;
    assert_eq!((&created["peg"]["minSats"], &created["principal"]), (&json!(200_000), &json!(half)));
    assert_eq!(created["maxLtv"], 50);

    move_floor(&rig, FLOOR_SATS / 2).await;
    let quarter = (FLOOR_SATS / 4 - 200_000) / step * step + 200_000;
    assert_eq!(own(&rig, &lender).await["principal"], quarter);
    rig.server.stop().await;
}

#[actix_web::test]
async fn bad_bounds_are_refused_by_name() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let create = async |slug: &str, fields: Value| {
        let mut item = lender.item(slug, FLOOR_SATS / 2, 1);
        item.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        lender.post(&rig, MANUAL, &json!({"offers": [item]})).await
    };
    let ordinal = "paper-frogs-7d";
    for (fields, code) in [
        (json!({"principal_min_amount": FLOOR_SATS / 2 + 1, "ltv_max": 9_000}), "peg_refused"),
        (json!({"principal_min_amount": 300_000}), "max_ltv_missing"),
        (json!({"principal_min_amount": 300_000, "ltv_max": 0}), "max_ltv_missing"),
        (json!({"principal_min_amount": 300_000, "ltv_max": 9_801}), "max_ltv_above_ceiling"),
        (json!({"principal_min_amount": 300_000, "ltv_max": 2_999}), "max_ltv_below_current"),
        (json!({"principal_min_amount": 29_999, "ltv_max": 5_000}), "below_min_offer"),
        (json!({"ltv_max": 5_000}), "max_ltv_not_taken"),
    ] {
        create(ordinal, fields).await.refused(422, code);
    }
    rig.server.stop().await;
}
