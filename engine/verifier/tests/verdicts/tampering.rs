//! A server that describes the agreed contract and hands out another transaction.

use bitcoin::absolute::LockTime;
use bitcoin::transaction::Version;
use bitcoin::{Amount, Psbt, Sequence, TapSighashType, TxIn, TxOut};
use serde_json::Value;

use crate::fixture::{ATTACKER, BORROWER, CLAIM_AFTER, Loan, faults, given, ordinals, payment, verdict};

type Tampering = (&'static str, fn(&mut Psbt), &'static str);

/// Every tampering with a PSBT, and the code of the refusal.
const TAMPERINGS: &[Tampering] = &[
    ("the escrow and the principal change places", |psbt| psbt.unsigned_tx.output.swap(0, 1), "output_script"),
    (
        "another escrow",
        |psbt| psbt.unsigned_tx.output[0].script_pubkey = ordinals(ATTACKER).script_pubkey(),
        "output_script",
    ),
    (
        "the principal goes elsewhere",
        |psbt| psbt.unsigned_tx.output[1].script_pubkey = payment(ATTACKER).script_pubkey(),
        "output_script",
    ),
    ("a smaller principal", |psbt| psbt.unsigned_tx.output[1].value = Amount::from_sat(1_000_000), "output_value"),
    (
        "a smaller escrow, which moves the inscription",
        |psbt| psbt.unsigned_tx.output[0].value = Amount::from_sat(3_000),
        "output_value",
    ),
    (
        "a pad goes elsewhere",
        |psbt| psbt.unsigned_tx.output[2].script_pubkey = payment(ATTACKER).script_pubkey(),
        "output_script",
    ),
    (
        "another change address",
        |psbt| psbt.unsigned_tx.output[5].script_pubkey = payment(ATTACKER).script_pubkey(),
        "output_script",
    ),
    ("a missing output", |psbt| drop((psbt.unsigned_tx.output.pop(), psbt.outputs.pop())), "output_count"),
    (
        "an extra output",
        |psbt| {
            let output = TxOut { value: Amount::from_sat(600), script_pubkey: payment(ATTACKER).script_pubkey() };
            psbt.unsigned_tx.output.push(output);
            psbt.outputs.push(bitcoin::psbt::Output::default());
        },
        "output_count",
    ),
    (
        "an extra input of the borrower",
        |psbt| {
            let mut input = psbt.unsigned_tx.input[0].clone();
            input.previous_output.vout = 7;
            psbt.unsigned_tx.input.push(TxIn { ..input });
            psbt.inputs.push(psbt.inputs[0].clone());
        },
        "input_count",
    ),
    ("another coin as collateral", |psbt| psbt.unsigned_tx.input[0].previous_output.vout = 3, "input"),
    (
        "inputs in another order, which moves the inscription",
        |psbt| {
            psbt.unsigned_tx.input.swap(0, 1);
            psbt.inputs.swap(0, 1);
        },
        "input",
    ),
    ("a relative locktime", |psbt| psbt.unsigned_tx.input[0].sequence = Sequence::from_height(9), "input"),
    ("an absolute locktime", |psbt| psbt.unsigned_tx.lock_time = LockTime::from_consensus(CLAIM_AFTER), "lock_time"),
    ("another version", |psbt| psbt.unsigned_tx.version = Version(3), "version"),
    (
        "a false amount of an input",
        |psbt| psbt.inputs[0].witness_utxo.as_mut().unwrap().value = Amount::from_sat(20_000),
        "input_data",
    ),
    (
        "a sighash that commits to nothing",
        |psbt| psbt.inputs[0].sighash_type = Some(TapSighashType::NonePlusAnyoneCanPay.into()),
        "input_data",
    ),
    ("another internal key", |psbt| psbt.inputs[0].tap_internal_key = None, "input_data"),
    (
        "data that no wallet needs",
        |psbt| {
            let key = bitcoin::psbt::raw::Key { type_value: 0xf0, key: vec![1] };
            psbt.unknown.insert(key, vec![1]);
        },
        "foreign_data",
    ),
];

fn tampered(mut question: Value, at: usize, tamper: fn(&mut Psbt)) -> Value {
    let text = &mut question["transactions"][at]["base64"];
    let mut psbt = escrow::contract::signing::returned_psbt::parse_psbt(text.as_str().unwrap()).unwrap();
    tamper(&mut psbt);
    *text = psbt.to_string().into();
    question
}

#[test]
fn every_tampering_with_the_origination_is_refused_by_its_name() {
    for (name, tamper, code) in TAMPERINGS {
        for question in [Loan::manual().borrower(), Loan::manual().lender()] {
            assert_eq!(faults(&verdict(&tampered(question, 0, *tamper))), [*code], "{name}");
        }
        let question = tampered(Loan::instant().borrower(), 0, *tamper);
        assert_eq!(faults(&verdict(&question)).len(), 1, "{name}, instant");
    }
}

#[test]
fn every_tampering_with_a_repayment_to_be_signed_in_advance_is_refused() {
    let payout: fn(&mut Psbt) = |psbt| psbt.unsigned_tx.output[2].value = Amount::from_sat(1);
    let receiver: fn(&mut Psbt) = |psbt| psbt.unsigned_tx.output[2].script_pubkey = payment(ATTACKER).script_pubkey();
    let whole: fn(&mut Psbt) = |psbt| psbt.inputs[2].sighash_type = Some(TapSighashType::NonePlusAnyoneCanPay.into());
    for (at, tamper, code) in [
        (1, payout, "output_value"),
        (2, payout, "output_value"),
        (1, receiver, "output_script"),
        (2, whole, "input_data"),
    ] {
        assert_eq!(faults(&verdict(&tampered(Loan::manual().lender(), at, tamper))), [code], "{at}");
    }
    let mut swapped = Loan::manual().lender();
    swapped["transactions"].as_array_mut().unwrap().swap(1, 2);
    assert_eq!(faults(&verdict(&swapped)), ["version"]);
}

#[test]
fn the_second_transaction_of_brc20_is_checked_too() {
    let receiver: fn(&mut Psbt) = |psbt| psbt.unsigned_tx.output[0].script_pubkey = payment(ATTACKER).script_pubkey();
    assert_eq!(faults(&verdict(&tampered(Loan::brc20().borrower(), 1, receiver))), ["output_script"]);
}

#[test]
fn more_transactions_or_fewer_are_refused() {
    let mut question = Loan::manual().borrower();
    let first = question["transactions"][0].clone();
    question["transactions"].as_array_mut().unwrap().push(first);
    assert_eq!(faults(&verdict(&question)), ["transaction_count"]);
    question["transactions"] = Value::Array(Vec::new());
    assert_eq!(faults(&verdict(&question)), ["transaction_count"]);
}

#[test]
fn a_text_that_is_no_psbt_is_refused() {
    let mut question = Loan::manual().borrower();
    question["transactions"][0]["base64"] = "cHNidP8=".into();
    assert_eq!(faults(&verdict(&question)), ["not_a_psbt"]);
}

#[test]
fn other_signatures_are_not_requested() {
    let honest = Loan::manual().borrower();
    let changed = |change: fn(&mut Value)| {
        let mut question = honest.clone();
        change(&mut question["transactions"][0]["sides"]);
        faults(&verdict(&question))
    };
    assert_eq!(changed(|sides| sides[0]["sighash"] = 130.into()), ["requested_inputs"]);
    assert_eq!(changed(|sides| sides[0]["index"] = 1.into()), ["requested_inputs"]);
    assert_eq!(changed(|sides| sides[0]["disable_tweak_signer"] = true.into()), ["requested_inputs"]);
    assert_eq!(changed(|sides| *sides = Value::Array(Vec::new())), ["requested_inputs"]);
    assert_eq!(
        changed(|sides| {
            let first = sides[0].clone();
            sides.as_array_mut().unwrap().push(first);
        }),
        ["requested_inputs"]
    );
}

#[test]
fn the_transaction_of_another_loan_is_refused() {
    let mut question = Loan::manual().borrower();
    for (field, value, code) in [
        ("loanId", Value::from("ln_4e"), "output_script"),
        ("claimAfterSeconds", (CLAIM_AFTER - 86_400).into(), "output_script"),
        ("principalSats", 1_000_000.into(), "output_value"),
        ("feeRateSatPerKwu", 2_500.into(), "output_value"),
    ] {
        let mut other = Loan::manual();
        other.contract[field] = value;
        question["transactions"][0] = given(&other.plan().origination, BORROWER);
        assert_eq!(faults(&verdict(&question)), [code], "{field}");
    }
}
