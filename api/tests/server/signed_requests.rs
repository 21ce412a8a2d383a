//! Valid requests with signed messages, of which a test can alter one field.

use escrow::action::{Action, CancelOffers, NewOffer};
use serde_json::{Value, json};

use super::lender::{Signed, TestUser, instant, instant_body, vault_signer};
use super::rig::Rig;

pub const ORDINALS: &str = "/api/v1/offers/instant/ordinals";
pub const RUNES: &str = "/api/v1/offers/instant/runes";
pub const EDIT: &str = "/api/v1/offers/instant/batch-edit";
pub const CANCEL: &str = "/api/v1/offers/instant/batch-cancel";
pub const ACCEPT: &str = "/api/v1/offers/instant/accept-term";

/// 10,000 runes at 0.5 sats each.
const RUNE_AMOUNT: u128 = 100_000_000;

/// The path and body of a new offer against an inscription.
pub async fn create_ordinal(rig: &Rig, lender: &TestUser, principal_sats: u64) -> (String, Value) {
    let offer = instant("paper-frogs-7d", principal_sats, None, 7_500, &vault_signer(rig).await);
    let signed = lender.sign_fresh(rig, Action::CreateOffer(offer.clone())).await;
    (ORDINALS.to_owned(), instant_body(lender, &offer, &signed))
}

/// The same against runes.
pub async fn create_rune(rig: &Rig, lender: &TestUser, principal_sats: u64) -> (String, Value) {
    let offer = instant("frog-pond-open", principal_sats, Some(RUNE_AMOUNT), 7_500, &vault_signer(rig).await);
    let signed = lender.sign_fresh(rig, Action::CreateOffer(offer.clone())).await;
    (RUNES.to_owned(), instant_body(lender, &offer, &signed))
}

/// The replacement of an offer against an inscription.
pub async fn edit_ordinal(rig: &Rig, lender: &TestUser, id: &str, principal_sats: u64) -> (String, Value) {
    let new = instant("paper-frogs-30d", principal_sats, None, 8_000, &vault_signer(rig).await);
    let mut body = signed_edit(rig, lender, id, &new).await;
    body["offerType"] = json!("inscription");
    body["editOrdinalOffer"] = json!({"deleteOfferExternalId": id, "newOffer": {
        "childCollectionSlug": new.collection_slug, "principalAmountSats": principal_sats, "ltvMax": 8_000,
        "acceptNextTerm": true}});
    (EDIT.to_owned(), body)
}

/// The replacement of an offer against runes.
pub async fn edit_rune(rig: &Rig, lender: &TestUser, id: &str, principal_sats: u64) -> (String, Value) {
    let new = instant("frog-pond-open", principal_sats, Some(RUNE_AMOUNT), 8_000, &vault_signer(rig).await);
    let mut body = signed_edit(rig, lender, id, &new).await;
    body["offerType"] = json!("rune");
    body["editRuneOffer"] = json!({"deleteOfferExternalId": id, "newOffer": {
        "collectionSlug": new.collection_slug, "principalAmountSats": principal_sats,
        "fungibleAmount": RUNE_AMOUNT.to_string(), "ltvMax": 8_000, "acceptNextTerm": true}});
    (EDIT.to_owned(), body)
}

/// The cancellation of several offers.
pub async fn cancel_batch(rig: &Rig, lender: &TestUser, ordinals: &[&str], runes: &[&str]) -> (String, Value) {
    let (action, vault_id) = cancellation(rig, ordinals, runes).await;
    let signed = lender.sign_fresh(rig, Action::CancelOffers(action)).await;
    let mut body = envelope(lender, &signed, &vault_id);
    body["ordinalOfferIds"] = json!(ordinals);
    body["runeOfferIds"] = json!(runes);
    (CANCEL.to_owned(), body)
}

/// The cancellation of one offer against an inscription.
pub async fn cancel_ordinal(rig: &Rig, lender: &TestUser, id: &str) -> (String, Value) {
    let (action, _) = cancellation(rig, &[id], &[]).await;
    let signed = lender.sign_fresh(rig, Action::CancelOffers(action)).await;
    (format!("{ORDINALS}/{id}/cancel"), proof(&signed))
}

/// The cancellation of one offer against runes.
pub async fn cancel_rune(rig: &Rig, lender: &TestUser, id: &str) -> (String, Value) {
    let (action, _) = cancellation(rig, &[], &[id]).await;
    let signed = lender.sign_fresh(rig, Action::CancelOffers(action)).await;
    (format!("{RUNES}/{id}/cancel"), proof(&signed))
}

/// The acceptance of a change of terms.
pub async fn accept_term(rig: &Rig, lender: &TestUser, id: &str, term: &str) -> (String, Value) {
    let action = Action::AcceptTerm { offer_id: id.to_owned(), term_id: term.to_owned() };
    let mut body = proof(&lender.sign_fresh(rig, action).await);
    (body["instant_offer_id"], body["term_id"]) = (json!(id), json!(term));
    (ACCEPT.to_owned(), body)
}

fn proof(signed: &Signed) -> Value {
    json!({"signature": signed.signature, "signature_timestamp": signed.issued_s, "message": signed.text})
}

async fn cancellation(rig: &Rig, ordinals: &[&str], runes: &[&str]) -> (CancelOffers, String) {
    let texts = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (ordinal_offer_ids, rune_offer_ids) = (texts(ordinals), texts(runes));
    let vault_id = vault_signer(rig).await;
    (CancelOffers { ordinal_offer_ids, rune_offer_ids, vault: Some(vault_id.clone()) }, vault_id)
}

async fn signed_edit(rig: &Rig, lender: &TestUser, id: &str, new_offer: &NewOffer) -> Value {
    let action = Action::EditOffer { delete_offer_id: id.to_owned(), new_offer: new_offer.clone() };
    let signed = lender.sign_fresh(rig, action).await;
    let mut body = envelope(lender, &signed, &vault_signer(rig).await);
    body["vaultAddress"] = json!(lender.vault());
    body
}

fn envelope(lender: &TestUser, signed: &Signed, vault_id: &str) -> Value {
    json!({
        "userAddress": lender.address(), "publicKey": lender.wallet_fields().payment_public_key,
        "signature": signed.signature, "signatureTimestamp": signed.issued_s, "nonce": signed.nonce,
        "canisterId": vault_id, "message": signed.text,
    })
}
