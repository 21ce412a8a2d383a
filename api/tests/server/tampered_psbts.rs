//! Tests of signed originations that were altered: each kind of tampering is refused with its own code.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::absolute::LockTime;
use bitcoin::psbt::{Input, Output};
use bitcoin::secp256k1::SecretKey;
use bitcoin::taproot::LeafVersion;
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, EcdsaSighashType, Psbt, PublicKey, ScriptBuf, Sequence, TapLeafHash, TapNodeHash, Witness, ecdsa,
};
use escrow::contract::signing::returned_psbt::RETURNED_LENGTH_MAX;
use lienbook::http::api_error::ApiError;
use lienbook::http::error_code::ErrorCode;

use super::signed_origination::{Pledged, SignedOrigination};

/// The name of an alteration, the expected code, and the altered text.
type Tampering = (&'static str, &'static str, fn(&SignedOrigination) -> String);

fn altered(loan: &SignedOrigination, alter: impl FnOnce(&mut Psbt)) -> String {
    let mut psbt = loan.returned();
    alter(&mut psbt);
    psbt.inputs.resize(psbt.unsigned_tx.input.len(), Input::default());
    psbt.outputs.resize(psbt.unsigned_tx.output.len(), Output::default());
    STANDARD.encode(psbt.serialize())
}

/// The text with one of the lender's inputs altered, counted from the lender's first one.
fn with_input(loan: &SignedOrigination, own: usize, alter: impl FnOnce(&mut Input)) -> String {
    altered(loan, |psbt| alter(&mut psbt.inputs[loan.first_funding + own]))
}

fn ecdsa_of(input: &Input) -> (PublicKey, ecdsa::Signature) {
    input.partial_sigs.iter().map(|(key, signature)| (*key, *signature)).next().unwrap()
}

/// The other signature that verifies: its `s` is the group's order minus this one's.
fn high_s(signature: ecdsa::Signature) -> ecdsa::Signature {
    let mut bytes = signature.signature.serialize_compact();
    let s = SecretKey::from_slice(&bytes[32..]).unwrap().negate();
    bytes[32..].copy_from_slice(&s.secret_bytes());
    ecdsa::Signature { signature: bitcoin::secp256k1::ecdsa::Signature::from_compact(&bytes).unwrap(), ..signature }
}

/// The text of a wallet that was given an altered PSBT and hides the alteration.
fn sighash_requested(
    loan: &SignedOrigination,
    ask: impl FnOnce(&mut Input),
    reset: impl FnOnce(&mut Input, &Input),
) -> String {
    let mut psbt = loan.template.psbt.clone();
    let index = loan.first_funding;
    ask(&mut psbt.inputs[index]);
    let mut signed = loan.signed_by_lender(&psbt);
    reset(&mut signed.inputs[index], &loan.template.psbt.inputs[index]);
    STANDARD.encode(signed.serialize())
}

/// In the order of the checks. The lender's inputs are native, nested, taproot and native again.
const TAMPERINGS: &[Tampering] = &[
    ("a text without end", "psbt_too_long", |_| "A".repeat(RETURNED_LENGTH_MAX + 1)),
    ("not an encoded PSBT", "psbt_not_text", |_| "not a transaction".to_owned()),
    ("half of it", "psbt_malformed", |loan| {
        let bytes = loan.returned().serialize();
        STANDARD.encode(&bytes[..bytes.len() / 2])
    }),
    ("bytes behind it", "psbt_malformed", |loan| STANDARD.encode([loan.returned().serialize(), vec![0]].concat())),
    ("another transaction", "psbt_other_transaction", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.input.iter_mut().for_each(|input| input.previous_output.vout += 50))
    }),
    ("another version", "psbt_version_changed", |loan| altered(loan, |psbt| psbt.unsigned_tx.version = Version(3))),
    ("a later locktime", "psbt_lock_time_changed", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.lock_time = LockTime::from_consensus(900_000))
    }),
    ("an input more", "psbt_input_count_changed", |loan| {
        altered(loan, |psbt| {
            let mut more = psbt.unsigned_tx.input[0].clone();
            more.previous_output.vout += 9;
            psbt.unsigned_tx.input.push(more);
        })
    }),
    ("an input less", "psbt_input_count_changed", |loan| altered(loan, |psbt| drop(psbt.unsigned_tx.input.pop()))),
    ("another coin", "psbt_input_changed", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.input[loan.first_funding].previous_output.vout += 1)
    }),
    ("coins in another order", "psbt_input_changed", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.input.swap(loan.first_funding, loan.first_funding + 1))
    }),
    ("a final input", "psbt_sequence_changed", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.input[0].sequence = Sequence::MAX)
    }),
    ("an output more", "psbt_output_count_changed", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.output.push(psbt.unsigned_tx.output[0].clone()))
    }),
    ("no change for the lender", "psbt_output_count_changed", |loan| {
        altered(loan, |psbt| drop(psbt.unsigned_tx.output.pop()))
    }),
    ("a smaller principal", "psbt_output_changed", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.output[loan.principal_output()].value -= Amount::ONE_SAT)
    }),
    ("collateral for another address", "psbt_output_changed", |loan| {
        let unrelated_script = loan.unrelated_wallet.ordinals_address().script_pubkey();
        altered(loan, |psbt| psbt.unsigned_tx.output[0].script_pubkey = unrelated_script)
    }),
    ("outputs in another order", "psbt_output_changed", |loan| {
        altered(loan, |psbt| psbt.unsigned_tx.output.swap(0, 1))
    }),
    ("a coin said to be smaller", "psbt_spent_output_wrong", |loan| {
        with_input(loan, 0, |input| input.witness_utxo.as_mut().unwrap().value -= Amount::ONE_SAT)
    }),
    ("a coin said to be another's", "psbt_spent_output_wrong", |loan| {
        let unrelated_script = loan.unrelated_wallet.payment_address().script_pubkey();
        with_input(loan, 3, |input| input.witness_utxo.as_mut().unwrap().script_pubkey = unrelated_script)
    }),
    ("a previous transaction that is none", "psbt_previous_transaction_wrong", |loan| {
        with_input(loan, 0, |input| input.non_witness_utxo = Some(loan.template.psbt.unsigned_tx.clone()))
    }),
    ("a foreign redeem script", "psbt_foreign_script", |loan| {
        with_input(loan, 1, |input| input.redeem_script = Some(ScriptBuf::from_bytes(vec![0x51])))
    }),
    ("a foreign witness script", "psbt_foreign_script", |loan| {
        with_input(loan, 0, |input| input.witness_script = Some(ScriptBuf::from_bytes(vec![0x51])))
    }),
    ("a foreign script tree", "psbt_foreign_taproot", |loan| {
        with_input(loan, 2, |input| input.tap_merkle_root = Some(TapNodeHash::assume_hidden([7; 32])))
    }),
    ("a foreign internal key", "psbt_foreign_taproot", |loan| {
        with_input(loan, 2, |input| input.tap_internal_key = Some(loan.borrower_key()))
    }),
    ("a signature of a script that there is not", "psbt_unknown_leaf", |loan| {
        with_input(loan, 2, |input| {
            let leaf = TapLeafHash::from_script(&ScriptBuf::new(), LeafVersion::TapScript);
            input.tap_script_sigs.insert((loan.borrower_key(), leaf), input.tap_key_sig.unwrap());
        })
    }),
    ("a declared SINGLE", "psbt_sighash_declared", |loan| {
        with_input(loan, 0, |input| input.sighash_type = Some(EcdsaSighashType::Single.into()))
    }),
    ("a signature by another key", "psbt_foreign_signature", |loan| {
        with_input(loan, 0, |input| {
            let (_, signature) = ecdsa_of(input);
            input.partial_sigs.insert(loan.unrelated_key(), signature);
        })
    }),
    ("a key path that there is not", "psbt_foreign_signature", |loan| {
        altered(loan, |psbt| {
            psbt.inputs[loan.first_funding].tap_key_sig = psbt.inputs[loan.first_funding + 2].tap_key_sig;
        })
    }),
    ("a signature without its first byte", "psbt_signature_malformed", |loan| {
        with_input(loan, 0, |input| {
            let (key, signature) = ecdsa_of(input);
            let bytes = signature.to_vec();
            input.partial_sigs.clear();
            input.final_script_witness = Some(Witness::from_slice(&[bytes[1..].to_vec(), key.to_bytes()]));
        })
    }),
    ("the other signature that verifies", "psbt_signature_high_s", |loan| {
        with_input(loan, 0, |input| {
            let (key, signature) = ecdsa_of(input);
            input.partial_sigs.insert(key, high_s(signature));
        })
    }),
    ("signed for one output alone", "psbt_signature_sighash", |loan| {
        let single = EcdsaSighashType::SinglePlusAnyoneCanPay;
        sighash_requested(loan, |input| input.sighash_type = Some(single.into()), |input, _| input.sighash_type = None)
    }),
    ("signed for no output", "psbt_signature_sighash", |loan| {
        let none = EcdsaSighashType::None;
        sighash_requested(loan, |input| input.sighash_type = Some(none.into()), |input, _| input.sighash_type = None)
    }),
    ("signatures in each other's place", "psbt_signature_misplaced", |loan| {
        altered(loan, |psbt| {
            let (one, other) = (loan.first_funding, loan.first_funding + 3);
            let signatures = psbt.inputs[one].partial_sigs.clone();
            psbt.inputs[one].partial_sigs = psbt.inputs[other].partial_sigs.clone();
            psbt.inputs[other].partial_sigs = signatures;
        })
    }),
    ("a signature by another key", "psbt_signature_invalid", |loan| {
        altered(loan, |psbt| {
            let (_, other) = ecdsa_of(&psbt.inputs[loan.first_funding + 1]);
            let (key, _) = ecdsa_of(&psbt.inputs[loan.first_funding]);
            psbt.inputs[loan.first_funding].partial_sigs.insert(key, other);
        })
    }),
    ("signed for another amount", "psbt_signature_invalid", |loan| {
        sighash_requested(
            loan,
            |input| input.witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT,
            |input, own| input.witness_utxo.clone_from(&own.witness_utxo),
        )
    }),
    ("finished without a witness", "psbt_not_segwit", |loan| {
        with_input(loan, 0, |input| {
            input.partial_sigs.clear();
            input.final_script_sig = Some(ScriptBuf::from_bytes(vec![0x51]));
        })
    }),
    ("a witness with more in it", "psbt_other_witness", |loan| {
        with_input(loan, 0, |input| {
            let (key, signature) = ecdsa_of(input);
            input.partial_sigs.clear();
            input.final_script_witness = Some(Witness::from_slice(&[signature.to_vec(), key.to_bytes(), vec![1]]));
        })
    }),
    ("one coin not signed", "psbt_signature_missing", |loan| with_input(loan, 3, |input| input.partial_sigs.clear())),
    ("nothing signed", "psbt_signature_missing", |loan| loan.template.psbt.to_string()),
];

#[test]
fn every_tampering_with_a_signed_origination_is_refused_by_its_own_code() {
    for pledged in [Pledged::Inscription, Pledged::Runes] {
        let loan = SignedOrigination::new(pledged);
        assert!(loan.check(&loan.text).is_ok(), "{pledged:?}");
        for (what, code, tamper) in TAMPERINGS {
            let refusal = ApiError::from(loan.check(&tamper(&loan)).expect_err(what));
            assert_eq!(refusal.code().code(), *code, "{pledged:?}: {what}: {refusal}");
            assert_eq!(refusal.problem(None).status, 422, "{what}");
        }
    }
    let shown: BTreeSet<&str> = TAMPERINGS.iter().map(|(_, code, _)| *code).collect();
    let all = ErrorCode::ALL.iter().map(|code| code.code()).filter(|code| code.starts_with("psbt_"));
    assert_eq!(shown, all.collect(), "a kind of tampering is not shown here");
    assert!(shown.len() >= 25 && TAMPERINGS.len() >= 25);
}
