//! Tests of offers that not everyone can take.

use bitcoin::Amount;
use engine::asset_index::AssetIndex as _;
use reqwest::Method;
use serde_json::{Value, json};

use super::feed::{Socket, ticket};
use super::lender::TestUser;
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::negotiations::{NEGOTIATIONS, in_hours};
use super::rig::{FLOOR_SATS, groups};

const MANUAL: &str = "/api/v1/offers/manual";
const OPEN: &str = "/api/v1/offers/open";
const INSCRIPTION: &str = "6fb976ab49dcec017f1e201e84395983204ae1a7c2abf7ced0a85d692e442799i0";

impl LoanFixture {
    /// Creates an offer with these conditions.
    pub async fn offer_on(&self, conditions: Value) -> Value {
        let mut item = self.lender.item("paper-frogs-7d", FLOOR_SATS / 2, 1);
        item["conditions"] = conditions;
        let created = self.lender.post(&self.rig, MANUAL, &json!({"offers": [item]})).await.ok();
        created["offers"][0].clone()
    }

    async fn prepare(&self, offer: &Value, link_key: Option<&Value>) -> super::rig::Answer {
        let mut request = self.loan_request(&self.borrower, offer["offerId"].as_str().unwrap());
        if let Some(key) = link_key {
            request["linkKey"] = key.clone();
        }
        self.borrower.post(&self.rig, PREPARE, &request).await
    }

    /// The public book: the number of ranked manual offers, and the states of all.
    async fn public(&self) -> (Value, Vec<Value>) {
        let book = self.rig.get("/api/v1/collections/paper-frogs/orderbook").await.ok();
        let offers = book["manualOffers"].as_array().unwrap();
        (
            book["collection"]["manual"]["offerCount"].clone(),
            offers.iter().map(|offer| offer["state"].clone()).collect(),
        )
    }
}

#[actix_web::test]
async fn an_offer_for_one_borrower_is_shown_to_that_borrower_and_to_no_other() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let mut socket = Socket::open(rig).await;
    let subscribe = json!({"op": "subscribe", "channel": "me", "ticket": ticket(rig, &fixture.borrower).await});
    socket.send_frame(&subscribe).await;
    let snapshot = socket.next_frame().await;
    assert_eq!(snapshot["data"]["offersForMe"], json!([]));
    let mut seq = snapshot["seq"].as_u64().unwrap();

    let offer = fixture.offer_on(json!({"borrower_address": fixture.borrower.address()})).await;
    let id = &offer["offerId"];
    assert_eq!(offer["conditions"]["borrowerAddress"], fixture.borrower.address());
    assert_eq!(offer["offerRanking"], json!(null), "an offer for one borrower is not ranked");
    assert_eq!(fixture.public().await, (json!(0), vec![]));
    let shown = socket.next_op(&mut seq, "offer_for_me").await;
    assert_eq!((&shown["offer"]["offerId"], &shown["groupId"]), (id, &json!("g_1")));
    assert_eq!(
        (&shown["offer"]["state"], &shown["offer"]["conditions"]["linkKey"]),
        (&json!("conditional"), &json!(null))
    );

    let other = TestUser::sign_in(rig, 9).await;
    other.post(rig, OPEN, &json!({"offerId": id})).await.refused(403, "offer_for_other_borrower");
    let request = fixture.loan_request(&other, id.as_str().unwrap());
    other.post(rig, PREPARE, &request).await.refused(403, "offer_for_other_borrower");
    let opened = fixture.borrower.post(rig, OPEN, &json!({"offerId": id})).await.ok();
    assert_eq!(opened["groupSlug"], "paper-frogs");

    // An edit keeps the borrower; the edited offer is taken.
    let edit = json!({"principal_amount": FLOOR_SATS / 4});
    let path = format!("{MANUAL}/{}", id.as_str().unwrap());
    let edited = fixture.lender.send(rig, Method::PATCH, &path, Some(&edit)).await.ok()["offer"].clone();
    assert_eq!(edited["conditions"], offer["conditions"]);
    assert_eq!(socket.next_op(&mut seq, "offer_for_me_gone").await["offerId"], *id);
    let prepared = fixture.prepare(&edited, None).await.ok();
    let signed = sign(&fixture.borrower, &prepared);
    fixture.borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn an_unlisted_offer_is_taken_by_its_link_alone() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let offer = fixture.offer_on(json!({"unlisted": true})).await;
    let (id, key) = (&offer["offerId"], &offer["conditions"]["linkKey"]);
    assert_eq!(key.as_str().unwrap().len(), 32);
    assert_eq!(fixture.public().await, (json!(0), vec![]));
    let wrong = json!("00000000000000000000000000000000");
    for key in [None, Some(&wrong)] {
        fixture.prepare(&offer, key).await.refused(403, "offer_unlisted");
        let mut open = json!({"offerId": id});
        open["linkKey"] = key.cloned().unwrap_or_default();
        fixture.borrower.post(rig, OPEN, &open).await.refused(403, "offer_unlisted");
    }
    let opened = fixture.borrower.post(rig, OPEN, &json!({"offerId": id, "linkKey": key})).await.ok();
    assert_eq!(opened["offer"]["conditions"]["linkKey"], json!(null), "the key is for its lender alone");
    let prepared = fixture.prepare(&offer, Some(key)).await.ok();
    let signed = sign(&fixture.borrower, &prepared);
    fixture.borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn listed_conditions_are_public_not_counted_and_checked_by_name() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let ordinals = fixture.lender.wallet.ordinals_address().script_pubkey();
    let other = fixture.chain.inscribe(&ordinals, Amount::from_sat(10_000), "text/plain", b"another").unwrap();
    rig.app().market.list_inscriptions(groups()[0].id, &[other.into()]).await.unwrap();
    let experienced = fixture.offer_on(json!({"repaid_min": 2, "default_free_days": 90})).await;
    let chosen = fixture.offer_on(json!({"inscriptions": [other.to_string()]})).await;
    assert_eq!(fixture.public().await, (json!(0), vec![json!("conditional"), json!("conditional")]));
    let refused = fixture.prepare(&experienced, None).await;
    refused.refused(403, "too_few_repaid_loans");
    assert_eq!(refused.body["values"], json!({"repaid": 0, "min": 2}));
    fixture.prepare(&chosen, None).await.refused(422, "inscription_not_chosen");
    let fitting = fixture.offer_on(json!({"inscriptions": [fixture.inscription().to_string()]})).await;
    let takeable = async |user: &TestUser| {
        let listed = user.get(rig, "/api/v1/me/takeable-offers").await.ok()["data"].clone();
        listed.as_array().unwrap().iter().map(|one| one["offer"]["offerId"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(takeable(&fixture.borrower).await, [fitting["offerId"].clone()]);
    assert_eq!(takeable(&fixture.lender).await, [json!(null); 0], "no offer of one's own");
    fixture.chain.mine(1).unwrap();
    let opened = fixture.borrower.post(rig, OPEN, &json!({"offerId": chosen["offerId"]})).await.ok();
    assert_eq!(opened["inscriptions"], json!([other.to_string()]));
    assert_eq!(opened["offer"]["conditions"]["inscriptionCount"], 1);

    let plain = fixture.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await;
    assert_eq!(fixture.public().await.0, json!(1), "public figures count what anyone can take");
    let open = json!({"offerId": plain[0]});
    fixture.borrower.post(rig, OPEN, &open).await.refused(404, "unknown_offer");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn an_offer_is_for_inscriptions_by_number_and_by_id() {
    let fixture = LoanFixture::new().await;
    let (rig, borrower) = (&fixture.rig, &fixture.borrower);
    let number = fixture.chain.inscription_number(fixture.inscription()).await.unwrap().unwrap();
    let range = |first: i64, last: i64| json!({"first": first, "last": last});
    let others = fixture.offer_on(json!({"numbers": [range(number + 1, number + 500)]})).await;
    let refused = fixture.prepare(&others, None).await;
    refused.refused(422, "inscription_not_chosen");
    let open = json!({
        "offerId": others["offerId"], "inscriptionId": fixture.inscription().to_string(), "interest": 250, "termDays": 9,
        "principalAmountSats": FLOOR_SATS / 3, "goodUntil": in_hours(12),
    });
    borrower.post(rig, NEGOTIATIONS, &open).await.refused(422, "inscription_not_chosen");
    let by_id =
        json!({"numbers": [range(number + 1, number + 1)], "inscriptions": [fixture.inscription().to_string()]});
    let by_id = fixture.offer_on(by_id).await;
    fixture.prepare(&by_id, None).await.ok();

    let ranges = json!([range(7_000, 9_000), range(number, number)]);
    let fitting = fixture.offer_on(json!({"numbers": ranges})).await;
    assert_eq!(fitting["conditions"]["numbers"], ranges);
    assert_eq!(fixture.public().await.0, json!(0), "public figures count what anyone can take");
    let opened = borrower.post(rig, OPEN, &json!({"offerId": fitting["offerId"]})).await.ok();
    assert_eq!((&opened["offer"]["conditions"]["numbers"], &opened["inscriptions"]), (&ranges, &json!([])));
    let prepared = fixture.prepare(&fitting, None).await.ok();
    let signed = sign(borrower, &prepared);
    borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await.ok();
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn conditions_that_cannot_be_set_are_refused_by_name() {
    let fixture = LoanFixture::new().await;
    for (conditions, status, code) in [
        (json!({"borrower_address": "bc1qnobody"}), 422, "unknown_borrower"),
        (json!({"borrower_address": fixture.lender.address()}), 422, "conditions_refused"),
        (json!({"borrower_address": fixture.borrower.address(), "unlisted": true}), 422, "conditions_refused"),
        (json!({"inscriptions": ["x"]}), 404, "unknown_inscription"),
        (json!({"inscriptions": [INSCRIPTION]}), 422, "wrong_collection"),
        (json!({"inscriptions": vec![INSCRIPTION; 501]}), 422, "invalid_field"),
        (json!({"numbers": [{"first": 5, "last": 4}]}), 422, "conditions_refused"),
        (json!({"numbers": vec![json!({"first": 1, "last": 1}); 21]}), 422, "invalid_field"),
        (json!({"numbers": [{"first": -1, "last": 4}]}), 422, "invalid_body"),
        (json!({"repaid_min": 1_001}), 422, "conditions_refused"),
        (json!({"default_free_days": 3_651}), 422, "conditions_refused"),
        (json!({"repaid_min": -1}), 422, "invalid_body"),
        (json!({"repaid": 1}), 422, "invalid_body"),
    ] {
        let mut item = fixture.lender.item("paper-frogs-7d", FLOOR_SATS / 2, 1);
        item["conditions"] = conditions.clone();
        let answer = fixture.lender.post(&fixture.rig, MANUAL, &json!({"offers": [item]})).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{conditions}");
    }
    // One private channel shows them all, so their number is bounded.
    for number in 1..=5 {
        let mut item = fixture.lender.item("paper-frogs-7d", FLOOR_SATS / 2, 5);
        item["conditions"] = json!({"borrower_address": fixture.borrower.address()});
        let answer = fixture.lender.post(&fixture.rig, MANUAL, &json!({"offers": [item]})).await;
        if number <= 4 { drop(answer.ok()) } else { answer.refused(422, "conditions_refused") }
    }
    let nothing = fixture.offer_on(json!({"repaid_min": 0, "unlisted": false})).await;
    assert_eq!(nothing["conditions"], json!(null), "empty conditions are none");
    fixture.rig.server.stop().await;
}
