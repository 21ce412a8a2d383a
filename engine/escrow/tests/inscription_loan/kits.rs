//! Tests of kits: a written kit can be read and ends the loan; a tampered one is refused or has the same effect.

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, Network, OutPoint, ScriptBuf, Transaction, TxOut, Txid};
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::loan_escrow::{EscrowError, LoanEscrow};
use escrow::contract::loan::origination_outputs::PADS;
use escrow::contract::loan::running_loan::{PreSignatureError, RunningLoan};
use escrow::contract::transaction::key_set::KeySetError;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault, VaultError, VaultTerms};
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::kit_error::KitError;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use escrow::kit::vault_kit::VaultKit;
use escrow::kit::{Kit, LENGTH_MAX};
use ordinals::{Edict, RuneId, Runestone};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::loan_fixture::{CLAIM_AFTER, LoanFixture, PAYOUT_SATS, Party, rate};

/// The record of a running loan.
pub(super) fn record(loan_fixture: &LoanFixture) -> LoanRecord {
    let (_, origination) = loan_fixture.originate();
    let loan = loan_fixture.running(&origination);
    signed(loan_fixture, loan, origination)
}

fn signed(loan_fixture: &LoanFixture, loan: RunningLoan, origination: Transaction) -> LoanRecord {
    let pre_signatures = loan_fixture.pre_sign_both(&loan);
    LoanRecord { network: Network::Regtest, loan, pre_signatures, due_seconds: CLAIM_AFTER - 86_400, origination }
}

pub(super) fn pads(record: &LoanRecord) -> [OutPoint; 2] {
    let txid = record.origination.compute_txid();
    PADS.map(|pad| OutPoint::new(txid, u32::try_from(pad).unwrap()))
}

fn borrower_kit(loan_fixture: &LoanFixture) -> Kit {
    let record = record(loan_fixture);
    let pads = pads(&record);
    Kit::Borrower(Box::new(BorrowerKit::new(record, loan_fixture.borrower.payment(), &pads).unwrap()))
}

fn lender_kit(loan_fixture: &LoanFixture) -> Kit {
    Kit::Lender(Box::new(LenderKit::new(record(loan_fixture), loan_fixture.lender.payment()).unwrap()))
}

fn vault_kit(loan_fixture: &LoanFixture) -> Kit {
    let key = |party: &Party| party.keys.x_only_public_key().0;
    let signer = Party::new(&loan_fixture.secp, 9);
    let terms = VaultTerms { lender_id: 0x2a, signers: key(&signer).into(), lender: key(&loan_fixture.lender) };
    Kit::Vault(Box::new(VaultKit::new(Network::Regtest, Vault::new(terms).unwrap())))
}

fn shared_vault_kit(loan_fixture: &LoanFixture) -> Kit {
    let signers = [9, 10, 11].map(|byte| Party::new(&loan_fixture.secp, byte).keys.x_only_public_key().0);
    let signers = VaultSigners::new(2, signers).unwrap();
    let terms = VaultTerms { lender_id: 0x2a, signers, lender: loan_fixture.lender.keys.x_only_public_key().0 };
    Kit::Vault(Box::new(VaultKit::new(Network::Regtest, Vault::new(terms).unwrap())))
}

/// The kits of a loan and a vault with a single signer, and with several.
fn kits(postage: u64, offset: u64) -> [Kit; 6] {
    let single = LoanFixture::new(postage, offset, rate(3));
    let shared = LoanFixture::with_repay_keys(postage, offset, rate(3), 3);
    [
        borrower_kit(&single),
        borrower_kit(&shared),
        lender_kit(&single),
        lender_kit(&shared),
        vault_kit(&single),
        shared_vault_kit(&single),
    ]
}

/// The kit as JSON, with another value at a place such as `/loan/outpoint`.
fn with(kit: &Kit, place: &str, value: Value) -> String {
    let mut document: Value = serde_json::from_str(&kit.write()).unwrap();
    *document.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
    document.to_string()
}

/// The places of all single values in a kit, except those of the instructions.
fn places(document: &Value, above: &str, found: &mut Vec<String>) {
    let below = |name: &str| format!("{above}/{name}");
    match document {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "instructions");
            fields.for_each(|(name, value)| places(value, &below(name), found));
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| places(value, &below(&index.to_string()), found));
        }
        _ => found.push(above.to_owned()),
    }
}

/// The parts of a kit that direct money: the receiving scripts, the signed payout, and the spendable output.
fn effect(kit: &Kit) -> (ScriptBuf, ScriptBuf, Option<(TxOut, OutPoint, Amount)>) {
    let of_loan = |record: &LoanRecord| Some((record.loan.payout.clone(), record.loan.outpoint, record.loan.value));
    match kit {
        Kit::Borrower(kit) => (kit.ordinals_script(), kit.payment().script_pubkey(), of_loan(kit.record())),
        Kit::Lender(kit) => (kit.ordinals_script(), kit.payment().script_pubkey(), of_loan(kit.record())),
        Kit::Vault(kit) => (kit.ordinals_script(), kit.vault().output().script_pubkey(), None),
    }
}

proptest! {
    #[test]
    fn a_kit_that_is_written_and_read_again_is_the_same(
        (postage, offset) in (330_u64..=20_000).prop_flat_map(|postage| (Just(postage), 0..postage)),
    ) {
        for kit in kits(postage, offset) {
            let text = kit.write();
            let again = Kit::read(&text).unwrap();
            prop_assert_eq!(again.write(), text);
            prop_assert_eq!(effect(&again), effect(&kit));
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,200}", cut in 0..6_000_usize, at in 0..6_000_usize, byte in 32_u8..127) {
        let _ = Kit::read(&text);
        let mut kit = borrower_kit(&LoanFixture::new(546, 0, rate(3))).write().into_bytes();
        if let Some(place) = kit.get_mut(at) {
            *place = byte;
        }
        kit.truncate(cut.max(1_000));
        let _ = Kit::read(&String::from_utf8_lossy(&kit));
    }
}

#[test]
fn a_changed_field_is_refused_or_has_no_effect() {
    for kit in kits(10_000, 4_000) {
        let document: Value = serde_json::from_str(&kit.write()).unwrap();
        let mut all = Vec::new();
        places(&document, "", &mut all);
        let (mut refused, mut harmless) = (0, Vec::new());
        for place in &all {
            for changed in changes(document.pointer(place).unwrap()) {
                match Kit::read(&with(&kit, place, changed.clone())) {
                    Err(_) => refused += 1,
                    Ok(read) if is_harmless(place) => {
                        assert_eq!(effect(&read), effect(&kit), "{place} = {changed}");
                        harmless.push(place.as_str());
                    }
                    Ok(_) => panic!("{place} = {changed} is accepted"),
                }
            }
        }
        assert!(refused > all.len(), "{refused} of {}", all.len());
        harmless.dedup();
        assert!(harmless.len() <= 4, "{harmless:?}");
    }
}

/// Nothing on chain commits to an inscription's offset, which moves nothing, nor to the signatures of a transaction,
/// whose id does not include them.
fn is_harmless(place: &str) -> bool {
    matches!(place, "/loan/pledge/offset_sats" | "/loan/origination")
}

/// A value with each of its characters replaced, one at a time, or a sample of them if it is long; for a number, one
/// more and one less.
fn changes(value: &Value) -> Vec<Value> {
    if let Some(number) = value.as_u64() {
        return [number.checked_add(1), number.checked_sub(1), Some(u64::MAX)]
            .into_iter()
            .flatten()
            .map(Value::from)
            .collect();
    }
    let text = value.as_str().unwrap();
    let replaced = |(at, old): (usize, char)| {
        let new = if old == '0' { "1" } else { "0" };
        let mut changed = text.to_owned();
        changed.replace_range(at..at + old.len_utf8(), new);
        Value::from(changed)
    };
    let longer = [Value::from(format!("{text}0")), Value::from(text.to_uppercase()), Value::Null];
    text.char_indices()
        .step_by(text.len() / 150 + 1)
        .map(replaced)
        .chain(longer)
        .filter(|changed| changed.as_str() != Some(text))
        .collect()
}

#[test]
fn every_refusal_has_its_name() {
    let loan_fixture = LoanFixture::new(10_000, 0, rate(3));
    let kit = borrower_kit(&loan_fixture);
    let document: Value = serde_json::from_str(&kit.write()).unwrap();
    let refusal = |place: &str, value: Value| Kit::read(&with(&kit, place, value)).unwrap_err();
    let long = " ".repeat(LENGTH_MAX + 1);
    assert_eq!(Kit::read(&long).unwrap_err(), KitError::TooLarge { bytes: LENGTH_MAX + 1, max: LENGTH_MAX });
    assert!(matches!(Kit::read("{").unwrap_err(), KitError::NotAKit(_)));
    let later = KitError::UnknownKind { found: "lienbook-loan-borrower/3".to_owned() };
    assert_eq!(refusal("/kit", json!("lienbook-loan-borrower/3")), later);
    assert!(matches!(refusal("/kit", json!("lienbook-vault-lender/1")), KitError::NotAKit(_)));
    let same = Kit::read(&with(&kit, "/loan/lender_key", document["loan"]["borrower_key"].clone()));
    assert_eq!(same.unwrap_err(), KitError::Escrow(EscrowError::SameKey));
    let vault = vault_kit(&loan_fixture);
    let lender = serde_json::from_str::<Value>(&vault.write()).unwrap()["lender_key"].clone();
    assert_eq!(Kit::read(&with(&vault, "/signer_key", lender)).unwrap_err(), KitError::Vault(VaultError::SameKey));
    let differs = |field: &str| KitError::Differs { field: field.to_owned() };
    assert_eq!(refusal("/kit", json!("lienbook-loan-borrower/2")), differs("kit"));
    assert_eq!(refusal("/home", document["payment"]["address"].clone()), differs("home"));
    assert_eq!(refusal("/loan/claim/utc", json!("2030-03-17 17:46:41 UTC")), differs("loan.claim.utc"));
    assert_eq!(refusal("/loan/escrow/descriptor", json!("tr(x)")), differs("loan.escrow.descriptor"));
    let late = KitError::DueAfterClaim { due_seconds: CLAIM_AFTER + 1, claim_seconds: CLAIM_AFTER };
    assert_eq!(refusal("/loan/due/unix_seconds", json!(CLAIM_AFTER + 1)), late);
    let value = Amount::from_sat(10_000);
    assert_eq!(refusal("/loan/pledge/offset_sats", json!(10_000)), KitError::OffsetOutside { offset: value, value });
    let held = OutPoint::new(record(&loan_fixture).origination.compute_txid(), 0);
    assert_eq!(refusal("/loan/value_sats", json!(9_999)), KitError::EscrowMismatch(held));
    let elsewhere = OutPoint::new(Txid::from_byte_array([5; 32]), 2);
    assert_eq!(refusal("/pads/0", json!(elsewhere.to_string())), KitError::PadMismatch(elsewhere));
    let pad = pads(&record(&loan_fixture));
    assert_eq!(refusal("/pads/0", document["pads"][1].clone()), KitError::SamePad(pad[1]));
    let runes = json!({"kind": "runes", "id": "840000:1", "amount": "5"});
    assert_eq!(refusal("/loan/pledge", runes), KitError::PledgeMismatch);
    let invalid = KitError::Signatures(PreSignatureError::Invalid(record(&loan_fixture).loan.escrow.terms().lender));
    let other = document["loan"]["payout_signatures"]["version_2"].clone();
    assert_eq!(refusal("/loan/payout_signatures/version_3", other), invalid);
    assert_eq!(refusal("/loan/payout/value_sats", json!(PAYOUT_SATS - 1)), invalid);
    let unpayable = KitError::Signatures(PreSignatureError::UnpayablePayout(Amount::ONE_SAT));
    assert_eq!(refusal("/loan/payout/value_sats", json!(1)), unpayable);
}

#[test]
fn a_kit_of_several_repay_keys_holds_each_with_its_signatures() {
    for count in 1_u8..=7 {
        let loan_fixture = LoanFixture::with_repay_keys(10_000, 0, rate(3), count);
        let record = record(&loan_fixture);
        for (kit, kind) in [(borrower_kit(&loan_fixture), "borrower"), (lender_kit(&loan_fixture), "lender")] {
            let document: Value = serde_json::from_str(&kit.write()).unwrap();
            let loan = &document["loan"];
            let version = if count == 1 { 1 } else { 2 };
            assert_eq!(document["kit"], json!(format!("lienbook-loan-{kind}/{version}")));
            let fields = ["repay_key", "payout_signatures", "repay_keys"].map(|field| !loan[field].is_null());
            assert_eq!(fields, [count == 1, count == 1, count > 1]);
            let listed = loan["repay_keys"].as_array().map_or(1, Vec::len);
            assert_eq!(listed, usize::from(count));
            let again = match Kit::read(&kit.write()).unwrap() {
                Kit::Borrower(again) => again.record().clone(),
                Kit::Lender(again) => again.record().clone(),
                Kit::Vault(_) => panic!("it is the kit of a loan"),
            };
            assert_eq!(again.loan.escrow.terms(), record.loan.escrow.terms());
            assert_eq!(again.pre_signatures, record.pre_signatures);
        }
        let text = borrower_kit(&loan_fixture).write();
        assert_eq!(text.contains("the lender has pre-signed the repayment."), count == 1);
        assert_eq!(text.contains("each with a key of its own"), count > 1);
    }
}

#[test]
fn every_refusal_of_repay_keys_has_its_name() {
    let loan_fixture = LoanFixture::with_repay_keys(10_000, 0, rate(3), 3);
    let kit = borrower_kit(&loan_fixture);
    let document: Value = serde_json::from_str(&kit.write()).unwrap();
    let refusal = |place: &str, value: Value| Kit::read(&with(&kit, place, value)).unwrap_err();
    let listed = document["loan"]["repay_keys"].as_array().unwrap();
    let keys = record(&loan_fixture).loan.escrow.terms().repay.keys().to_vec();
    let count = |found| KitError::RepayKeys(KeySetError::Count { found });
    let differs = |field: &str| KitError::Differs { field: field.to_owned() };
    assert_eq!(refusal("/loan/repay_keys", json!([])), count(0));
    assert_eq!(refusal("/loan/repay_keys", json!(vec![&listed[0]; 8])), count(8));
    let repeated = KitError::RepayKeys(KeySetError::Repeated(keys[1]));
    assert_eq!(refusal("/loan/repay_keys/0/key", json!(keys[1].to_string())), repeated);
    // Another set of keys is another escrow.
    let held = OutPoint::new(record(&loan_fixture).origination.compute_txid(), 0);
    assert_eq!(refusal("/loan/repay_keys", json!(listed[..2])), KitError::EscrowMismatch(held));
    assert_eq!(refusal("/loan/repay_keys", json!(listed[..1])), KitError::EscrowMismatch(held));
    let invalid = |key: usize| KitError::Signatures(PreSignatureError::Invalid(keys[key]));
    let swapped = [&listed[0], &listed[2], &listed[1]];
    assert_eq!(refusal("/loan/repay_keys", json!(swapped)), invalid(1));
    let (two, truc) = ("/payout_signatures/version_2", "/payout_signatures/version_3");
    let other = listed[0]["payout_signatures"]["version_2"].clone();
    assert_eq!(refusal(&format!("/loan/repay_keys/2{two}"), other), invalid(2));
    let other = listed[1]["payout_signatures"]["version_2"].clone();
    assert_eq!(refusal(&format!("/loan/repay_keys/1{truc}"), other), invalid(1));
    let same = |party: &str| refusal("/loan/repay_keys/1/key", document["loan"][party].clone());
    assert_eq!(same("borrower_key"), KitError::Escrow(EscrowError::SameKey));
    assert_eq!(same("lender_key"), KitError::Escrow(EscrowError::LenderAmongRepayKeys));
    assert_eq!(refusal("/kit", json!("lienbook-loan-borrower/1")), differs("kit"));
    let field = "loan.repay_keys.payout_signatures.version_3";
    let malformed = refusal(&format!("/loan/repay_keys/1{truc}"), json!("xy"));
    assert_eq!(malformed, KitError::Malformed { field, wanted: "a taproot signature in hexadecimal" });

    // One key has a form of its own, and no kit has both.
    let single = borrower_kit(&LoanFixture::new(10_000, 0, rate(3)));
    let single: Value = serde_json::from_str(&single.write()).unwrap();
    let list = json!([{"key": single["loan"]["repay_key"], "payout_signatures": single["loan"]["payout_signatures"]}]);
    let read = |change: &dyn Fn(&mut Value)| {
        let mut altered = single.clone();
        change(&mut altered);
        Kit::read(&altered.to_string()).unwrap_err()
    };
    let listed_alone = read(&|altered| {
        let loan = altered["loan"].as_object_mut().unwrap();
        loan.remove("repay_key");
        loan.remove("payout_signatures");
        loan.insert("repay_keys".to_owned(), list.clone());
        altered["kit"] = json!("lienbook-loan-borrower/2");
    });
    assert_eq!(listed_alone, differs("kit"));
    let mixed = KitError::Malformed { field: "loan.repay_keys", wanted: "one repay key or several" };
    assert_eq!(read(&|altered| altered["loan"]["repay_keys"] = list.clone()), mixed);
    let without = |field| read(&|altered| drop(altered["loan"].as_object_mut().unwrap().remove(field)));
    assert_eq!([without("repay_key"), without("payout_signatures")], [mixed.clone(), mixed.clone()]);
}

#[test]
fn a_malformed_field_is_named() {
    let kit = borrower_kit(&LoanFixture::new(10_000, 0, rate(3)));
    let mainnet = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
    for (field, value) in [
        ("network", "moonnet"),
        ("loan.id", "77"),
        ("loan.borrower_key", "02"),
        ("loan.repay_key", &"f".repeat(64)),
        ("loan.lender_key", ""),
        ("loan.outpoint", "here"),
        ("loan.payout.address", mainnet),
        ("loan.payout.address", "nowhere"),
        ("loan.payout_signatures.version_2", "00"),
        ("loan.payout_signatures.version_3", "xy"),
        ("loan.origination", "0200"),
        ("payment.address", mainnet),
        ("payment.public_key", &"02".repeat(33)),
    ] {
        let refusal = Kit::read(&with(&kit, &format!("/{}", field.replace('.', "/")), json!(value))).unwrap_err();
        assert!(matches!(refusal, KitError::Malformed { field: named, .. } if named == field), "{field}: {refusal}");
    }
    for field in ["/loan/new", "/new"] {
        let text =
            kit.write().replacen(if field == "/new" { "\"network\"" } else { "\"id\"" }, "\"new\": 1, \"network\"", 1);
        assert!(matches!(Kit::read(&text).unwrap_err(), KitError::NotAKit(_)), "{field}");
    }
    let long = kit.write().replacen("\"network\"", &format!("\"{}\": 1, \"network\"", "new".repeat(1_000)), 1);
    assert!(Kit::read(&long).unwrap_err().to_string().len() < 1_024, "the message does not repeat the file");
}

#[test]
fn runes_must_match_the_edict_of_the_origination() {
    let loan_fixture = LoanFixture::new(546, 0, rate(3));
    let (id, amount) = (RuneId { block: 840_000, tx: 3 }, u128::MAX);
    let (_, mut origination) = loan_fixture.originate();
    let stone = Runestone { edicts: vec![Edict { id, amount, output: 0 }], pointer: Some(1), ..Runestone::default() };
    origination.output.push(TxOut { value: Amount::ZERO, script_pubkey: stone.encipher() });
    let with_pledge = |pledge: Pledge| {
        let loan = RunningLoan { pledge, ..loan_fixture.running(&origination) };
        LenderKit::new(signed(&loan_fixture, loan, origination.clone()), loan_fixture.lender.payment())
    };
    let kit = Kit::Lender(Box::new(with_pledge(Pledge::Runes { id, amount }).unwrap()));
    assert_eq!(Kit::read(&kit.write()).unwrap().write(), kit.write());
    for other in [
        Pledge::Runes { id, amount: amount - 1 },
        Pledge::Runes { id: RuneId { block: 840_000, tx: 4 }, amount },
        Pledge::Runes { id, amount: 0 },
        Pledge::Inscription { offset: Amount::ZERO },
    ] {
        assert_eq!(with_pledge(other.clone()).unwrap_err(), KitError::PledgeMismatch, "{other:?}");
    }
    for (place, value, field) in [("id", "840000-3", "loan.pledge.id"), ("amount", "-1", "loan.pledge.amount")] {
        let refusal = Kit::read(&with(&kit, &format!("/loan/pledge/{place}"), json!(value))).unwrap_err();
        assert!(matches!(refusal, KitError::Malformed { field: named, .. } if named == field), "{refusal}");
    }
}

#[test]
fn a_transfer_inscription_is_not_mistaken_for_a_movable_inscription() {
    let loan_fixture = LoanFixture::new(546, 0, rate(3));
    let (_, origination) = loan_fixture.originate();
    let with_offset = |sats| {
        let pledge = Pledge::TransferInscription { offset: Amount::from_sat(sats) };
        let loan = RunningLoan { pledge, ..loan_fixture.running(&origination) };
        LenderKit::new(signed(&loan_fixture, loan, origination.clone()), loan_fixture.lender.payment())
    };
    let kit = Kit::Lender(Box::new(with_offset(545).unwrap()));
    let Kit::Lender(again) = Kit::read(&kit.write()).unwrap() else { panic!("it was the lender's") };
    assert_eq!(again.record().loan.pledge, Pledge::TransferInscription { offset: Amount::from_sat(545) });
    let (offset, value) = (Amount::from_sat(546), Amount::from_sat(546));
    assert_eq!(with_offset(546).unwrap_err(), KitError::OffsetOutside { offset, value });
}

#[test]
fn a_payout_without_an_address_has_no_kit() {
    let loan_fixture = LoanFixture::new(546, 0, rate(3));
    let (_, origination) = loan_fixture.originate();
    let mut loan = loan_fixture.running(&origination);
    loan.payout.script_pubkey = ScriptBuf::new();
    let refusal = LenderKit::new(signed(&loan_fixture, loan, origination), loan_fixture.lender.payment()).unwrap_err();
    assert!(matches!(refusal, KitError::Malformed { field: "loan.payout.address", .. }), "{refusal}");
}

#[test]
fn a_kit_explains_itself_and_holds_no_secret() {
    let loan_fixture = LoanFixture::new(546, 0, rate(3));
    let commands = ["kit repay", "kit claim", "kit exit"].into_iter().flat_map(|command| [command; 2]);
    for (kit, command) in kits(546, 0).iter().zip(commands) {
        let text = kit.write();
        for part in [command, "kit send", "no private key", "Never give"] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
        // The generated coins of the origination have ids that look like the generated secrets.
        let text = if command == "kit exit" { text } else { with(kit, "/loan/origination", json!("")) };
        let repayer = Party::new(&loan_fixture.secp, 20);
        for party in [&loan_fixture.borrower, &loan_fixture.lender, &repayer] {
            assert!(!text.contains(&party.secret.display_secret().to_string()));
        }
    }
    assert!(!lender_kit(&loan_fixture).write().contains("kit repay"), "the lender's kit claims and nothing else");
}

#[test]
fn the_escrow_of_a_kit_is_the_one_of_its_terms() {
    let loan_fixture = LoanFixture::new(546, 0, rate(3));
    let Kit::Borrower(kit) = Kit::read(&borrower_kit(&loan_fixture).write()).unwrap() else { panic!("another kit") };
    let loan = &kit.record().loan;
    assert_eq!(loan.escrow.terms(), loan_fixture.escrow.terms());
    assert_eq!(kit.ordinals_script(), loan_fixture.ordinals_script);
    let again = LoanEscrow::new(loan.escrow.terms().clone()).unwrap();
    assert_eq!(again.output().script_pubkey(), kit.record().origination.output[0].script_pubkey);
}
