//! Tests that every supported wallet signs the PSBTs that it is given: a double of each wallet behaves like its source
//! code, and the checks of returned PSBTs decide.
//!
//! Two golden files connect this to the web app: `handed-out.golden.json` is what the server hands out
//! (`UPDATE_GOLDEN=1 cargo test -p escrow --test wallets` rewrites it), `requests.golden.json` what the connectors make
//! of it (`npx vitest run wallet-requests -u`). The doubles read the latter.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod btc_signer;
mod cases;
mod keys;
mod okx;
mod request;
mod unisat;

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hex::DisplayHex as _;
use bitcoin::{Network, Psbt};
use escrow::address::AddressKind;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signature_check::SignatureFault;
use escrow::contract::signing::wallet_copy::wallet_copy;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::template::PAYOUT_SIGHASH;
use escrow::wallet_key::WalletKey;
use serde_json::{Value, json};

use btc_signer::{Addresses, Leather, Phantom, Xverse};
use cases::{Case, OWN_SEED, Profile};
use keys::Keys;
use okx::Okx;
use request::psbt_of_base64;
use unisat::Unisat;

const OKX: &str = "okxwallet.bitcoin";
const UNISAT: &str = "unisat";
const XVERSE: &str = "XverseProviders.BitcoinProvider";
const LEATHER: &str = "LeatherProvider";
const PHANTOM: &str = "phantom.bitcoin";

/// The wallets with this kind of payment address.
const fn wallets_of(profile: Profile) -> &'static [&'static str] {
    match profile {
        Profile::OneAddress => &[OKX, UNISAT],
        Profile::Native => &[XVERSE, LEATHER, PHANTOM],
        Profile::Nested => &[XVERSE],
    }
}

/// The reason why no signatures are taken.
#[derive(Debug, PartialEq, Eq)]
enum Refusal {
    /// The wallet made none.
    Wallet(String),
    /// The server refused the returned PSBT.
    Server(ReturnedPsbtError),
}

/// Runs a wallet's double on a request, and returns the server's verdict.
fn outcome(wallet: &str, profile: Profile, case: &Case, arguments: &Value) -> Result<usize, Refusal> {
    let keys = Keys::of(OWN_SEED, profile.purpose());
    let own = WalletKey::from_seed([OWN_SEED; 32], Network::Regtest).unwrap();
    let script = |kind| own.coin_key(kind).script_pubkey();
    let addresses = Addresses { payment: script(profile.payment()), ordinals: script(AddressKind::P2tr) };
    let signed = match wallet {
        OKX => Okx(&keys).sign(arguments),
        UNISAT => Unisat(&keys).sign(arguments),
        XVERSE => Xverse(&keys, &addresses).sign(arguments),
        LEATHER => Leather(&keys).sign(arguments),
        PHANTOM => Phantom(&keys, &addresses).sign(arguments),
        other => panic!("no double for {other}"),
    };
    let text = STANDARD.encode(signed.map_err(Refusal::Wallet)?.serialize());
    let taken = case.template.check_returned(&text, &case.holder).map_err(Refusal::Server)?;
    Ok(taken.count())
}

fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wallets").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn request(wallet: &str, case: &Case) -> Value {
    let asked = golden("requests.golden.json")[wallet][&case.name].clone();
    assert!(asked.is_array(), "the connector of {wallet} asks nothing for {}", case.name);
    asked
}

#[test]
fn the_handed_out_psbts_match_the_golden_file() {
    let cases = Profile::ALL.into_iter().flat_map(|profile| {
        let wallets = json!(wallets_of(profile));
        let own = WalletKey::from_seed([OWN_SEED; 32], Network::Regtest).unwrap();
        let address = |kind| own.address(kind).to_string();
        let payment = address(profile.payment());
        let ordinals = address(AddressKind::P2tr);
        Case::all_of(profile).into_iter().map(move |case| {
            let mut handed_out = case.handed_out();
            handed_out["wallets"] = wallets.clone();
            handed_out["addresses"] = json!({"payment": payment, "ordinals": ordinals});
            handed_out
        })
    });
    let cases: Value = cases.collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wallets/handed-out.golden.json");
        std::fs::write(path, serde_json::to_string_pretty(&cases).unwrap() + "\n").unwrap();
    }
    assert_eq!(golden("handed-out.golden.json"), cases);
}

#[test]
fn every_wallet_signs_every_kind_of_input_acceptably() {
    for profile in Profile::ALL {
        for case in Case::all_of(profile) {
            let asked = case.template.requested_signatures(&case.holder).count();
            assert!(asked > 0, "{}", case.name);
            for wallet in wallets_of(profile) {
                let found = outcome(wallet, profile, &case, &request(wallet, &case));
                let is_payout = case.name.contains("payout");
                if *wallet == OKX && is_payout {
                    // Its signer hashes every leaf as a whole transaction, so the lender's pre-signature is refused.
                    let fault = ReturnedPsbtError::Signature { index: 2, fault: SignatureFault::Invalid };
                    assert_eq!(found, Err(Refusal::Server(fault)), "{}", case.name);
                } else {
                    assert_eq!(found, Ok(asked), "{wallet}: {}", case.name);
                }
            }
        }
    }
}

/// The request with the merkle root of the template, as it was handed out in the past.
fn with_root(case: &Case, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    arguments[0] = json!(case.template.psbt.serialize().to_lower_hex_string());
    arguments
}

/// The options as they were in the past: those of `UniSat` alone.
fn with_unisats_options(arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    for asked in arguments[1]["toSignInputs"].as_array_mut().unwrap() {
        let asked = asked.as_object_mut().unwrap();
        let is_disabled = asked.remove("disableTweakSigner").is_some_and(|value| value == true);
        asked.insert("useTweakedSigner".to_owned(), json!(!is_disabled));
    }
    arguments
}

fn case(profile: Profile, name: &str) -> Case {
    Case::all_of(profile).into_iter().find(|case| case.name.ends_with(name)).unwrap()
}

#[test]
fn okx_signs_a_leaf_with_a_tweaked_key_where_the_merkle_root_is_given() {
    let profile = Profile::OneAddress;
    for (name, escrow) in [("claim", 0), ("repayment", 2)] {
        let case = case(profile, name);
        let shaped = request(OKX, &case);
        let foreign = Err(Refusal::Server(ReturnedPsbtError::ForeignSignature { index: escrow }));
        let before = with_unisats_options(&with_root(&case, &shaped));
        assert_eq!(outcome(OKX, profile, &case, &before), foreign, "{name}, as in the past");
        let options_alone = with_root(&case, &shaped);
        assert_eq!(outcome(OKX, profile, &case, &options_alone), foreign, "{name}: no option fixes it");
        let root_alone = with_unisats_options(&shaped);
        assert!(outcome(OKX, profile, &case, &root_alone).is_ok(), "{name}: omitting the root does");
    }
}

#[test]
fn okx_keeps_a_merkle_root_for_the_next_input_of_the_key_path() {
    let (profile, case) = (Profile::OneAddress, case(Profile::OneAddress, "claim"));
    let keys = Keys::of(OWN_SEED, profile.purpose());
    let signed = Okx(&keys).sign(&with_root(&case, &request(OKX, &case))).unwrap();
    let mut key_path_alone = signed;
    key_path_alone.inputs[0].tap_script_sigs.clear();
    let text = STANDARD.encode(key_path_alone.serialize());
    let refused = case.template.check_returned(&text, &case.holder);
    assert_eq!(refused, Err(ReturnedPsbtError::Signature { index: 1, fault: SignatureFault::Invalid }));
}

#[test]
fn the_other_wallets_sign_the_same_with_a_merkle_root_and_without() {
    let case = case(Profile::OneAddress, "claim");
    let asked = request(UNISAT, &case);
    let with = with_root(&case, &asked);
    assert_eq!(outcome(UNISAT, Profile::OneAddress, &case, &with), outcome(UNISAT, Profile::OneAddress, &case, &asked));
    for profile in [Profile::Native, Profile::Nested] {
        for case in Case::all_of(profile) {
            let asked = request(XVERSE, &case);
            let mut with = asked.clone();
            with[1]["psbt"] = json!(STANDARD.encode(case.template.psbt.serialize()));
            assert_eq!(
                outcome(XVERSE, profile, &case, &with),
                outcome(XVERSE, profile, &case, &asked),
                "{}",
                case.name
            );
        }
    }
}

#[test]
fn a_wallet_that_is_not_asked_for_the_raw_key_refuses_the_leaf() {
    let case = case(Profile::OneAddress, "claim");
    let mut asked = request(UNISAT, &case);
    asked[1]["toSignInputs"][0]["useTweakedSigner"] = json!(true);
    let refused = outcome(UNISAT, Profile::OneAddress, &case, &asked);
    assert_eq!(refused, Err(Refusal::Wallet("Can not sign for input #0".to_owned())));
}

#[test]
fn no_wallet_signs_a_leaf_without_its_literal_key() {
    let case = case(Profile::Native, "claim");
    let other = Keys::of(OWN_SEED + 1, Profile::Native.purpose());
    let asked = request(LEATHER, &case);
    let silent = Leather(&other).sign(&asked).unwrap();
    assert!(silent.inputs.iter().all(|input| input.tap_script_sigs.is_empty() && input.partial_sigs.is_empty()));
    let text = STANDARD.encode(silent.serialize());
    let refused = case.template.check_returned(&text, &case.holder);
    assert_eq!(refused, Err(ReturnedPsbtError::MissingSignature { index: 0 }), "it reports nothing, the server does");
    let own = WalletKey::from_seed([OWN_SEED; 32], Network::Regtest).unwrap();
    let script = |kind| own.coin_key(kind).script_pubkey();
    let addresses = Addresses { payment: script(AddressKind::P2wpkh), ordinals: script(AddressKind::P2tr) };
    let refused = Xverse(&other, &addresses).sign(&request(XVERSE, &case));
    assert_eq!(refused.err().as_deref(), Some("No taproot scripts signed"));
}

#[test]
fn the_copy_for_a_wallet_lacks_the_root_of_scripts_and_nothing_else() {
    for case in Profile::ALL.into_iter().flat_map(Case::all_of) {
        let copy: Psbt = psbt_of_base64(&json!(wallet_copy(&case.template.psbt))).unwrap();
        assert_eq!(copy.unsigned_tx, case.template.psbt.unsigned_tx);
        for ((copy, own), lock) in copy.inputs.iter().zip(&case.template.psbt.inputs).zip(&case.template.locks) {
            let mut restored = copy.clone();
            match lock {
                Lock::Script(leaf) => {
                    assert_eq!(copy.tap_merkle_root, None);
                    assert_eq!(copy.tap_scripts.len(), 1, "leaf and control block remain");
                    restored.tap_merkle_root = leaf.merkle_root;
                }
                Lock::Key(_) => assert_eq!(copy.tap_scripts.len(), 0),
            }
            assert_eq!(restored, *own);
        }
        let named: Vec<_> = copy.inputs.iter().filter_map(|input| input.sighash_type).collect();
        let expected = if case.name.contains("payout") { vec![PAYOUT_SIGHASH.into()] } else { vec![] };
        assert_eq!(named, expected, "{}", case.name);
    }
}
