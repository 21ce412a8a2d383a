//! Tests of the check of a vault's address against the keys that the signers in a policy attest.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::{Address, Network, XOnlyPublicKey};
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::key_purpose::KeyPurpose;
use serde_json::{Value, json};

const LENDER_ID: u64 = 4;

fn keypair(byte: u8) -> Keypair {
    Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap()
}

fn key(byte: u8) -> XOnlyPublicKey {
    keypair(byte).x_only_public_key().0
}

fn text(byte: u8) -> String {
    key(byte).to_string()
}

/// The identities are 1 to 3, their keys for the vault 11 to 13, the lender's key is 9.
fn signer(identity: u8, vault_key: u8) -> Value {
    let purpose = KeyPurpose::Vault { network: Network::Regtest, lender_id: LENDER_ID };
    let attestation = Secp256k1::new().sign_schnorr_no_aux_rand(&purpose.message(key(vault_key)), &keypair(identity));
    json!({"key": text(vault_key), "signer": text(identity), "attestation": attestation.to_string()})
}

fn policy() -> String {
    let identities: Vec<String> = (1..=3).map(text).collect();
    format!("Lienbook vault policy: 2\nNetwork: regtest\nSigners: 2 of {}", identities.join(" "))
}

fn address(required: usize, keys: &[u8]) -> String {
    let signers = VaultSigners::new(required, keys.iter().map(|byte| key(*byte))).unwrap();
    let vault = Vault::new(VaultTerms { lender_id: LENDER_ID, signers, lender: key(9) }).unwrap();
    Address::from_script(&vault.output().script_pubkey(), Network::Regtest).unwrap().to_string()
}

fn described(policy: &str) -> Value {
    json!({
        "network": "regtest",
        "lenderId": LENDER_ID,
        "ordinalsKey": text(9),
        "policyHash": sha256::Hash::hash(policy.as_bytes()).to_string(),
        "policy": policy,
        "signers": [signer(1, 11), signer(2, 12), signer(3, 13)],
        "address": address(2, &[11, 12, 13]),
    })
}

fn asked(vault: &Value) -> Value {
    serde_json::from_str(&verifier::check::check(json!({"vault": vault}).to_string().as_bytes())).unwrap()
}

fn reason(vault: &Value) -> String {
    let answer = asked(vault);
    assert_eq!(answer["result"], "disagrees", "{answer}");
    answer["reason"].as_str().unwrap().to_owned()
}

#[test]
fn an_address_of_the_keys_that_the_policys_signers_attest_is_that_of_the_vault() {
    let answer = asked(&described(&policy()));
    assert_eq!(answer, json!({"result": "agrees", "required": 2, "count": 3, "isAttested": true}));
}

#[test]
fn every_change_of_the_description_is_named() {
    let honest = described(&policy());
    let altered = |field: &str, value: Value| {
        let mut vault = honest.clone();
        vault[field] = value;
        reason(&vault)
    };
    assert_eq!(altered("policy", json!("other")), "the policy is not the one that the message names");
    assert!(altered("policyHash", json!("00")).contains("unreadable"));
    assert_eq!(altered("network", json!("bitcoin")), "the policy is for regtest");
    let foreign = "a key is of no signer that the policy names";
    assert_eq!(altered("lenderId", json!(5)), foreign);
    assert_eq!(altered("signers", json!([signer(1, 11), signer(2, 12), signer(4, 13)])), foreign);
    let mut stolen = signer(3, 13);
    stolen["key"] = json!(text(14));
    assert_eq!(altered("signers", json!([signer(1, 11), signer(2, 12), stolen])), foreign);
    let missing = "there is not one key of each signer";
    assert_eq!(altered("signers", json!([signer(1, 11), signer(2, 12)])), missing);
    assert_eq!(altered("signers", json!([signer(1, 11), signer(2, 12), signer(2, 13)])), missing);
    let plain = json!({"key": text(13), "signer": null, "attestation": null});
    assert_eq!(altered("signers", json!([signer(1, 11), signer(2, 12), plain])), "a signer's key is not attested");
    let own = address(2, &[11, 12, 13]);
    assert_eq!(altered("ordinalsKey", json!(text(8))).split(" is at ").next(), Some("the vault of these keys"));
    assert_eq!(altered("address", json!(address(3, &[11, 12, 13]))), format!("the vault of these keys is at {own}"));
    let mut more = honest.clone();
    more["more"] = json!(1);
    assert!(reason(&more).contains("unreadable"));
    let later = policy().replace("policy: 2", "policy: 3");
    assert_eq!(reason(&described(&later)), "the policy is of another version");
    let fewer = policy().replace("2 of", "1 of");
    assert!(!reason(&described(&fewer)).is_empty(), "one of three is no vault");
}

#[test]
fn the_key_of_a_single_signer_is_not_attested() {
    let policy = "Lienbook vault policy: 1\nNetwork: regtest\nSigner: 00";
    let mut vault = described(policy);
    assert_eq!(reason(&vault), "the policy is of one signer, and there are keys of several");
    vault["signers"] = json!([{"key": text(11), "signer": null, "attestation": null}]);
    vault["address"] = json!(address(1, &[11]));
    assert_eq!(asked(&vault), json!({"result": "agrees", "required": 1, "count": 1, "isAttested": false}));
}
