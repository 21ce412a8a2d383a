//! Tests of vaults that lenders open by a signature, and of instant offers that the vault signer funds.

use bitcoin::hashes::{Hash as _, sha256};
use devchain::EmbeddedChain;
use domain::{Command, InterestRate, OfferId, PauseReasons, SubCollectionId, TermChange, TermChangeId, TermDays};
use escrow::action::Action;
use escrow::address::AddressKind;
use lending::instant_offers::reconcile::{ReconcilePass, Repair};
use lending::lookups::ports::Ports as _;
use lienbook::config::settings::Settings;
use lienbook::node::Node;
use lienbook::server::Server;
use serde_json::{Value, json};
use signer::request::{OfferHash, OfferStatus};
use signer::signed_text::SignedText;
use signer::vault_signer::VaultSigner as _;

use super::instant_offers::create_ordinal;
use super::lender::{Signed, TestUser};
use super::rig::{Rig, settings};

const VAULTS: &str = "/api/v1/vaults";
const MINE: &str = "/api/v1/vaults/me";

/// The state of an offer at the signer.
pub async fn offer_status(rig: &Rig, offer: &str) -> Option<OfferStatus> {
    let offer: OfferId = offer.parse().unwrap();
    let name = rig.app().market.offer_admission(offer).await?;
    let name = OfferHash(sha256::Hash::from_byte_array(name));
    rig.app().signer.offer_status(vec![name]).await.unwrap().first().map(|(_, standing)| *standing)
}

fn signed_switch(signed: &Signed) -> Value {
    json!({"signature": signed.signature, "signatureTimestamp": signed.issued_s, "message": signed.text})
}

#[actix_web::test]
async fn a_vault_is_opened_by_the_ordinals_address_and_shows_its_keys_and_policy() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.get(&rig, MINE).await.refused(404, "vault_not_found");
    let body = lender.opening(&rig).await;
    let opened = lender.post(&rig, VAULTS, &body).await;
    assert_eq!(opened.status, 201);
    let opened = opened.ok();
    assert!(opened["vaultAddress"].as_str().unwrap().starts_with("bcrt1p"), "{opened}");
    assert_eq!(opened["paymentAddress"], lender.address());
    assert_eq!(opened["lenderKey"], lender.wallet_fields().ordinals_public_key);
    assert_eq!(opened["canisterId"], super::lender::vault_signer(&rig).await);
    let domain = format!("Domain: {}", rig.app().public_url.domain());
    assert!(opened["policy"].as_str().unwrap().lines().any(|line| line == domain), "{opened}");
    let sums = ["balanceSats", "usableBalanceSats", "waitingSats", "heldSats"].map(|field| opened[field].as_u64());
    assert_eq!(sums, [Some(0); 4]);
    // The same message again, as after a lost response.
    assert_eq!(lender.post(&rig, VAULTS, &body).await.ok(), opened);
    assert_eq!(lender.open_vault(&rig).await, opened);
    lender.fund(&rig, 7_000).await;
    let shown = lender.get(&rig, MINE).await.ok();
    assert_eq!((&shown["balanceSats"], &shown["vaultAddress"]), (&json!(7_000), &opened["vaultAddress"]));
    let rig = rig.restart().await;
    let again = TestUser::sign_in(&rig, 1).await;
    let shown = again.get(&rig, MINE).await.ok();
    assert_eq!((&shown["vaultAddress"], &shown["signerKey"]), (&opened["vaultAddress"], &opened["signerKey"]));
    rig.server.stop().await;
}

#[actix_web::test]
async fn every_fault_of_an_opening_has_a_code_and_no_effect() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let good = lender.opening(&rig).await;
    let before = rig.events();
    for (field, value, code) in [
        ("canister_id", json!("another"), "message_field_mismatch"),
        ("signature_timestamp", json!(1), "message_field_mismatch"),
        ("signature", json!("AAAA"), "signature_malformed"),
        ("message", json!("Lienbook: open vault"), "message_malformed"),
    ] {
        let mut body = good.clone();
        body[field] = value;
        lender.post(&rig, VAULTS, &body).await.refused(422, code);
    }
    // By the payment address, for another payment address, and for another policy.
    let attempt = async |kind: AddressKind, payment_address: String, vault: &str| {
        let address = json!({"address": lender.wallet.address(kind).to_string()});
        let data = lender.post(&rig, "/api/v1/account/nonce", &address).await.ok()["data"].clone();
        let signed = lender.sign_by(kind, Action::OpenVault { payment_address, vault: vault.to_owned() }, &data);
        let body = json!({"canister_id": vault, "signature": signed.signature,
            "signature_timestamp": signed.issued_s, "message": signed.text});
        lender.post(&rig, VAULTS, &body).await
    };
    let id = super::lender::vault_signer(&rig).await;
    attempt(AddressKind::P2wpkh, lender.address(), &id).await.refused(422, "message_wrong_address");
    let elsewhere = lender.wallet.address(AddressKind::P2shP2wpkh).to_string();
    attempt(AddressKind::P2tr, elsewhere, &id).await.refused(422, "message_field_mismatch");
    attempt(AddressKind::P2tr, lender.address(), &"0".repeat(64)).await.refused(403, "not_your_vault");
    assert_eq!(rig.events(), before);
    // A hardware wallet could not exit the vault unilaterally.
    let mut hardware = TestUser::sign_in(&rig, 1).await;
    let mut shown = hardware.sign_in_body(&rig).await;
    shown["hardware_wallet"] = json!(true);
    let session = rig.post("/api/v1/session", &shown).await;
    hardware.token = session.body["jwt"].as_str().unwrap().into();
    hardware.post(&rig, VAULTS, &good).await.refused(422, "hardware_wallet");
    lender.get(&rig, MINE).await.refused(404, "vault_not_found");
    lender.post(&rig, VAULTS, &good).await.ok();
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_server_without_a_signer_serves_everything_but_instant_offers() {
    let rig = Rig::start_with(|settings| settings.signer_in_process = false).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    assert_eq!(rig.get("/api/v1/config").await.ok()["vaultSignerId"], json!(null));
    let body = json!({"canister_id": "any", "signature": "AAAA", "signature_timestamp": 1, "message": "m"});
    lender.post(&rig, VAULTS, &body).await.refused(422, "message_malformed");
    let ordinals = json!({"address": lender.wallet.ordinals_address().to_string()});
    let data = lender.post(&rig, "/api/v1/account/nonce", &ordinals).await.ok()["data"].clone();
    let action = Action::OpenVault { payment_address: lender.address(), vault: "any".to_owned() };
    let signed = lender.sign_by(AddressKind::P2tr, action, &data);
    let body = json!({"canister_id": "any", "signature": signed.signature, "signature_timestamp": signed.issued_s,
        "message": signed.text});
    let answer = lender.post(&rig, VAULTS, &body).await;
    answer.refused(404, "vault_signer_unset");
    assert_eq!(answer.body["title"], "Vault canister hash not configured");
    lender.quote(&rig, "paper-frogs-7d", 500_000, 1).await;
    rig.server.stop().await;
}

#[actix_web::test]
async fn pauses_by_signature_reach_the_signer_and_end_by_signature_alone() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let id = create_ordinal(&rig, &lender, 500_000).await;
    assert_eq!(offer_status(&rig, &id).await, Some(OfferStatus::Open));
    let (pause, resume) = ("/api/v1/offers/pause", "/api/v1/offers/resume");
    let unsigned = json!({"offerIds": [id]});
    let signed = lender.sign_fresh(&rig, Action::PauseOffer { offer_id: id.clone() }).await;
    let body = json!({"offerIds": [id], "signed": [signed_switch(&signed)]});
    lender.post(&rig, resume, &body).await.refused(422, "message_wrong_action");
    let elsewhere = json!({"offerIds": ["of_1"], "signed": [signed_switch(&signed)]});
    lender.post(&rig, pause, &elsewhere).await.refused(422, "message_field_mismatch");
    assert_eq!(lender.post(&rig, pause, &body).await.ok()["results"][0]["ok"], true);
    assert_eq!(offer_status(&rig, &id).await, Some(OfferStatus::Paused));
    let result = lender.post(&rig, resume, &unsigned).await.ok()["results"][0].clone();
    assert_eq!((&result["ok"], &result["error"]["code"]), (&json!(false), &json!("signature_needed")));
    let signed = lender.sign_fresh(&rig, Action::ResumeOffer { offer_id: id.clone() }).await;
    let body = json!({"offerIds": [id], "signed": [signed_switch(&signed)]});
    assert_eq!(lender.post(&rig, resume, &body).await.ok()["results"][0]["ok"], true);
    assert_eq!(offer_status(&rig, &id).await, Some(OfferStatus::Open));
    // Without a signature only the book pauses, and resumes offers that the signer funds.
    assert_eq!(lender.post(&rig, pause, &unsigned).await.ok()["results"][0]["ok"], true);
    assert_eq!(offer_status(&rig, &id).await, Some(OfferStatus::Open));
    assert_eq!(lender.post(&rig, resume, &unsigned).await.ok()["results"][0]["ok"], true);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_changed_term_is_accepted_at_the_signer_and_in_the_book() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let id = create_ordinal(&rig, &lender, 500_000).await;
    let offer: OfferId = id.parse().unwrap();
    let change = TermChange {
        id: TermChangeId(9),
        interest: InterestRate::from_basis_points(150),
        term: TermDays(10),
        change_at: rig.app().now().plus_ms(3_600_000),
    };
    let command = Command::ScheduleTermChange { sub_collection: SubCollectionId(0), change };
    rig.app().market.command(offer.group(), command, None).await.unwrap();
    let signed = lender.sign_fresh(&rig, Action::AcceptTerm { offer_id: id.clone(), term_id: "tc_9".to_owned() }).await;
    let body = json!({"term_id": "tc_9", "instant_offer_id": id, "signature": signed.signature,
        "signature_timestamp": signed.issued_s, "message": signed.text});
    let path = "/api/v1/offers/instant/accept-term";
    let mut other = body.clone();
    other["term_id"] = json!("tc_8");
    lender.post(&rig, path, &other).await.refused(422, "message_field_mismatch");
    lender.post(&rig, path, &body).await.ok();
    let accepted = rig.app().market.offer(offer).await.unwrap().unwrap().accepted_change;
    assert_eq!(accepted, Some(TermChangeId(9)));
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_offer_that_the_signer_does_not_fund_leaves_the_book_at_the_next_start() {
    // Under a fixed name the server's policy is the same after a restart.
    let url = "http://lienbook.example".parse().unwrap();
    let rig = Rig::start_with(|settings| settings.public_url = Some(url)).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.fund(&rig, 10_000_000).await;
    let (kept, cancelled) =
        (create_ordinal(&rig, &lender, 500_000).await, create_ordinal(&rig, &lender, 400_000).await);
    // The signer processes a cancellation, and the server dies before the book does.
    let action = super::instant_offers::cancellation(&rig, &cancelled).await;
    let Signed { text: message, signature, .. } = lender.sign_fresh(&rig, action).await;
    let text = SignedText { message, signature };
    rig.app().signer.revise_offers(lender.id.0, text).await.unwrap();
    let rig = rig.restart().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let mine = lender.get(&rig, "/api/v1/offers").await.ok();
    let ids: Vec<_> = mine["data"].as_array().unwrap().iter().map(|offer| offer["offerId"].clone()).collect();
    assert_eq!(ids, [json!(kept)]);
    let notices = lender.get(&rig, "/api/v1/me/notices").await.ok();
    let reported: Vec<_> =
        notices["data"].as_array().unwrap().iter().map(|it| (it["kind"].clone(), it["offerId"].clone())).collect();
    assert_eq!(reported, [(json!("offer_not_admitted"), json!(cancelled))]);
    assert_eq!(offer_status(&rig, &kept).await, Some(OfferStatus::Open));

    // Under another name the policy differs, and nothing was signed for it: offers are set aside until they are signed
    // again.
    let Rig { server, folder, .. } = rig;
    let mut settings = server.app().settings.clone();
    server.stop().await;
    settings.public_url = Some("http://other.example".parse().unwrap());
    let rig = Rig::start_in(folder, settings).await;
    let offer: OfferId = kept.parse().unwrap();
    let paused = rig.app().market.offer(offer).await.unwrap().unwrap().paused;
    assert!(paused.contains(PauseReasons::LENDER));
    assert_eq!(offer_status(&rig, &kept).await, Some(OfferStatus::OtherPolicy));
    rig.app().market.command(offer.group(), Command::Resume { lender: lender.id, offer }, None).await.unwrap();
    let repaired = rig.app().instant_offers().reconcile(ReconcilePass::Startup).await.unwrap();
    assert_eq!(repaired.iter().map(|one| one.repair).collect::<Vec<_>>(), [Repair::OtherPolicy]);
    rig.server.stop().await;
}

#[actix_web::test]
async fn loans_can_be_made_on_a_node_with_a_signer_and_without_one() {
    for signer_in_process in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { signer_in_process, ..settings(&folder) };
        let node = Some(Node::Embedded(EmbeddedChain::new(1_800_000_000).unwrap().into()));
        let server = Server::builder(settings).node(node).start().await.unwrap();
        let desk = server.app().loan_service.as_ref().unwrap();
        let answer = desk.ports.signer().describe().await;
        match answer {
            Ok(described) => assert!(signer_in_process && described.policy.contains("Network: regtest")),
            Err(error) => assert!(!signer_in_process, "{error}"),
        }
        // The platform is paid at the address of the signer's policy.
        assert_eq!(desk.rules.platform_script.is_some(), signer_in_process);
        server.stop().await;
    }
}
