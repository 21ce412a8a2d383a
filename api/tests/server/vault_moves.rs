//! Tests of a vault's move to other signers, over HTTP and on a chain: a data folder that began with one signer has three.

use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::kit::Kit;
use lending::lookups::confirmations::SETTLEMENT_CONFIRMATIONS;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::vault_money::VaultFixture;

/// A vault of 600,000 sats that one signer holds, at a server that opens new ones with two of three.
async fn movable() -> VaultFixture {
    let fixture = VaultFixture::new(AddressKind::P2wpkh, 1_000_000).await;
    fixture.deposit(600_000).await;
    fixture.mine(1).await;
    fixture.restarted_with(|settings| (settings.signers_in_process, settings.signers_required) = (3, 2)).await
}

fn order(fixture: &VaultFixture, prepared: &Value) -> Value {
    let message = prepared["message"].as_str().unwrap();
    let signature = fixture.lender.wallet.sign_bip322(AddressKind::P2tr, message).unwrap();
    json!({"fee_rate": 1.5, "signature": signature, "message": message,
        "signature_timestamp": prepared["signatureTimestamp"]})
}

/// Returns the second verifier's answer about a vault that the server describes.
fn verdict(described: &Value, policy_hash: &Value) -> Value {
    let vault = json!({"vault": {
        "network": "regtest", "lenderId": described["lenderId"], "ordinalsKey": described["lenderKey"],
        "policyHash": policy_hash, "policy": described["policy"], "signers": described["signers"],
        "address": described["address"],
    }});
    serde_json::from_str(&verifier::check::check(vault.to_string().as_bytes())).unwrap()
}

async fn prepare(fixture: &VaultFixture) -> super::rig::Answer {
    fixture.post("moves/prepare", &json!({"fee_rate": 1.5})).await
}

#[actix_web::test]
async fn a_vault_moves_to_the_new_signers_by_one_signature() {
    let fixture = movable().await;
    let own = fixture.get("").await;
    assert_eq!((&own["newSigners"], &own["signersRequired"]), (&json!({"required": 2, "count": 3}), &json!(1)));
    let config = fixture.rig.get("/api/v1/config").await.ok();
    assert_ne!(own["canisterId"], config["vaultSignerId"], "the vault names its own signer");
    let prepared = prepare(&fixture).await.ok();
    assert_eq!(prepared["fromAddress"], own["vaultAddress"]);
    let [fee, max, arrives] = ["feeSats", "feeMaxSats", "arrivesSats"].map(|field| prepared[field].as_u64().unwrap());
    assert_eq!((prepared["sats"].as_u64(), prepared["staysSats"].as_u64()), (Some(600_000), Some(0)));
    assert!(fee + arrives == 600_000 && fee < max && max <= 2 * fee, "{prepared}");
    // The second verifier agrees with what the server shows, of the vault as it is and of the new one.
    let attested = fixture.get("/attested").await;
    assert_eq!((&attested["address"], &attested["canisterId"]), (&own["vaultAddress"], &own["canisterId"]));
    let one = json!({"result": "agrees", "required": 1, "count": 1, "isAttested": false});
    assert_eq!(verdict(&attested, &own["canisterId"]), one);
    let to = &prepared["to"];
    let two_of_three = json!({"result": "agrees", "required": 2, "count": 3, "isAttested": true});
    assert_eq!(verdict(to, &config["vaultSignerId"]), two_of_three);

    let order = order(&fixture, &prepared);
    let done = fixture.post("moves", &order).await;
    assert_eq!((done.status.as_u16(), &done.body["isSent"]), (201, &json!(true)), "{}", done.body);
    assert_eq!(fixture.post("moves", &order).await.ok(), done.body, "the same message, the same answer");
    let moving = fixture.get("").await;
    assert_eq!((&moving["vaultAddress"], moving["waitingSats"].as_u64()), (&to["address"], Some(arrives)));
    assert_eq!((&moving["newSigners"], &moving["previousVaults"]), (&Value::Null, &json!(1)));
    let attested = fixture.get("/attested").await;
    assert_eq!((&attested["address"], verdict(&attested, &config["vaultSignerId"])), (&to["address"], two_of_three));
    let departures = fixture.get("/outputs").await["departures"].clone();
    assert_eq!((&departures[0]["kind"], departures[0]["sats"].as_u64()), (&json!("move"), Some(fee)));
    fixture.mine(SETTLEMENT_CONFIRMATIONS).await;
    let moved = fixture.get("").await;
    assert_eq!((moved["usableBalanceSats"].as_u64(), &moved["signersRequired"]), (Some(arrives), &json!(2)));
    assert_eq!(moved["canisterId"], config["vaultSignerId"]);
    let kinds: Vec<Value> =
        fixture.get("/history").await["data"].as_array().unwrap().iter().map(|line| line["kind"].clone()).collect();
    assert_eq!(kinds, ["settled", "came_back", "moving", "paid_in"]);

    // The new kit is of the new address, and the old one is still there.
    let kit = fixture.get("/kit").await.to_string();
    assert!(kit.contains("lienbook-vault-lender/2"), "{kit}");
    let before = own["vaultAddress"].as_str().unwrap();
    let old = fixture.get(&format!("/kit?address={before}")).await.to_string();
    assert!(matches!(Kit::read(&old), Ok(Kit::Vault(_))) && !old.contains("lienbook-vault-lender/2"), "{old}");
    let previous = fixture.get("/previous").await;
    assert_eq!(previous["data"], json!([{"address": before, "sats": 0, "outputs": 0}]));
    fixture.pay_to(before, 20_000);
    fixture.mine(1).await;
    let previous = fixture.get("/previous").await;
    assert_eq!(previous["data"], json!([{"address": before, "sats": 20_000, "outputs": 1}]));

    // It pays as before.
    let prepared = fixture.post("withdrawals/prepare", &json!({"sats": 100_000, "fee_rate": 1.5})).await.ok();
    let paid = fixture.post("withdrawals", &fixture.order(&prepared)).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    prepare(&fixture).await.refused(409, "vault_not_movable");
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn every_fault_of_a_move_has_a_code_and_no_effect() {
    let fixture = movable().await;
    let prepared = prepare(&fixture).await.ok();
    let good = order(&fixture, &prepared);
    let thief = TestUser::sign_in(&fixture.rig, 9).await.wallet.ordinals_address().to_string();
    let before = fixture.rig.events();
    fixture.post("moves/prepare", &json!({"fee_rate": 500.1})).await.refused(422, "fee_rate_out_of_range");
    let altered = async |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        fixture.post("moves", &body).await
    };
    altered("signature", json!("AAAA")).await.refused(422, "signature_malformed");
    altered("signature_timestamp", json!(1)).await.refused(422, "message_field_mismatch");
    let message = ActionMessage::parse(good["message"].as_str().unwrap()).unwrap();
    let Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault } = message.action().clone() else {
        panic!()
    };
    let signed = async |action: Action| {
        let text = ActionMessage::new(action, message.envelope().clone()).unwrap().to_text();
        let signature = fixture.lender.wallet.sign_bip322(AddressKind::P2tr, &text).unwrap();
        let mut body = good.clone();
        (body["message"], body["signature"]) = (json!(text), json!(signature));
        fixture.post("moves", &body).await
    };
    let make = |from_vault: &str, to: &str, fee_max_sats, payment_address: &str, vault: &str| Action::MoveVault {
        from_vault: from_vault.to_owned(),
        to: to.to_owned(),
        fee_max_sats,
        payment_address: payment_address.to_owned(),
        vault: vault.to_owned(),
    };
    for (field, action) in [
        ("From vault", make("other", &to, fee_max_sats, &payment_address, &vault)),
        ("To", make(&from_vault, &thief, fee_max_sats, &payment_address, &vault)),
        ("Payment address", make(&from_vault, &to, fee_max_sats, &thief, &vault)),
        ("Vault", make(&from_vault, &to, fee_max_sats, &payment_address, "other")),
    ] {
        let answer = signed(action).await;
        answer.refused(422, "message_field_mismatch");
        assert_eq!(answer.body["values"]["field"], json!(field));
    }
    let tight = make(&from_vault, &to, 1, &payment_address, &vault);
    signed(tight).await.refused(422, "withdrawal_fee_too_high");
    let other = Action::OpenVault { payment_address, vault };
    signed(other).await.refused(422, "message_wrong_action");
    assert_eq!(fixture.rig.events(), before);
    // A withdrawal that is not final yet keeps the vault where it is.
    let withdrawal = fixture.post("withdrawals/prepare", &json!({"sats": 100_000, "fee_rate": 1.5})).await.ok();
    fixture.post("withdrawals", &fixture.order(&withdrawal)).await.ok();
    prepare(&fixture).await.refused(409, "vault_in_use");
    fixture.post("moves", &good).await.refused(409, "vault_in_use");
    fixture.mine(SETTLEMENT_CONFIRMATIONS).await;
    let prepared = prepare(&fixture).await.ok();
    fixture.post("moves", &order(&fixture, &prepared)).await.ok();
    fixture.rig.server.stop().await;
}
