//! Tests of instant offers: the signed action takes effect exactly once.

use domain::Sats;
use escrow::action::{Action, CancelOffers, NewOffer};
use serde_json::{Value, json};

use super::lender::{Signed, TestUser, instant, instant_body, vault_signer};
use super::rig::Rig;

const ORDINALS: &str = "/api/v1/offers/instant/ordinals";
const RUNES: &str = "/api/v1/offers/instant/runes";

/// Creates an instant offer and returns its id.
pub async fn create_ordinal(rig: &Rig, lender: &TestUser, principal_sats: u64) -> String {
    let offer = instant("paper-frogs-7d", principal_sats, None, 7_500, &vault_signer(rig).await);
    let signed = lender.sign_fresh(rig, Action::CreateOffer(offer.clone())).await;
    let created = lender.post(rig, ORDINALS, &instant_body(lender, &offer, &signed)).await.ok();
    created["offer"]["offerId"].as_str().unwrap().to_owned()
}

async fn create_rune(rig: &Rig, lender: &TestUser) -> String {
    // 200,000 sats against 10,000 runes at 0.5 sats each would be 4,000 %: 10,000 runes are 1,000,000 raw units.
    let offer = instant("frog-pond-open", 200_000, Some(100_000_000), 7_500, &vault_signer(rig).await);
    let signed = lender.sign_fresh(rig, Action::CreateOffer(offer.clone())).await;
    let created = lender.post(rig, RUNES, &instant_body(lender, &offer, &signed)).await.ok();
    assert_eq!(created["offer"]["fungibleAmount"], "100000000");
    created["offer"]["offerId"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn offers_of_both_kinds_are_created_quoted_edited_and_cancelled_by_signature() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.get(&rig, "/api/v1/vault").await.refused(404, "vault_not_found");
    lender.fund(&rig, 10_000_000).await;
    let vault = lender.get(&rig, "/api/v1/vault").await.ok();
    let expected = json!({"usableBalanceSats": 10_000_000, "balanceSats": 10_000_000, "vaultAddress": lender.vault()});
    assert_eq!(vault, expected);

    let (ordinal, rune) = (create_ordinal(&rig, &lender, 500_000).await, create_rune(&rig, &lender).await);
    let quotes = lender.get(&rig, "/api/instant/ordinals/offers?collection_group_slug=paper-frogs").await.ok();
    let expected = json!([{"offerId": ordinal, "available_sats": 500_000, "loan_term_days": 7,
        "interest_rate_percentage": 1.2, "ltv": 50}]);
    assert_eq!(quotes, expected);

    let edited = edit_ordinal(&rig, &lender, &ordinal, 600_000).await.ok();
    let newer = edited["offer"]["offerId"].as_str().unwrap().to_owned();
    assert_eq!(edited["offer"]["principal"], 600_000);

    let cancelled = cancel_batch(&rig, &lender, &[&newer], &[&rune]).await.ok();
    let outcomes: Vec<_> = cancelled["results"].as_array().unwrap().iter().map(|it| it["ok"].clone()).collect();
    assert_eq!(outcomes, [true, true]);

    let last = create_ordinal(&rig, &lender, 400_000).await;
    let vault_id = vault_signer(&rig).await;
    let action = CancelOffers { ordinal_offer_ids: vec![last.clone()], rune_offer_ids: vec![], vault: Some(vault_id) };
    let signed = lender.sign_fresh(&rig, Action::CancelOffers(action)).await;
    let body = json!({"signature": signed.signature, "signature_timestamp": signed.issued_s, "message": signed.text});
    let path = format!("{RUNES}/{last}/cancel");
    lender.post(&rig, &path, &body).await.refused(422, "message_field_mismatch");
    let path = format!("{ORDINALS}/{last}/cancel");
    assert_eq!(lender.post(&rig, &path, &body).await.ok()["results"][0]["ok"], true);
    lender.post(&rig, &path, &body).await.refused(409, "nonce_used");
    rig.server.stop().await;
}

/// The action that cancels an offer against an inscription.
pub async fn cancellation(rig: &Rig, id: &str) -> Action {
    let (ordinal_offer_ids, vault) = (vec![id.to_owned()], Some(vault_signer(rig).await));
    Action::CancelOffers(CancelOffers { ordinal_offer_ids, rune_offer_ids: vec![], vault })
}

async fn edit_ordinal(rig: &Rig, lender: &TestUser, id: &str, principal_sats: u64) -> super::rig::Answer {
    let vault_id = vault_signer(rig).await;
    let new_offer = instant("paper-frogs-30d", principal_sats, None, 8_000, &vault_id);
    let action = Action::EditOffer { delete_offer_id: id.to_owned(), new_offer: new_offer.clone() };
    let signed = lender.sign_fresh(rig, action).await;
    let mut body = envelope(lender, &signed, &vault_id);
    body["offerType"] = json!("inscription");
    body["vaultAddress"] = json!(lender.vault());
    body["editOrdinalOffer"] = json!({"deleteOfferExternalId": id, "newOffer": {
        "childCollectionSlug": "paper-frogs-30d", "principalAmountSats": principal_sats, "ltvMax": 8_000,
        "acceptNextTerm": true}});
    lender.post(rig, "/api/v1/offers/instant/batch-edit", &body).await
}

async fn cancel_batch(rig: &Rig, lender: &TestUser, ordinals: &[&str], runes: &[&str]) -> super::rig::Answer {
    let vault_id = vault_signer(rig).await;
    let texts = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (ordinals, runes) = (texts(ordinals), texts(runes));
    let action = CancelOffers {
        ordinal_offer_ids: ordinals.clone(),
        rune_offer_ids: runes.clone(),
        vault: Some(vault_id.clone()),
    };
    let signed = lender.sign_fresh(rig, Action::CancelOffers(action)).await;
    let mut body = envelope(lender, &signed, &vault_id);
    body["ordinalOfferIds"] = json!(ordinals);
    body["runeOfferIds"] = json!(runes);
    lender.post(rig, "/api/v1/offers/instant/batch-cancel", &body).await
}

fn envelope(lender: &TestUser, signed: &Signed, vault_id: &str) -> Value {
    json!({
        "userAddress": lender.address(), "publicKey": lender.wallet_fields().payment_public_key,
        "signature": signed.signature, "signatureTimestamp": signed.issued_s, "nonce": signed.nonce,
        "canisterId": vault_id, "message": signed.text,
    })
}

#[actix_web::test]
async fn an_edit_keeps_the_time_until_which_an_offer_is_good() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 1_000_000).await;
    let id = create_ordinal(&rig, &lender, 300_000).await;
    let good_until = lienbook::clock::now().plus_ms(86_400_000).0;
    let body = json!({"offerIds": [id], "goodUntil": good_until});
    lender.post(&rig, "/api/v1/offers/good-until", &body).await.ok();
    let edited = edit_ordinal(&rig, &lender, &id, 310_000).await.ok();
    assert_eq!((&edited["offer"]["goodUntil"], &edited["offer"]["isExpired"]), (&json!(good_until), &json!(false)));
    rig.server.stop().await;
}

#[actix_web::test]
async fn every_field_of_a_request_must_be_the_signed_one() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let vault_id = vault_signer(&rig).await;
    let offer = instant("frog-pond-open", 200_000, Some(100_000_000), 7_500, &vault_id);
    let signed = lender.sign_fresh(&rig, Action::CreateOffer(offer.clone())).await;
    let good = instant_body(&lender, &offer, &signed);
    let before = rig.events();
    for (field, value, status, code) in [
        ("collection_slug", json!("frog-pond-bundle"), 422, "message_field_mismatch"),
        ("principal_amount_sats", json!(200_001), 422, "message_field_mismatch"),
        ("fungible_amount", json!("100000001"), 422, "message_field_mismatch"),
        ("ltv_max", json!(7_501), 422, "message_field_mismatch"),
        ("accept_next_term", json!(false), 422, "message_field_mismatch"),
        ("signature_timestamp", json!(signed.issued_s + 1), 422, "message_field_mismatch"),
        ("vault_address", json!("ledger:us_99"), 403, "not_your_vault"),
        ("fungible_amount", json!("-1"), 422, "invalid_field"),
        ("fungible_amount", json!("0100000000"), 422, "invalid_field"),
        ("signature", json!("AAAA"), 422, "signature_malformed"),
        ("message", json!(signed.text.replace("200000", "200001")), 422, "signature_wrong_key_or_invalid"),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let answer = lender.post(&rig, RUNES, &body).await;
        if code == "signature_wrong_key_or_invalid" {
            assert!(["signature_wrong_key", "signature_invalid"].contains(&answer.code()), "{}", answer.body);
        } else {
            answer.refused(status, code);
        }
        if code == "message_field_mismatch" {
            assert_eq!(answer.body["values"]["field"], field);
        }
    }
    assert_eq!(rig.events(), before);
    lender.post(&rig, RUNES, &good).await.ok();
    lender.post(&rig, RUNES, &good).await.refused(409, "nonce_used");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_message_of_another_purpose_user_or_vault_signer_creates_nothing() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    lender.fund(&rig, 10_000_000).await;
    let vault_id = vault_signer(&rig).await;
    let offer = instant("paper-frogs-7d", 500_000, None, 7_500, &vault_id);
    let action = || Action::CreateOffer(offer.clone());
    let before = rig.events();

    let address = json!({"address": lender.address()});
    let sign_in_nonce = rig.post("/api/v1/session/nonce", &address).await.ok()["data"].clone();
    let signed = lender.sign(action(), &sign_in_nonce);
    lender.post(&rig, ORDINALS, &instant_body(&lender, &offer, &signed)).await.refused(422, "nonce_unknown");

    let others_nonce = other.nonce(&rig).await;
    let signed = lender.sign(action(), &others_nonce);
    lender.post(&rig, ORDINALS, &instant_body(&lender, &offer, &signed)).await.refused(422, "nonce_unknown");

    let signed = other.sign_fresh(&rig, action()).await;
    lender.post(&rig, ORDINALS, &instant_body(&lender, &offer, &signed)).await.refused(422, "message_wrong_address");

    let pause = Action::PauseOffer { offer_id: "of_1".to_owned() };
    let signed = lender.sign_fresh(&rig, pause).await;
    lender.post(&rig, ORDINALS, &instant_body(&lender, &offer, &signed)).await.refused(422, "message_wrong_action");

    let elsewhere = instant("paper-frogs-7d", 500_000, None, 7_500, "another-signer");
    let signed = lender.sign_fresh(&rig, Action::CreateOffer(elsewhere.clone())).await;
    let answer = lender.post(&rig, ORDINALS, &instant_body(&lender, &elsewhere, &signed)).await;
    answer.refused(422, "message_field_mismatch");

    let mut data = lender.nonce(&rig).await;
    data["domain"] = json!("evil.example");
    let signed = lender.sign(action(), &data);
    lender.post(&rig, ORDINALS, &instant_body(&lender, &offer, &signed)).await.refused(422, "message_wrong_domain");

    let signed = lender.sign_fresh(&rig, action()).await;
    lender.post(&rig, RUNES, &instant_body(&lender, &offer, &signed)).await.refused(422, "invalid_body");
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn one_signature_cancels_all_instant_offers() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    for user in [&lender, &other] {
        user.fund(&rig, 2_000_000).await;
    }
    let kept = create_ordinal(&rig, &other, 300_000).await;
    let manual = lender.quote(&rig, "paper-frogs-7d", 300_000, 1).await;
    let mut own = [create_ordinal(&rig, &lender, 300_000).await, create_ordinal(&rig, &lender, 310_000).await];
    let vault_id = vault_signer(&rig).await;
    let cancelling = async |vault: String| {
        let signed = lender.sign_fresh(&rig, Action::CancelAllOffers { vault }).await;
        json!({"signature": signed.signature, "signature_timestamp": signed.issued_s, "message": signed.text})
    };
    let path = "/api/v1/offers/instant/cancel-all";
    let elsewhere = cancelling("another-signer".to_owned()).await;
    lender.post(&rig, path, &elsewhere).await.refused(422, "message_field_mismatch");
    let body = cancelling(vault_id).await;
    other.post(&rig, path, &body).await.refused(422, "message_wrong_address");
    let results = lender.post(&rig, path, &body).await.ok()["results"].clone();
    let mut cancelled: Vec<_> =
        results.as_array().unwrap().iter().map(|it| (it["offerId"].clone(), it["ok"].clone())).collect();
    cancelled.sort_by_key(|(id, _)| id.to_string());
    own.sort();
    assert_eq!(cancelled, own.iter().map(|id| (json!(id), json!(true))).collect::<Vec<_>>());
    lender.post(&rig, path, &body).await.refused(409, "nonce_used");
    // A message that found none is used as well, and cancels nothing that comes later.
    let body = cancelling(vault_signer(&rig).await).await;
    assert_eq!(lender.post(&rig, path, &body).await.ok()["results"], json!([]));
    let later = create_ordinal(&rig, &lender, 320_000).await;
    lender.post(&rig, path, &body).await.refused(409, "nonce_used");
    assert_eq!(cancel_batch(&rig, &lender, &[&later], &[]).await.ok()["results"][0]["ok"], true);
    for (user, left) in [(&lender, &manual[0]), (&other, &kept)] {
        let mine = user.get(&rig, "/api/v1/offers").await.ok()["data"].clone();
        assert_eq!((mine.as_array().unwrap().len(), &mine[0]["offerId"]), (1, &json!(left)));
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_rules_of_instant_offers_have_the_texts_of_the_screens() {
    let rig = Rig::start().await;
    let (lender, poor) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    lender.fund(&rig, 400_000).await;
    let vault_id = vault_signer(&rig).await;
    let attempt = async |who: &TestUser, offer: NewOffer| {
        let signed = who.sign_fresh(&rig, Action::CreateOffer(offer.clone())).await;
        who.post(&rig, ORDINALS, &instant_body(who, &offer, &signed)).await
    };
    let frogs = |principal, cap| instant("paper-frogs-7d", principal, None, cap, &vault_id);
    let before = rig.events();
    attempt(&poor, frogs(300_000, 7_500)).await.refused(404, "vault_not_found");
    let answer = attempt(&lender, frogs(500_000, 7_500)).await;
    answer.refused(422, "insufficient_vault_balance");
    assert_eq!(answer.body["detail"], "Insufficient vault balance");
    let answer = attempt(&lender, frogs(300_000, 2_000)).await;
    answer.refused(422, "max_ltv_below_current");
    assert_eq!(answer.body["detail"], "Below current LTV of 30%");
    attempt(&lender, frogs(300_000, 9_801)).await.refused(422, "max_ltv_above_ceiling");
    attempt(&lender, frogs(300_000, u32::MAX)).await.refused(422, "max_ltv_above_ceiling");
    attempt(&lender, frogs(u64::MAX, 7_500)).await.refused(422, "above_max_offer");
    assert_eq!(rig.events(), before);

    // A falling floor pauses the offer, which its lender sees and borrowers do not.
    let id = create_ordinal(&rig, &lender, 300_000).await;
    let group = rig.app().market.group_named("paper-frogs").unwrap().id;
    let low = domain::UnitPrice::from_sats(Sats::new(350_000)).unwrap();
    rig.app().market.move_price(group, low, rig.app().now()).await.unwrap();
    let mine = lender.get(&rig, "/api/v1/offers").await.ok();
    assert_eq!(mine["data"][0]["offerId"], id.as_str());
    assert_eq!(mine["data"][0]["isPausedFromMaxLTV"], true);
    let book = rig.get("/api/v1/collections/paper-frogs/orderbook").await.ok();
    assert_eq!(book["instantOrdinalOffers"], json!([]));
    let action = Action::AcceptTerm { offer_id: id.clone(), term_id: "tc_1".to_owned() };
    let signed = lender.sign_fresh(&rig, action).await;
    let accept = json!({"term_id": "tc_1", "instant_offer_id": id, "signature": signed.signature,
        "signature_timestamp": signed.issued_s, "message": signed.text});
    let answer = lender.post(&rig, "/api/v1/offers/instant/accept-term", &accept).await;
    answer.refused(404, "unknown_term_change");
    rig.server.stop().await;
}
