//! Tests of the binding between signed offer messages and their requests: one field is changed at a time, and each
//! change is refused.

use std::collections::BTreeSet;

use domain::{Command, InterestRate, SubCollectionId, TermChange, TermChangeId, TermDays};
use escrow::action::{Action, CancelOffers};
use lienbook::session::nonce_issuer::{self, Purpose};
use serde_json::{Value, json};

use super::lender::{TestUser, instant, instant_body, vault_signer};
use super::rig::{Answer, Rig};
use super::signed_requests::{
    CANCEL, EDIT, ORDINALS, RUNES, accept_term, cancel_batch, cancel_ordinal, cancel_rune, create_ordinal, create_rune,
    edit_ordinal, edit_rune,
};

const MISMATCH: &str = "message_field_mismatch";

/// The place of a field in a body, its changed value, and the expected code.
type Change = (&'static str, Value, &'static str);

/// A market in which a lender and another user have offers of each kind.
struct Fixture {
    rig: Rig,
    lender: TestUser,
    other: TestUser,
    /// Two offers of the lender against inscriptions, two against runes, and one of each of the other user.
    ordinals: [String; 2],
    runes: [String; 2],
    foreign: [String; 2],
}

async fn created(rig: &Rig, lender: &TestUser, (path, body): (String, Value)) -> String {
    lender.post(rig, &path, &body).await.ok()["offer"]["offerId"].as_str().unwrap().to_owned()
}

impl Fixture {
    async fn new() -> Self {
        // A public name that does not change when the server starts again on another port.
        let name = "https://lienbook.example".parse().unwrap();
        let rig = Rig::start_with(|settings| settings.public_url = Some(name)).await;
        let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
        let mut ids = Vec::new();
        for (who, sats) in [(&lender, 300_000), (&lender, 310_000), (&other, 320_000)] {
            who.fund(&rig, 10_000_000).await;
            let ordinal = create_ordinal(&rig, who, sats).await;
            let rune = create_rune(&rig, who, sats).await;
            ids.push([created(&rig, who, ordinal).await, created(&rig, who, rune).await]);
        }
        let [[o1, r1], [o2, r2], foreign] = ids.try_into().unwrap();
        Self { rig, lender, other, ordinals: [o1, o2], runes: [r1, r2], foreign }
    }

    /// Sends a request that must be refused with this code, and checks that it had no effect.
    async fn refused(&self, what: &str, path: &str, body: &Value, code: &str) -> Answer {
        let before = self.rig.events();
        let answer = self.lender.post(&self.rig, path, body).await;
        assert!(answer.status.is_client_error(), "{what}: {} {}", answer.status, answer.body);
        assert_eq!(answer.code(), code, "{what}: {}", answer.body);
        assert_eq!(self.rig.events(), before, "{what}");
        answer
    }

    /// Changes one field after another, and then sends the signed body. Every field must have been changed.
    async fn hold(&self, path: &str, good: &Value, changes: Vec<Change>) {
        let mut untouched = leaves(good, "");
        for (place, value, code) in changes {
            let mut body = good.clone();
            let field = body.pointer_mut(place).unwrap_or_else(|| panic!("{path} has no {place}"));
            assert_ne!(*field, value, "{path}{place} is not changed");
            *field = value;
            let answer = self.refused(&format!("{path}{place}"), path, &body, code).await;
            if code == MISMATCH {
                assert!(answer.body["values"]["field"].is_string(), "{path}{place}: {}", answer.body);
            }
            untouched.retain(|leaf| !leaf.starts_with(place));
        }
        assert!(untouched.is_empty(), "{path}: unchanged fields {untouched:?}");
        self.lender.post(&self.rig, path, good).await.ok();
        self.refused(&format!("{path} again"), path, good, "nonce_used").await;
    }

    /// The changes that apply to every signed message: another signature, another time, another message.
    async fn of_the_message(&self, good: &Value, timestamp: &'static str) -> Vec<Change> {
        let text = good["message"].as_str().unwrap();
        let foreign = self.other.wallet.sign_bip322(self.other.kind, text).unwrap();
        let (_, another) = create_ordinal(&self.rig, &self.lender, 123_456).await;
        vec![
            ("/signature", json!("AAAA"), "signature_malformed"),
            ("/signature", json!(foreign), "signature_wrong_key"),
            ("/signature", another["signature"].clone(), "signature_invalid"),
            ("/message", another["message"].clone(), "signature_invalid"),
            ("/message", json!("Lienbook: dance"), "message_malformed"),
            ("/message", json!(text.replace("Network: regtest", "Network: bitcoin")), "message_wrong_network"),
            (timestamp, json!(good.pointer(timestamp).unwrap().as_u64().unwrap() + 1), MISMATCH),
        ]
    }

    /// The changes that apply to the further fields of every batch.
    async fn of_the_envelope(&self, good: &Value) -> Vec<Change> {
        let another_nonce = self.lender.nonce(&self.rig).await["nonce"].clone();
        let mut changes = self.of_the_message(good, "/signatureTimestamp").await;
        changes.extend([
            ("/userAddress", json!(self.other.address()), "message_wrong_address"),
            ("/publicKey", json!(self.other.wallet_fields().payment_public_key), "public_key_mismatch"),
            ("/nonce", another_nonce, MISMATCH),
            ("/canisterId", json!("another signer"), "not_your_vault"),
        ]);
        changes
    }
}

/// The places of all scalar values in a body.
fn leaves(value: &Value, place: &str) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            fields.iter().flat_map(|(key, value)| leaves(value, &format!("{place}/{key}"))).collect()
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().flat_map(|(index, item)| leaves(item, &format!("{place}/{index}"))).collect()
        }
        _ => vec![place.to_owned()],
    }
}

#[actix_web::test]
async fn every_field_of_a_new_instant_offer_is_bound() {
    let fixture = Fixture::new().await;
    for is_rune in [false, true] {
        let (path, good) = if is_rune {
            create_rune(&fixture.rig, &fixture.lender, 200_000).await
        } else {
            create_ordinal(&fixture.rig, &fixture.lender, 200_000).await
        };
        let mut changes = fixture.of_the_message(&good, "/signature_timestamp").await;
        let place = if is_rune { "frog-pond-bundle" } else { "paper-frogs-30d" };
        changes.extend([
            ("/collection_slug", json!(place), MISMATCH),
            ("/principal_amount_sats", json!(200_001), MISMATCH),
            ("/principal_amount_sats", json!(199_999), MISMATCH),
            ("/ltv_max", json!(7_501), MISMATCH),
            ("/accept_next_term", json!(false), MISMATCH),
            ("/vault_address", json!(fixture.other.vault()), "not_your_vault"),
        ]);
        if is_rune {
            changes.push(("/fungible_amount", json!("100000001"), MISMATCH));
            changes.push(("/fungible_amount", json!("99999999"), MISMATCH));
        }
        fixture.hold(&path, &good, changes).await;
    }
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn every_field_of_a_batch_edit_is_bound() {
    let fixture = Fixture::new().await;
    let (path, good) = edit_ordinal(&fixture.rig, &fixture.lender, &fixture.ordinals[0], 250_000).await;
    let mut changes = fixture.of_the_envelope(&good).await;
    changes.extend([
        ("/offerType", json!("rune"), "invalid_field"),
        ("/vaultAddress", json!(fixture.other.vault()), "not_your_vault"),
        ("/editOrdinalOffer/deleteOfferExternalId", json!(fixture.ordinals[1]), MISMATCH),
        ("/editOrdinalOffer/deleteOfferExternalId", json!(fixture.foreign[0]), MISMATCH),
        ("/editOrdinalOffer/newOffer/childCollectionSlug", json!("paper-frogs-7d"), MISMATCH),
        ("/editOrdinalOffer/newOffer/principalAmountSats", json!(250_001), MISMATCH),
        ("/editOrdinalOffer/newOffer/ltvMax", json!(8_001), MISMATCH),
        ("/editOrdinalOffer/newOffer/acceptNextTerm", json!(false), MISMATCH),
    ]);
    fixture.hold(&path, &good, changes).await;
    let (path, good) = edit_rune(&fixture.rig, &fixture.lender, &fixture.runes[0], 250_000).await;
    let mut changes = fixture.of_the_envelope(&good).await;
    changes.extend([
        ("/offerType", json!("inscription"), "invalid_field"),
        ("/vaultAddress", json!(fixture.other.vault()), "not_your_vault"),
        ("/editRuneOffer/deleteOfferExternalId", json!(fixture.runes[1]), MISMATCH),
        ("/editRuneOffer/newOffer/collectionSlug", json!("frog-pond-bundle"), MISMATCH),
        ("/editRuneOffer/newOffer/principalAmountSats", json!(249_999), MISMATCH),
        ("/editRuneOffer/newOffer/fungibleAmount", json!("100000001"), MISMATCH),
        ("/editRuneOffer/newOffer/ltvMax", json!(7_999), MISMATCH),
        ("/editRuneOffer/newOffer/acceptNextTerm", json!(false), MISMATCH),
    ]);
    fixture.hold(&path, &good, changes).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn every_field_of_a_batch_cancellation_is_bound() {
    let fixture = Fixture::new().await;
    let (ordinals, runes) = (&fixture.ordinals, &fixture.runes);
    let (path, good) = cancel_batch(&fixture.rig, &fixture.lender, &[&ordinals[0]], &[&runes[0]]).await;
    let mut changes = fixture.of_the_envelope(&good).await;
    changes.extend([
        ("/ordinalOfferIds/0", json!(ordinals[1]), MISMATCH),
        ("/runeOfferIds/0", json!(runes[1]), MISMATCH),
        ("/ordinalOfferIds", json!([]), MISMATCH),
        ("/ordinalOfferIds", json!([ordinals[0], ordinals[1]]), MISMATCH),
        ("/ordinalOfferIds", json!([runes[0]]), MISMATCH),
        ("/runeOfferIds", json!([]), MISMATCH),
        ("/runeOfferIds", json!([runes[0], runes[1]]), MISMATCH),
    ]);
    fixture.hold(&path, &good, changes).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_cancellation_by_id_is_bound_to_its_address() {
    let fixture = Fixture::new().await;
    for (own, second, is_rune) in
        [(&fixture.ordinals[0], &fixture.ordinals[1], false), (&fixture.runes[0], &fixture.runes[1], true)]
    {
        let (path, good) = if is_rune {
            cancel_rune(&fixture.rig, &fixture.lender, own).await
        } else {
            cancel_ordinal(&fixture.rig, &fixture.lender, own).await
        };
        let (kind, wrong_kind) = if is_rune { (RUNES, ORDINALS) } else { (ORDINALS, RUNES) };
        for wrong in [format!("{kind}/{second}/cancel"), format!("{wrong_kind}/{own}/cancel")] {
            fixture.refused(&wrong, &wrong, &good, MISMATCH).await;
        }
        let changes = fixture.of_the_message(&good, "/signature_timestamp").await;
        fixture.hold(&path, &good, changes).await;
    }
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_signed_request_for_another_lenders_offer_is_refused() {
    let fixture = Fixture::new().await;
    let (rig, lender) = (&fixture.rig, &fixture.lender);
    let [ordinal, rune] = &fixture.foreign;
    for (path, body) in [
        edit_ordinal(rig, lender, ordinal, 250_000).await,
        edit_rune(rig, lender, rune, 250_000).await,
        cancel_ordinal(rig, lender, ordinal).await,
        cancel_rune(rig, lender, rune).await,
        cancel_batch(rig, lender, &[ordinal], &[]).await,
        cancel_batch(rig, lender, &[], &[rune]).await,
    ] {
        fixture.refused(&path, &path, &body, "not_owner").await;
    }
    let (path, body) = accept_term(rig, lender, ordinal, "tc_1").await;
    fixture.refused("accept", &path, &body, "not_owner").await;
    // The valid signature, in a request of another session.
    let (path, body) = create_ordinal(rig, &fixture.other, 200_000).await;
    fixture.refused("create", &path, &body, "message_wrong_address").await;
    let (path, body) = edit_ordinal(rig, &fixture.other, ordinal, 250_000).await;
    fixture.refused("edit", &path, &body, "message_wrong_address").await;
    // An offer of the other kind, under an id of the wrong kind.
    let (path, body) = cancel_rune(rig, lender, &fixture.ordinals[0]).await;
    fixture.refused("cancel", &path, &body, "invalid_field").await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_message_is_valid_from_shortly_before_its_issue_until_its_expiry() {
    let fixture = Fixture::new().await;
    let (rig, lender) = (&fixture.rig, &fixture.lender);
    let vault_id = vault_signer(rig).await;
    let now_s = rig.app().now().seconds();
    let place = lender.nonce(rig).await;
    for (issued_s, code) in [
        (now_s - 3_600, Some("message_expired")),
        (now_s - 601, Some("message_expired")),
        (now_s + 600, Some("message_times")),
        (now_s + 3_600, Some("message_times")),
        (now_s - 300, None),
    ] {
        // Such a nonce was issued then, or will be: this server accepts it as its own.
        let issued = rig.app().keys.nonces.issue(Purpose::Action, &lender.address(), issued_s);
        let mut data = place.clone();
        data["nonce"] = json!(nonce_issuer::to_text(issued.nonce));
        (data["issued"], data["expires"]) = (json!(issued.issued_s), json!(issued.expires_s));
        let offer = instant("paper-frogs-7d", 200_000, None, 7_500, &vault_id);
        let create = lender.sign(Action::CreateOffer(offer.clone()), &data);
        let (_, mut edit) = edit_ordinal(rig, lender, &fixture.ordinals[0], 250_000).await;
        let new_offer = instant("paper-frogs-30d", 250_000, None, 8_000, &vault_id);
        let signed = lender.sign(Action::EditOffer { delete_offer_id: fixture.ordinals[0].clone(), new_offer }, &data);
        let (text, time, nonce) = (json!(signed.text), json!(signed.issued_s), json!(signed.nonce));
        (edit["message"], edit["signatureTimestamp"], edit["nonce"]) = (text, time, nonce);
        edit["signature"] = json!(signed.signature);
        let action = CancelOffers {
            ordinal_offer_ids: vec![fixture.ordinals[1].clone()],
            rune_offer_ids: vec![],
            vault: Some(vault_id.clone()),
        };
        let cancel = lender.sign(Action::CancelOffers(action), &data);
        let cancel =
            json!({"signature": cancel.signature, "signature_timestamp": cancel.issued_s, "message": cancel.text});
        let cancel_path = format!("{ORDINALS}/{}/cancel", fixture.ordinals[1]);
        let requests =
            [(ORDINALS, instant_body(lender, &offer, &create)), (EDIT, edit), (cancel_path.as_str(), cancel)];
        if let Some(code) = code {
            for (path, body) in &requests {
                fixture.refused(&format!("{path} at {issued_s}"), path, body, code).await;
            }
            continue;
        }
        // One nonce, one action: it can be used once.
        lender.post(rig, ORDINALS, &requests[0].1).await.ok();
        for (path, body) in &requests[1..] {
            fixture.refused(path, path, body, "nonce_used").await;
        }
    }
    // Times other than those that the nonce was issued with.
    for (field, shift) in [("issued", 1), ("expires", -1)] {
        let mut data = lender.nonce(rig).await;
        data[field] = json!(data[field].as_i64().unwrap() + shift);
        let offer = instant("paper-frogs-7d", 200_000, None, 7_500, &vault_id);
        let signed = lender.sign(Action::CreateOffer(offer.clone()), &data);
        fixture.refused(field, ORDINALS, &instant_body(lender, &offer, &signed), "nonce_unknown").await;
    }
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn every_field_of_an_accepted_term_is_bound_and_the_offer_is_an_own_instant_one() {
    let fixture = Fixture::new().await;
    let (rig, lender) = (&fixture.rig, &fixture.lender);
    let manual = lender.quote(rig, "paper-frogs-7d", 500_000, 1).await.remove(0);
    let group = rig.app().market.group_named("paper-frogs").unwrap().id;
    let change = TermChange {
        id: TermChangeId(7),
        interest: InterestRate::from_basis_points(200),
        term: TermDays(14),
        change_at: rig.app().now().plus_ms(3_600_000),
    };
    let sub_collection = SubCollectionId(0);
    let schedule = Command::ScheduleTermChange { sub_collection, change };
    rig.app().market.command(group, schedule, None).await.unwrap();
    let (term, later) = (TermChangeId(7).to_string(), TermChangeId(8).to_string());
    for (what, offer, term, code) in [
        ("another term", &fixture.ordinals[0], &later, "unknown_term_change"),
        ("no term", &fixture.ordinals[0], &"x".to_owned(), "unknown_term_change"),
        ("no offer", &"of_x".to_owned(), &term, "unknown_offer"),
        ("an offer that there is not", &"of_19999999999".to_owned(), &term, "unknown_offer"),
        ("another lender's", &fixture.foreign[0], &term, "not_owner"),
        ("a manual one", &manual, &term, "manual_terms"),
        ("one of another collection", &fixture.runes[0], &term, "unknown_term_change"),
    ] {
        let (path, body) = accept_term(rig, lender, offer, term).await;
        fixture.refused(what, &path, &body, code).await;
    }
    let (path, good) = accept_term(rig, lender, &fixture.ordinals[0], &term).await;
    let mut changes = fixture.of_the_message(&good, "/signature_timestamp").await;
    changes.extend([
        ("/term_id", json!(later), MISMATCH),
        ("/instant_offer_id", json!(fixture.ordinals[1]), MISMATCH),
        ("/instant_offer_id", json!(fixture.foreign[0]), "not_owner"),
    ]);
    fixture.hold(&path, &good, changes).await;
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn a_used_signature_is_refused_after_a_restart() {
    let fixture = Fixture::new().await;
    let (rig, lender) = (&fixture.rig, &fixture.lender);
    let [ordinal, second] = &fixture.ordinals;
    let requests = [
        create_ordinal(rig, lender, 200_000).await,
        create_rune(rig, lender, 200_000).await,
        edit_ordinal(rig, lender, ordinal, 250_000).await,
        cancel_ordinal(rig, lender, second).await,
        cancel_batch(rig, lender, &[], &[&fixture.runes[0], &fixture.runes[1]]).await,
    ];
    for (path, body) in &requests {
        lender.post(rig, path, body).await.ok();
    }
    let paths: BTreeSet<&str> = requests.iter().map(|(path, _)| path.as_str()).collect();
    assert!(paths.contains(CANCEL) && paths.contains(EDIT));
    let Fixture { rig, lender, .. } = fixture;
    let rig = rig.restart().await;
    let before = rig.events();
    for (path, body) in &requests {
        lender.post(&rig, path, body).await.refused(409, "nonce_used");
    }
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}
