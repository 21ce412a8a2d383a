//! Tests of refused PSBTs, each by its error.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::absolute::LockTime;
use bitcoin::psbt::PsbtSighashType;
use bitcoin::taproot::LeafVersion;
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, EcdsaSighashType, OutPoint, Psbt, PublicKey, ScriptBuf, Sequence, TapLeafHash, TapNodeHash, TapSighashType,
    Transaction, XOnlyPublicKey, ecdsa,
};
use escrow::contract::signing::returned_psbt::RETURNED_LENGTH_MAX;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signature_check::SignatureFault;
use escrow::contract::transaction::coin::CoinKey;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

use super::parties::{Parties, Party, altered, psbt};

/// The reason why an altered signed text is refused; the unaltered text must be accepted.
pub(super) fn refusal(template: &Template, party: &Party, alter: impl FnOnce(&mut Psbt)) -> Option<ReturnedPsbtError> {
    let text = party.sign(template);
    assert!(party.check(template, &text).is_ok());
    party.check(template, &altered(&text, alter)).err()
}

pub(super) fn all() -> PsbtSighashType {
    EcdsaSighashType::All.into()
}

pub(super) fn default() -> PsbtSighashType {
    TapSighashType::Default.into()
}

pub(super) fn fault(index: usize, fault: SignatureFault) -> ReturnedPsbtError {
    ReturnedPsbtError::Signature { index, fault }
}

pub(super) fn signature_of(psbt: &Psbt, index: usize) -> (PublicKey, ecdsa::Signature) {
    psbt.inputs[index].partial_sigs.iter().map(|(key, signature)| (*key, *signature)).next().unwrap()
}

#[test]
fn a_malformed_psbt_is_refused() {
    let parties = Parties::new();
    let template = parties.origination();
    let check = |text: &str| parties.lender.check(&template, text).err();
    let length = RETURNED_LENGTH_MAX + 1;
    let too_long = ReturnedPsbtError::TooLong { length, max: RETURNED_LENGTH_MAX };
    assert_eq!(check(&"A".repeat(length)), Some(too_long));
    for text in ["", "cHNidP8", "cHNidP8=\n", "70736274f", "70736274fx", "ÿ"] {
        let refused = check(text);
        let is_named = match text {
            "" => matches!(refused, Some(ReturnedPsbtError::NotPsbt { .. })),
            _ => refused == Some(ReturnedPsbtError::NotText),
        };
        assert!(is_named, "{text:?}: {refused:?}");
    }
    let bytes = psbt(&parties.lender.sign(&template)).serialize();
    for length in [4, 5, bytes.len() / 2, bytes.len() - 1] {
        let refused = check(&STANDARD.encode(&bytes[..length]));
        assert!(matches!(refused, Some(ReturnedPsbtError::NotPsbt { .. })), "{length}: {refused:?}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    let left_over = ReturnedPsbtError::NotPsbt { reason: "bytes left over".to_owned() };
    assert_eq!(check(&STANDARD.encode(longer)), Some(left_over));
}

#[test]
fn another_transaction_is_refused() {
    let parties = Parties::new();
    let (one, other) = (parties.origination(), parties.claim());
    let id = |template: &Template| template.psbt.unsigned_tx.compute_txid();
    let refused = parties.lender.check(&one, &parties.lender.sign(&other));
    assert_eq!(refused, Err(ReturnedPsbtError::WrongTransaction { expected: id(&one), found: id(&other) }));
}

#[test]
fn a_changed_transaction_is_refused_and_the_change_named() {
    let parties = Parties::new();
    let template = parties.origination();
    let ours = template.psbt.unsigned_tx.clone();
    let refused = |alter: &dyn Fn(&mut Transaction)| {
        refusal(&template, &parties.lender, |psbt| {
            alter(&mut psbt.unsigned_tx);
            psbt.inputs.resize(psbt.unsigned_tx.input.len(), bitcoin::psbt::Input::default());
            psbt.outputs.resize(psbt.unsigned_tx.output.len(), bitcoin::psbt::Output::default());
        })
    };
    assert_eq!(refused(&|_| {}), None);
    let version = ReturnedPsbtError::Version { expected: Version::TWO, found: TRUC };
    assert_eq!(refused(&|theirs| theirs.version = TRUC), Some(version));
    let later = LockTime::from_consensus(1);
    let lock_time = ReturnedPsbtError::LockTime { expected: LockTime::ZERO, found: later };
    assert_eq!(refused(&|theirs| theirs.lock_time = later), Some(lock_time));
    let fewer = ReturnedPsbtError::InputCount { expected: 5, found: 4 };
    assert_eq!(refused(&|theirs| drop(theirs.input.pop())), Some(fewer));
    let more = ReturnedPsbtError::InputCount { expected: 5, found: 6 };
    assert_eq!(refused(&|theirs| theirs.input.push(ours.input[0].clone())), Some(more));
    let found = OutPoint { vout: 7, ..ours.input[2].previous_output };
    let outpoint = ReturnedPsbtError::Outpoint { index: 2, expected: ours.input[2].previous_output, found };
    assert_eq!(refused(&|theirs| theirs.input[2].previous_output = found), Some(outpoint));
    let (expected, found) = (ours.input[3].sequence, Sequence::MAX);
    let sequence = ReturnedPsbtError::Sequence { index: 3, expected, found };
    assert_eq!(refused(&|theirs| theirs.input[3].sequence = found), Some(sequence));
    let count = ours.output.len();
    let fewer = ReturnedPsbtError::OutputCount { expected: count, found: count - 1 };
    assert_eq!(refused(&|theirs| drop(theirs.output.pop())), Some(fewer));
    let more = ReturnedPsbtError::OutputCount { expected: count, found: count + 1 };
    assert_eq!(refused(&|theirs| theirs.output.push(ours.output[0].clone())), Some(more));
    for index in 0..count {
        let output = Some(ReturnedPsbtError::Output { index });
        assert_eq!(refused(&|theirs| theirs.output[index].value -= Amount::ONE_SAT), output);
        assert_eq!(refused(&|theirs| theirs.output[index].script_pubkey = ScriptBuf::new()), output);
    }
}

#[test]
fn a_false_claim_about_a_spent_output_is_refused() {
    let parties = Parties::new();
    let template = parties.origination();
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &parties.lender, alter);
    for index in 0..5 {
        let mismatch = Some(ReturnedPsbtError::WitnessUtxo { index });
        let value = |psbt: &mut Psbt| psbt.inputs[index].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
        assert_eq!(refused(&value), mismatch);
        let script = |psbt: &mut Psbt| psbt.inputs[index].witness_utxo.as_mut().unwrap().script_pubkey.push_slice([1]);
        assert_eq!(refused(&script), mismatch);
    }
    // The origination's own outputs are known, so a repayment has true previous transactions.
    let (origination, repayment) = (parties.origination(), parties.repayment(TRUC));
    let all = parties.borrower.signatures(&origination).merge(parties.lender.signatures(&origination)).unwrap();
    let originated = origination.finish(&all, origination.final_txid()).unwrap();
    let refused = |previous: Transaction| {
        refusal(&repayment, &parties.borrower, |psbt| psbt.inputs[1].non_witness_utxo = Some(previous))
    };
    assert_eq!(refused(originated.clone()), None);
    let mismatch = Some(ReturnedPsbtError::PreviousTransaction { index: 1 });
    assert_eq!(refused(repayment.psbt.unsigned_tx.clone()), mismatch);
    let mut overvalued = originated.clone();
    overvalued.output[3].value += Amount::ONE_SAT;
    assert_eq!(refused(overvalued), mismatch);
    let mut shorter = originated.clone();
    shorter.output.truncate(2);
    assert_eq!(refused(shorter), mismatch);
    let mut heavier = originated.clone();
    heavier.output[0].value += Amount::ONE_SAT;
    assert_eq!(refused(heavier), mismatch, "the same output in another transaction");
    // The template's own output may be wrong.
    let mut wrong = repayment;
    wrong.psbt.inputs[1].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
    let refused = refusal(&wrong, &parties.borrower, |psbt| psbt.inputs[1].non_witness_utxo = Some(originated));
    assert_eq!(refused, mismatch);
}

#[test]
fn a_foreign_script_or_tree_is_refused() {
    let parties = Parties::new();
    let (origination, claim) = (parties.origination(), parties.claim());
    let foreign_key: XOnlyPublicKey = match parties.borrower.ordinals() {
        CoinKey::P2tr(key) => key,
        other => panic!("{other:?} is not a taproot key"),
    };
    for index in 0..5 {
        let refused = |alter: &dyn Fn(&mut bitcoin::psbt::Input)| {
            refusal(&origination, &parties.lender, |psbt| alter(&mut psbt.inputs[index]))
        };
        let script = Some(ReturnedPsbtError::ForeignScript { index });
        assert_eq!(refused(&|input| input.redeem_script = Some(ScriptBuf::from_bytes(vec![0x51]))), script);
        assert_eq!(refused(&|input| input.witness_script = Some(ScriptBuf::from_bytes(vec![0x51]))), script);
        let tree = Some(ReturnedPsbtError::ForeignTaproot { index });
        let root = TapNodeHash::assume_hidden([7; 32]);
        assert_eq!(refused(&|input| input.tap_merkle_root = Some(root)), tree);
        if index > 0 {
            assert_eq!(refused(&|input| input.tap_internal_key = Some(foreign_key)), tree);
        }
    }
    let leaf = parties.escrow.claim_leaf();
    let unknown = Some(ReturnedPsbtError::UnknownLeaf { index: 0 });
    let other = (ScriptBuf::from_bytes(vec![0x51]), LeafVersion::TapScript);
    let refused = refusal(&claim, &parties.lender, |psbt| {
        psbt.inputs[0].tap_scripts.insert(leaf.control_block.clone(), other.clone());
    });
    assert_eq!(refused, unknown, "another script in place of the expected one");
    let repay = parties.escrow.repay_leaf();
    let refused = refusal(&claim, &parties.lender, |psbt| {
        let script = (repay.script.clone(), LeafVersion::TapScript);
        psbt.inputs[0].tap_scripts.insert(repay.control_block.clone(), script);
    });
    assert_eq!(refused, unknown, "the contract's other script was not handed out");
    let refused = refusal(&claim, &parties.lender, |psbt| {
        let signatures = &mut psbt.inputs[0].tap_script_sigs;
        let ((key, _), signature) = signatures.pop_first().unwrap();
        signatures.insert((key, repay.hash), signature);
    });
    assert_eq!(refused, unknown, "a signature of the other script");
}

#[test]
fn a_sighash_that_was_not_requested_is_refused() {
    let parties = Parties::new();
    let (origination, repayment) = (parties.origination(), parties.repayment(TRUC));
    for (index, wrong) in [(1, EcdsaSighashType::Single.into()), (2, default()), (3, all())] {
        let refused = refusal(&origination, &parties.lender, |psbt| psbt.inputs[index].sighash_type = Some(wrong));
        assert_eq!(refused, Some(ReturnedPsbtError::DeclaredSighash { index, found: wrong }));
    }
    // A wallet that signs with another sighash than requested, without declaring it.
    let signed_as = |template: &Template, party: &Party, index: usize, sighash| {
        let asked = altered(&template.psbt.to_string(), |psbt| psbt.inputs[index].sighash_type = Some(sighash));
        let signed = party.wallet.sign_psbt(&asked).unwrap();
        party.check(template, &altered(&signed, |psbt| psbt.inputs[index].sighash_type = None)).err()
    };
    for byte in [0x02, 0x03, 0x81, 0x82, 0x83] {
        let found = PsbtSighashType::from_u32(byte);
        let wrong = |expected| SignatureFault::WrongSighash { expected, found };
        for (index, expected) in [(1, all()), (2, all()), (3, default())] {
            let refused = signed_as(&origination, &parties.lender, index, found);
            // SINGLE requires an output of the same index; here every input has one.
            assert_eq!(refused, Some(fault(index, wrong(expected))));
        }
        let refused = signed_as(&repayment, &parties.borrower, 2, found);
        assert_eq!(refused, Some(fault(2, wrong(default()))));
    }
    let named = SignatureFault::WrongSighash { expected: default(), found: all() };
    assert_eq!(signed_as(&origination, &parties.lender, 3, all()), Some(fault(3, named)), "no byte more than paid for");
}

#[test]
fn a_signature_of_a_key_that_is_not_a_signer_is_refused() {
    let parties = Parties::new();
    let template = parties.origination();
    let other_user = Party::new(7);
    let foreign = |index| Some(ReturnedPsbtError::ForeignSignature { index });
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &parties.lender, alter);
    let compressed_key = |kind: CoinKey| match kind {
        CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => PublicKey::new(key.0),
        CoinKey::P2tr(_) => panic!("not an ECDSA key"),
    };
    let other_key = compressed_key(other_user.payment());
    for index in 0..5 {
        let add = |psbt: &mut Psbt| {
            let (_, signature) = signature_of(psbt, 1);
            psbt.inputs[index].partial_sigs.insert(other_key, signature);
        };
        assert_eq!(refused(&add), foreign(index));
    }
    let uncompressed = |psbt: &mut Psbt| {
        let (key, signature) = psbt.inputs[1].partial_sigs.pop_first().unwrap();
        psbt.inputs[1].partial_sigs.insert(PublicKey::new_uncompressed(key.inner), signature);
    };
    assert_eq!(refused(&uncompressed), foreign(1));
    let by_key_path = |psbt: &mut Psbt| psbt.inputs[1].tap_key_sig = psbt.inputs[3].tap_key_sig;
    assert_eq!(refused(&by_key_path), foreign(1));
    let claim = parties.claim();
    let to_the_contract = refusal(&claim, &parties.lender, |psbt| {
        let signature = psbt.inputs[0].tap_script_sigs.values().next().copied();
        psbt.inputs[0].tap_key_sig = signature;
    });
    assert_eq!(to_the_contract, foreign(0), "a contract has no key path");
    let by_the_borrower = refusal(&claim, &parties.lender, |psbt| {
        let ((_, leaf), signature) = psbt.inputs[0].tap_script_sigs.pop_first().unwrap();
        psbt.inputs[0].tap_script_sigs.insert((parties.escrow.terms().borrower, leaf), signature);
    });
    assert_eq!(by_the_borrower, foreign(0));
    let on_a_coin = refusal(&template, &parties.lender, |psbt| {
        let signature = psbt.inputs[3].tap_key_sig.unwrap();
        let leaf = TapLeafHash::from_script(&ScriptBuf::new(), LeafVersion::TapScript);
        psbt.inputs[3].tap_script_sigs.insert((parties.escrow.terms().lender, leaf), signature);
    });
    assert_eq!(on_a_coin, Some(ReturnedPsbtError::UnknownLeaf { index: 3 }));
}

#[test]
fn a_missing_signature_is_refused() {
    let parties = Parties::new();
    let (origination, repayment) = (parties.origination(), parties.repayment(TRUC));
    for index in 1..5 {
        let refused = refusal(&origination, &parties.lender, |psbt| {
            psbt.inputs[index].partial_sigs.clear();
            psbt.inputs[index].tap_key_sig = None;
        });
        assert_eq!(refused, Some(ReturnedPsbtError::MissingSignature { index }));
    }
    let refused = refusal(&repayment, &parties.borrower, |psbt| psbt.inputs[2].tap_script_sigs.clear());
    assert_eq!(refused, Some(ReturnedPsbtError::MissingSignature { index: 2 }));
    // The lender has pre-signed the repayment, and is not asked again.
    let lenders = parties.lender.check(&repayment, &repayment.psbt.to_string());
    assert_eq!(lenders.map(|signatures| signatures.count()), Ok(0));
    let unsigned = parties.borrower.check(&origination, &origination.psbt.to_string());
    assert_eq!(unsigned, Err(ReturnedPsbtError::MissingSignature { index: 0 }));
}

#[test]
fn an_invalid_signature_is_refused() {
    let parties = Parties::new();
    let template = parties.origination();
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &parties.lender, alter);
    // Inputs 1 and 4 are spent by the same key.
    let swapped = |psbt: &mut Psbt| {
        let (first, second) = (psbt.inputs[1].partial_sigs.clone(), psbt.inputs[4].partial_sigs.clone());
        (psbt.inputs[1].partial_sigs, psbt.inputs[4].partial_sigs) = (second, first);
    };
    assert_eq!(refused(&swapped), Some(fault(1, SignatureFault::OtherInput { other: 4 })));
    let of_nothing = |psbt: &mut Psbt| {
        let (key, signature) = signature_of(psbt, 2);
        let other = signature_of(psbt, 1).0;
        psbt.inputs[1].partial_sigs.insert(other, signature);
        assert_ne!(key, other);
    };
    assert_eq!(refused(&of_nothing), Some(fault(1, SignatureFault::Invalid)));
    let of_another_key = |psbt: &mut Psbt| {
        let borrowers = parties.borrower.sign(&template);
        psbt.inputs[3].tap_key_sig = super::parties::psbt(&borrowers).inputs[0].tap_key_sig;
    };
    assert_eq!(refused(&of_another_key), Some(fault(3, SignatureFault::Invalid)));
    // The same transaction, but the PSBT for the wallet declared other amounts.
    let asked = altered(&template.psbt.to_string(), |psbt| {
        psbt.inputs[1].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
    });
    let signed = parties.lender.wallet.sign_psbt(&asked).unwrap();
    let declared = altered(&signed, |psbt| psbt.inputs[1].witness_utxo = template.psbt.inputs[1].witness_utxo.clone());
    let refusal = parties.lender.check(&template, &declared).err();
    assert_eq!(refusal, Some(fault(1, SignatureFault::Invalid)));
}
