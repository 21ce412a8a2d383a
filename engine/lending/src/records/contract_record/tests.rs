//! Tests of the records of contracts: they round trip, and those of the first version stay readable.

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Keypair, Message, Secp256k1, SecretKey, schnorr};
use bitcoin::{CompressedPublicKey, Txid};
use escrow::contract::vault::vault_signers::SIGNERS_MAX;
use escrow::kit::Kit;
use proptest::prelude::*;
use signer::identity::AttestedKey;

use super::*;

/// Contracts of every kind as written by the first version.
const GOLDEN: &str = include_str!("../../../tests/contracts.v1.jsonl");

fn pair(seed: [u8; 32]) -> Keypair {
    let secret = SecretKey::from_slice(&seed).or_else(|_| SecretKey::from_slice(&[1; 32])).unwrap();
    Keypair::from_secret_key(&Secp256k1::new(), &secret)
}

fn key() -> impl Strategy<Value = XOnlyPublicKey> {
    any::<[u8; 32]>().prop_map(|seed| pair(seed).x_only_public_key().0)
}

fn coin_key() -> impl Strategy<Value = CoinKey> {
    (any::<[u8; 32]>(), 0..3_u8).prop_map(|(seed, kind)| {
        let whole = CompressedPublicKey(pair(seed).public_key());
        match kind {
            0 => CoinKey::P2tr(pair(seed).x_only_public_key().0),
            1 => CoinKey::P2wpkh(whole),
            _ => CoinKey::P2shP2wpkh(whole),
        }
    })
}

fn sats() -> impl Strategy<Value = Amount> {
    (0..=Amount::MAX_MONEY.to_sat()).prop_map(Amount::from_sat)
}

fn outpoint() -> impl Strategy<Value = OutPoint> {
    (any::<[u8; 32]>(), any::<u32>()).prop_map(|(txid, vout)| OutPoint::new(Txid::from_byte_array(txid), vout))
}

fn coin() -> impl Strategy<Value = Coin> {
    (outpoint(), sats(), coin_key()).prop_map(|(outpoint, value, key)| {
        let output = TxOut { value, script_pubkey: key.script_pubkey() };
        Coin { outpoint, output, key }
    })
}

fn rune() -> impl Strategy<Value = RuneId> {
    (1_u64.., any::<u32>()).prop_map(|(block, tx)| RuneId { block, tx })
}

fn asset_coin() -> impl Strategy<Value = AssetCoin> {
    let runes = proptest::collection::vec((rune(), any::<u128>()), 0..3);
    (coin(), proptest::collection::vec(sats(), 0..3), runes).prop_map(|(coin, inscriptions, runes)| AssetCoin {
        coin,
        inscriptions,
        runes,
    })
}

fn pledged() -> impl Strategy<Value = Pledged> {
    let coins = proptest::collection::vec(asset_coin(), 1..4);
    // Any text that a ticker may be, including quotes and two-byte characters.
    let transfer = ("[a-zA-Z\"\\\\0-9]{4,5}|é[a-z]{2}", 1..u128::from(u64::MAX));
    let transfer = transfer.prop_map(|(ticker, raw)| Brc20Transfer::new(&ticker, raw).unwrap());
    prop_oneof![
        asset_coin().prop_map(Pledged::Inscription),
        proptest::collection::vec(asset_coin(), 2..4).prop_map(Pledged::Inscriptions),
        (coins, rune(), any::<u128>()).prop_map(|(coins, id, amount)| Pledged::Runes { coins, id, amount }),
        (asset_coin(), transfer).prop_map(|(coin, transfer)| Pledged::Note { coin, transfer }),
    ]
}

fn signature() -> impl Strategy<Value = schnorr::Signature> {
    (any::<[u8; 32]>(), any::<[u8; 32]>()).prop_map(|(seed, digest)| {
        Secp256k1::new().sign_schnorr_no_aux_rand(&Message::from_digest(digest), &pair(seed))
    })
}

fn hash() -> impl Strategy<Value = sha256::Hash> {
    any::<[u8; 32]>().prop_map(sha256::Hash::from_byte_array)
}

fn payout() -> impl Strategy<Value = PayoutText> {
    (signature(), signature()).prop_map(|(two, truc)| PayoutText { two, truc })
}

fn single() -> impl Strategy<Value = (VaultSigners, RepayShares)> {
    (key(), key(), hash(), payout())
        .prop_map(|(signer, key, proof, payout)| (signer.into(), RepayShares::Single { key, proof, payout }))
}

fn share() -> impl Strategy<Value = RepaySignatures> {
    (key(), key(), signature(), payout()).prop_map(|(key, signer, attestation, payout)| {
        let key = AttestedKey { key, signer, attestation };
        RepaySignatures { key, payout }
    })
}

fn shared() -> impl Strategy<Value = (VaultSigners, RepayShares)> {
    let distinct = "the keys of random seeds are distinct";
    (2..=SIGNERS_MAX).prop_flat_map(move |count| {
        let parts = (proptest::collection::vec(key(), count), proptest::collection::vec(share(), count / 2 + 1));
        parts.prop_filter_map(distinct, move |(keys, shares)| {
            let repay = RepayShares::Shared(shares);
            repay.keys().ok()?;
            Some((VaultSigners::new(count / 2 + 1, keys).ok()?, repay))
        })
    })
}

fn source() -> impl Strategy<Value = Source> {
    let outputs = (proptest::collection::vec((outpoint(), sats()), 1..4), 1_u8..9);
    let vault = (any::<u64>(), prop_oneof![single(), shared()], outputs, hash());
    let vault = vault.prop_map(|(lender, (signers, repay), (outputs, change_outputs), admission)| {
        let lender = UserId(lender);
        Source::Vault(Box::new(VaultSource { lender, signers, outputs, change_outputs, admission, repay }))
    });
    let lent = sats().prop_map(|interest| Source::Rollover { interest });
    prop_oneof![proptest::collection::vec(coin(), 1..4).prop_map(Source::Coins), vault, lent]
}

fn party() -> impl Strategy<Value = Party> {
    (key(), coin_key()).prop_map(|(ordinals, payment)| Party { ordinals, payment })
}

fn contract() -> impl Strategy<Value = Contract> {
    let script = proptest::collection::vec(any::<u8>(), 0..40).prop_map(ScriptBuf::from_bytes);
    let platform =
        proptest::option::of((sats(), script).prop_map(|(value, script_pubkey)| TxOut { value, script_pubkey }));
    let parts = (
        (any::<u128>(), party(), party(), any::<u32>()),
        (pledged(), source(), sats(), sats(), platform, any::<u64>()),
    );
    parts.prop_map(|((loan, borrower, lender, claim_after), rest)| {
        let (pledged, source, principal, payout, platform_fee, rate) = rest;
        let (loan, fee_rate) = (LoanId(loan), FeeRate::from_sat_per_kwu(rate));
        Contract { loan, borrower, lender, claim_after, pledged, source, principal, payout, platform_fee, fee_rate }
    })
}

proptest! {
    #[test]
    fn a_contract_round_trips_through_its_record(contract in contract()) {
        let text = contract.to_record();
        let again = Contract::from_record(&text).unwrap();
        prop_assert_eq!(&again, &contract);
        prop_assert_eq!(again.to_record(), text);
    }

    #[test]
    fn a_truncated_record_is_refused(contract in contract(), place in any::<prop::sample::Index>()) {
        let text = contract.to_record();
        let cut = (0..=place.index(text.len())).rev().find(|cut| text.is_char_boundary(*cut)).unwrap();
        prop_assert!(Contract::from_record(&text[..cut]).is_err());
    }
}

#[test]
fn records_of_the_first_version_stay_readable() {
    let kinds: Vec<Contract> = GOLDEN.lines().map(|record| Contract::from_record(record).unwrap()).collect();
    assert!(matches!((&kinds[0].pledged, &kinds[0].source), (Pledged::Inscription(_), Source::Coins(_))));
    assert!(matches!((&kinds[1].pledged, &kinds[1].source), (Pledged::Runes { .. }, Source::Vault(_))));
    assert!(matches!((&kinds[2].pledged, &kinds[2].source), (Pledged::Note { .. }, Source::Coins(_))));
    assert!(matches!((&kinds[3].pledged, &kinds[3].source), (Pledged::Running { .. }, Source::Rollover { .. })));
    let written: Vec<String> = kinds.iter().map(Contract::to_record).collect();
    assert_eq!(written, GOLDEN.lines().collect::<Vec<_>>(), "the written form is unchanged");
    // The transactions built are those that were signed.
    let txids: Vec<String> = kinds.iter().map(|kind| kind.build().unwrap().txid().to_string()).collect();
    assert_eq!(txids, TXIDS);
}

#[test]
fn the_kit_of_a_single_repay_key_is_written_as_before() {
    let running = Contract::from_record(GOLDEN.lines().nth(3).unwrap()).unwrap().pledged;
    let Pledged::Running { kit, .. } = running else { panic!("the fourth replaces a running loan") };
    let fields = |text: &str| {
        let mut fields: serde_json::Value = serde_json::from_str(text).unwrap();
        // A later release may word them differently.
        fields.as_object_mut().unwrap().remove("instructions").unwrap();
        fields.to_string()
    };
    assert_eq!(fields(&Kit::read(&kit).unwrap().write()), fields(&kit));
    assert!(kit.contains("lienbook-loan-borrower/1"));
}

#[test]
fn a_record_of_several_repay_keys_has_a_form_of_its_own() {
    let mut contract = Contract::from_record(GOLDEN.lines().nth(1).unwrap()).unwrap();
    // A JSON value holds no larger integer.
    contract.loan = LoanId(7);
    let Source::Vault(source) = &mut contract.source else { panic!("the second is lent from a vault") };
    let RepayShares::Single { payout, .. } = source.repay else { panic!("of one signer") };
    let key = |seed| pair([seed; 32]).x_only_public_key().0;
    let share = |seed| {
        let key = AttestedKey { key: key(seed), signer: key(seed + 10), attestation: payout.two };
        RepaySignatures { key, payout }
    };
    source.signers = VaultSigners::new(4, (21..28).map(key)).unwrap();
    source.repay = RepayShares::Shared((1..5).map(share).collect());
    assert_eq!(source.repay.payout().pairs().len(), 4);
    let record: serde_json::Value = serde_json::from_str(&contract.to_record()).unwrap();
    let refusal = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut altered = record.clone();
        change(&mut altered["source"]["shared_vault"]);
        Contract::from_record(&altered.to_string())
    };
    assert_eq!(refusal(&|_| {}).unwrap(), contract);
    let none = |source: &mut serde_json::Value| source["repay"].as_array_mut().unwrap().clear();
    let count = KeySetError::Count { found: 0 };
    assert!(matches!(refusal(&none), Err(RecordError::RepayKeys(found)) if found == count));
    let twice = |source: &mut serde_json::Value| source["repay"][1] = source["repay"][0].clone();
    let refused = refusal(&twice).unwrap_err();
    assert!(matches!(refused, RecordError::RepayKeys(KeySetError::Repeated(_))), "{refused}");
    let few = |source: &mut serde_json::Value| source["signers_required"] = 3.into();
    assert!(matches!(refusal(&few), Err(RecordError::Signers(_))));
    let mixed = |source: &mut serde_json::Value| source["repay_key"] = source["signer_keys"][0].clone();
    assert!(matches!(refusal(&mixed), Err(RecordError::Json(_))));
    let keys: Vec<_> = contract.repay_keys().unwrap().keys().to_vec();
    assert!((1..5).all(|seed| keys.contains(&key(seed))));
}

/// The txids of the golden loans.
const TXIDS: [&str; 4] = [
    "2ba2a93da6bd4567095a69ef13314a1d85166acba797cef98a6b0252eeff307e",
    "3574c0a8e3f01dd160792a53ccea44488d465bad28f18302f6b10fb9ccd4e676",
    "f25f4eee535407a20e316b29a815e0cdc2c600f86245312b7132a52567f40880",
    "b36aafb198b1204c3d4c9f78117cd30a25f5acd1a6ce101d0137b3f3aaf6d679",
];

#[test]
fn a_record_of_another_version_or_with_an_unknown_field_is_refused() {
    let golden: Vec<&str> = GOLDEN.lines().collect();
    for version in [0, 2, 255] {
        let record = golden[0].replacen(r#""version":1,"#, &format!(r#""version":{version},"#), 1);
        let error = Contract::from_record(&record).unwrap_err();
        assert!(matches!(error, RecordError::Version(found) if found == version), "{error}");
    }
    let more = golden[0].replacen('{', r#"{"more":1,"#, 1);
    assert!(matches!(Contract::from_record(&more), Err(RecordError::Json(_))));
    let note = golden[2].replacen(r#""ticker":"newt""#, r#""ticker":"newtss""#, 1);
    assert!(matches!(Contract::from_record(&note), Err(RecordError::Note(_))));
}
