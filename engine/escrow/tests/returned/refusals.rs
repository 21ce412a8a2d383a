//! What is not taken, each by its name.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::absolute::LockTime;
use bitcoin::psbt::PsbtSighashType;
use bitcoin::secp256k1::ecdsa::Signature as Secp256k1Signature;
use bitcoin::taproot::LeafVersion;
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, EcdsaSighashType, OutPoint, Psbt, PublicKey, ScriptBuf, Sequence, TapLeafHash, TapNodeHash, TapSighashType,
    Transaction, Witness, XOnlyPublicKey, ecdsa,
};
use escrow::contract::coin::CoinKey;
use escrow::contract::returned::RETURNED_LENGTH_MAX;
use escrow::contract::returned_error::ReturnedError;
use escrow::contract::running_loan::TRUC;
use escrow::contract::signature_check::SignatureFault;
use escrow::contract::template::Template;

use super::people::{People, Person, altered, psbt};

const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xba, 0xae, 0xdc,
    0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// Why a signed text is refused once it is altered; unaltered it is taken.
fn refusal(template: &Template, person: &Person, alter: impl FnOnce(&mut Psbt)) -> Option<ReturnedError> {
    let text = person.sign(template);
    assert!(person.check(template, &text).is_ok());
    person.check(template, &altered(&text, alter)).err()
}

fn all() -> PsbtSighashType {
    EcdsaSighashType::All.into()
}

fn default() -> PsbtSighashType {
    TapSighashType::Default.into()
}

fn fault(index: usize, fault: SignatureFault) -> ReturnedError {
    ReturnedError::Signature { index, fault }
}

fn signature_of(psbt: &Psbt, index: usize) -> (PublicKey, ecdsa::Signature) {
    psbt.inputs[index].partial_sigs.iter().map(|(key, signature)| (*key, *signature)).next().unwrap()
}

#[test]
fn what_is_no_psbt_is_refused() {
    let people = People::new();
    let template = people.origination();
    let check = |text: &str| people.lender.check(&template, text).err();
    let length = RETURNED_LENGTH_MAX + 1;
    let too_long = ReturnedError::TooLong { length, max: RETURNED_LENGTH_MAX };
    assert_eq!(check(&"A".repeat(length)), Some(too_long));
    for text in ["", "cHNidP8", "cHNidP8=\n", "70736274f", "70736274fx", "ÿ"] {
        let refused = check(text);
        let is_named = match text {
            "" => matches!(refused, Some(ReturnedError::NotPsbt { .. })),
            _ => refused == Some(ReturnedError::NotText),
        };
        assert!(is_named, "{text:?}: {refused:?}");
    }
    let bytes = psbt(&people.lender.sign(&template)).serialize();
    for length in [4, 5, bytes.len() / 2, bytes.len() - 1] {
        let refused = check(&STANDARD.encode(&bytes[..length]));
        assert!(matches!(refused, Some(ReturnedError::NotPsbt { .. })), "{length}: {refused:?}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    let left_over = ReturnedError::NotPsbt { reason: "bytes left over".to_owned() };
    assert_eq!(check(&STANDARD.encode(longer)), Some(left_over));
}

#[test]
fn another_transaction_is_refused() {
    let people = People::new();
    let (one, other) = (people.origination(), people.claim());
    let id = |template: &Template| template.psbt.unsigned_tx.compute_txid();
    let refused = people.lender.check(&one, &people.lender.sign(&other));
    assert_eq!(refused, Err(ReturnedError::WrongTransaction { expected: id(&one), found: id(&other) }));
}

#[test]
fn a_changed_transaction_is_refused_and_the_change_named() {
    let people = People::new();
    let template = people.origination();
    let ours = template.psbt.unsigned_tx.clone();
    let refused = |alter: &dyn Fn(&mut Transaction)| {
        refusal(&template, &people.lender, |psbt| {
            alter(&mut psbt.unsigned_tx);
            psbt.inputs.resize(psbt.unsigned_tx.input.len(), bitcoin::psbt::Input::default());
            psbt.outputs.resize(psbt.unsigned_tx.output.len(), bitcoin::psbt::Output::default());
        })
    };
    assert_eq!(refused(&|_| {}), None);
    let version = ReturnedError::Version { expected: Version::TWO, found: TRUC };
    assert_eq!(refused(&|theirs| theirs.version = TRUC), Some(version));
    let later = LockTime::from_consensus(1);
    let lock_time = ReturnedError::LockTime { expected: LockTime::ZERO, found: later };
    assert_eq!(refused(&|theirs| theirs.lock_time = later), Some(lock_time));
    let fewer = ReturnedError::InputCount { expected: 5, found: 4 };
    assert_eq!(refused(&|theirs| drop(theirs.input.pop())), Some(fewer));
    let more = ReturnedError::InputCount { expected: 5, found: 6 };
    assert_eq!(refused(&|theirs| theirs.input.push(ours.input[0].clone())), Some(more));
    let found = OutPoint { vout: 7, ..ours.input[2].previous_output };
    let outpoint = ReturnedError::Outpoint { index: 2, expected: ours.input[2].previous_output, found };
    assert_eq!(refused(&|theirs| theirs.input[2].previous_output = found), Some(outpoint));
    let (expected, found) = (ours.input[3].sequence, Sequence::MAX);
    let sequence = ReturnedError::Sequence { index: 3, expected, found };
    assert_eq!(refused(&|theirs| theirs.input[3].sequence = found), Some(sequence));
    let count = ours.output.len();
    let fewer = ReturnedError::OutputCount { expected: count, found: count - 1 };
    assert_eq!(refused(&|theirs| drop(theirs.output.pop())), Some(fewer));
    let more = ReturnedError::OutputCount { expected: count, found: count + 1 };
    assert_eq!(refused(&|theirs| theirs.output.push(ours.output[0].clone())), Some(more));
    for index in 0..count {
        let output = Some(ReturnedError::Output { index });
        assert_eq!(refused(&|theirs| theirs.output[index].value -= Amount::ONE_SAT), output);
        assert_eq!(refused(&|theirs| theirs.output[index].script_pubkey = ScriptBuf::new()), output);
    }
}

#[test]
fn a_lie_about_what_is_spent_is_refused() {
    let people = People::new();
    let template = people.origination();
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &people.lender, alter);
    for index in 0..5 {
        let lie = Some(ReturnedError::WitnessUtxo { index });
        let value = |psbt: &mut Psbt| psbt.inputs[index].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
        assert_eq!(refused(&value), lie);
        let script = |psbt: &mut Psbt| psbt.inputs[index].witness_utxo.as_mut().unwrap().script_pubkey.push_slice([1]);
        assert_eq!(refused(&script), lie);
    }
    // The origination's own outputs are known, so that a repayment has true previous transactions.
    let (origination, repayment) = (people.origination(), people.repayment(TRUC));
    let all = people.borrower.signatures(&origination).merge(people.lender.signatures(&origination)).unwrap();
    let begun = origination.finish(&all, origination.final_txid()).unwrap();
    let refused = |previous: Transaction| {
        refusal(&repayment, &people.borrower, |psbt| psbt.inputs[1].non_witness_utxo = Some(previous))
    };
    assert_eq!(refused(begun.clone()), None);
    let lie = Some(ReturnedError::PreviousTransaction { index: 1 });
    assert_eq!(refused(repayment.psbt.unsigned_tx.clone()), lie);
    let mut dearer = begun.clone();
    dearer.output[3].value += Amount::ONE_SAT;
    assert_eq!(refused(dearer), lie);
    let mut shorter = begun.clone();
    shorter.output.truncate(2);
    assert_eq!(refused(shorter), lie);
    let mut heavier = begun;
    heavier.output[0].value += Amount::ONE_SAT;
    assert_eq!(refused(heavier), lie, "the same output in another transaction");
}

#[test]
fn a_script_or_a_tree_of_somebody_elses_is_refused() {
    let people = People::new();
    let (origination, claim) = (people.origination(), people.claim());
    let foreign_key: XOnlyPublicKey = match people.borrower.ordinals() {
        CoinKey::P2tr(key) => key,
        other => panic!("{other:?} is no taproot key"),
    };
    for index in 0..5 {
        let refused = |alter: &dyn Fn(&mut bitcoin::psbt::Input)| {
            refusal(&origination, &people.lender, |psbt| alter(&mut psbt.inputs[index]))
        };
        let script = Some(ReturnedError::ForeignScript { index });
        assert_eq!(refused(&|input| input.redeem_script = Some(ScriptBuf::from_bytes(vec![0x51]))), script);
        assert_eq!(refused(&|input| input.witness_script = Some(ScriptBuf::from_bytes(vec![0x51]))), script);
        let tree = Some(ReturnedError::ForeignTaproot { index });
        let root = TapNodeHash::assume_hidden([7; 32]);
        assert_eq!(refused(&|input| input.tap_merkle_root = Some(root)), tree);
        if index > 0 {
            assert_eq!(refused(&|input| input.tap_internal_key = Some(foreign_key)), tree);
        }
    }
    let leaf = people.escrow.claim_leaf();
    let unknown = Some(ReturnedError::UnknownLeaf { index: 0 });
    let other = (ScriptBuf::from_bytes(vec![0x51]), LeafVersion::TapScript);
    let refused = refusal(&claim, &people.lender, |psbt| {
        psbt.inputs[0].tap_scripts.insert(leaf.control_block.clone(), other.clone());
    });
    assert_eq!(refused, unknown, "another script in the place of ours");
    let repay = people.escrow.repay_leaf();
    let refused = refusal(&claim, &people.lender, |psbt| {
        let script = (repay.script.clone(), LeafVersion::TapScript);
        psbt.inputs[0].tap_scripts.insert(repay.control_block.clone(), script);
    });
    assert_eq!(refused, unknown, "the contract's other script was not handed out");
    let refused = refusal(&claim, &people.lender, |psbt| {
        let signatures = &mut psbt.inputs[0].tap_script_sigs;
        let ((key, _), signature) = signatures.pop_first().unwrap();
        signatures.insert((key, repay.hash), signature);
    });
    assert_eq!(refused, unknown, "a signature of the other script");
}

#[test]
fn a_sighash_that_nobody_asked_for_is_refused() {
    let people = People::new();
    let (origination, repayment) = (people.origination(), people.repayment(TRUC));
    for (index, wrong) in [(1, EcdsaSighashType::Single.into()), (2, default()), (3, all())] {
        let refused = refusal(&origination, &people.lender, |psbt| psbt.inputs[index].sighash_type = Some(wrong));
        assert_eq!(refused, Some(ReturnedError::DeclaredSighash { index, found: wrong }));
    }
    // A wallet that signs something else than it was asked for, and does not say so.
    let signed_as = |template: &Template, person: &Person, index: usize, sighash| {
        let asked = altered(&template.to_base64(), |psbt| psbt.inputs[index].sighash_type = Some(sighash));
        let signed = person.wallet.sign_psbt(&asked).unwrap();
        person.check(template, &altered(&signed, |psbt| psbt.inputs[index].sighash_type = None)).err()
    };
    for byte in [0x02, 0x03, 0x81, 0x82, 0x83] {
        let found = PsbtSighashType::from_u32(byte);
        let wrong = |expected| SignatureFault::WrongSighash { expected, found };
        for (index, expected) in [(1, all()), (2, all()), (3, default())] {
            let refused = signed_as(&origination, &people.lender, index, found);
            // SINGLE needs an output of the same index; here every input has one.
            assert_eq!(refused, Some(fault(index, wrong(expected))));
        }
        let refused = signed_as(&repayment, &people.borrower, 2, found);
        assert_eq!(refused, Some(fault(2, wrong(default()))));
    }
    let named = SignatureFault::WrongSighash { expected: default(), found: all() };
    assert_eq!(signed_as(&origination, &people.lender, 3, all()), Some(fault(3, named)), "no byte more than paid for");
}

#[test]
fn a_signature_of_a_key_that_is_no_signer_is_refused() {
    let people = People::new();
    let template = people.origination();
    let stranger = Person::new(7);
    let foreign = |index| Some(ReturnedError::ForeignSignature { index });
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &people.lender, alter);
    let strangers = |kind: CoinKey| match kind {
        CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => PublicKey::new(key.0),
        CoinKey::P2tr(_) => panic!("no key of ECDSA"),
    };
    let other_key = strangers(stranger.payment());
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
    let claim = people.claim();
    let to_the_contract = refusal(&claim, &people.lender, |psbt| {
        let signature = psbt.inputs[0].tap_script_sigs.values().next().copied();
        psbt.inputs[0].tap_key_sig = signature;
    });
    assert_eq!(to_the_contract, foreign(0), "a contract has no key path");
    let by_the_borrower = refusal(&claim, &people.lender, |psbt| {
        let ((_, leaf), signature) = psbt.inputs[0].tap_script_sigs.pop_first().unwrap();
        psbt.inputs[0].tap_script_sigs.insert((people.escrow.terms().borrower, leaf), signature);
    });
    assert_eq!(by_the_borrower, foreign(0));
    let on_a_coin = refusal(&template, &people.lender, |psbt| {
        let signature = psbt.inputs[3].tap_key_sig.unwrap();
        let leaf = TapLeafHash::from_script(&ScriptBuf::new(), LeafVersion::TapScript);
        psbt.inputs[3].tap_script_sigs.insert((people.escrow.terms().lender, leaf), signature);
    });
    assert_eq!(on_a_coin, Some(ReturnedError::UnknownLeaf { index: 3 }));
}

#[test]
fn a_missing_signature_is_refused() {
    let people = People::new();
    let (origination, repayment) = (people.origination(), people.repayment(TRUC));
    for index in 1..5 {
        let refused = refusal(&origination, &people.lender, |psbt| {
            psbt.inputs[index].partial_sigs.clear();
            psbt.inputs[index].tap_key_sig = None;
        });
        assert_eq!(refused, Some(ReturnedError::MissingSignature { index }));
    }
    let refused = refusal(&repayment, &people.borrower, |psbt| psbt.inputs[2].tap_script_sigs.clear());
    assert_eq!(refused, Some(ReturnedError::MissingSignature { index: 2 }));
    let of_nobody = people.borrower.check(&origination, &origination.to_base64());
    assert_eq!(of_nobody, Err(ReturnedError::MissingSignature { index: 0 }));
}

#[test]
fn a_signature_that_does_not_hold_is_refused() {
    let people = People::new();
    let template = people.origination();
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &people.lender, alter);
    // Inputs 1 and 4 are spent by the same key.
    let swapped = |psbt: &mut Psbt| {
        let (first, second) = (psbt.inputs[1].partial_sigs.clone(), psbt.inputs[4].partial_sigs.clone());
        (psbt.inputs[1].partial_sigs, psbt.inputs[4].partial_sigs) = (second, first);
    };
    assert_eq!(refused(&swapped), Some(fault(1, SignatureFault::OfOtherInput { other: 4 })));
    let of_nothing = |psbt: &mut Psbt| {
        let (key, signature) = signature_of(psbt, 2);
        let other = signature_of(psbt, 1).0;
        psbt.inputs[1].partial_sigs.insert(other, signature);
        assert_ne!(key, other);
    };
    assert_eq!(refused(&of_nothing), Some(fault(1, SignatureFault::Invalid)));
    let of_another_key = |psbt: &mut Psbt| {
        let borrowers = people.borrower.sign(&template);
        psbt.inputs[3].tap_key_sig = super::people::psbt(&borrowers).inputs[0].tap_key_sig;
    };
    assert_eq!(refused(&of_another_key), Some(fault(3, SignatureFault::Invalid)));
    // The same transaction, but the wallet was told of other amounts.
    let asked = altered(&template.to_base64(), |psbt| {
        psbt.inputs[1].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
    });
    let signed = people.lender.wallet.sign_psbt(&asked).unwrap();
    let told = altered(&signed, |psbt| psbt.inputs[1].witness_utxo = template.psbt.inputs[1].witness_utxo.clone());
    let refusal = people.lender.check(&template, &told).err();
    assert_eq!(refusal, Some(fault(1, SignatureFault::Invalid)));
}

/// The other `s` that verifies: the group's order minus this one.
fn high_s(signature: &Secp256k1Signature) -> Secp256k1Signature {
    let mut bytes = signature.serialize_compact();
    let mut borrow = 0_u16;
    for (byte, order) in bytes[32..].iter_mut().zip(ORDER).rev() {
        let taken = u16::from(*byte) + borrow;
        borrow = u16::from(u16::from(order) < taken);
        *byte = (u16::from(order) + 256 * borrow - taken).to_le_bytes()[0];
    }
    Secp256k1Signature::from_compact(&bytes).unwrap()
}

#[test]
fn a_malleated_signature_is_refused() {
    let people = People::new();
    let template = people.origination();
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &people.lender, alter);
    let high = |psbt: &mut Psbt| {
        let (key, signature) = signature_of(psbt, 1);
        let signature = ecdsa::Signature { signature: high_s(&signature.signature), ..signature };
        psbt.inputs[1].partial_sigs.insert(key, signature);
    };
    assert_eq!(refused(&high), Some(fault(1, SignatureFault::HighS)));
    // In a witness every byte is the wallet's.
    let in_witness = |index: usize, alter: &dyn Fn(&mut Vec<u8>)| {
        refusal(&template, &people.lender, |psbt| {
            let input = &mut psbt.inputs[index];
            let mut items = Vec::new();
            if let Some((key, signature)) = input.partial_sigs.pop_first() {
                items.extend([signature.to_vec(), key.to_bytes()]);
            }
            items.extend(input.tap_key_sig.take().map(bitcoin::taproot::Signature::to_vec));
            alter(&mut items[0]);
            input.final_script_witness = Some(Witness::from_slice(&items));
        })
    };
    assert_eq!(in_witness(1, &|_| {}), None);
    let malformed = |index| Some(fault(index, SignatureFault::Malformed));
    for index in [1, 3] {
        assert_eq!(in_witness(index, &Vec::clear), malformed(index), "input {index} without a signature");
        assert_eq!(in_witness(index, &|signature| *signature = signature.split_off(1)), malformed(index));
    }
    let padded = |signature: &mut Vec<u8>| {
        // One more zero in front of r.
        signature.insert(4, 0);
        signature[1] += 1;
        signature[3] += 1;
    };
    assert_eq!(in_witness(1, &padded), malformed(1));
    let wrong = |index, expected, byte| {
        let found = PsbtSighashType::from_u32(byte);
        Some(fault(index, SignatureFault::WrongSighash { expected, found }))
    };
    let unknown = |signature: &mut Vec<u8>| *signature.last_mut().unwrap() = 0x41;
    assert_eq!(in_witness(1, &unknown), wrong(1, all(), 0x41));
    assert_eq!(in_witness(3, &|signature| signature.push(0)), wrong(3, default(), 0), "BIP-341 forbids it");
    assert_eq!(in_witness(3, &|signature| signature.push(1)), wrong(3, default(), 1));
    assert_eq!(in_witness(3, &|signature| signature.push(0x41)), wrong(3, default(), 0x41));
}

#[test]
fn an_input_finished_in_another_way_is_refused() {
    let people = People::new();
    let (origination, repayment) = (people.origination(), people.repayment(TRUC));
    let other = |index| Some(ReturnedError::OtherWitness { index });
    let refused = |alter: &dyn Fn(&mut bitcoin::psbt::Input)| {
        refusal(&origination, &people.lender, |psbt| alter(&mut psbt.inputs[2]))
    };
    let lock = &origination.locks[2];
    let signed = psbt(&people.lender.sign(&origination));
    let (key, signature) = signature_of(&signed, 2);
    let good = lock.witness(&[signature.to_vec()]);
    let finish = |input: &mut bitcoin::psbt::Input, witness: Witness, script_sig: Option<ScriptBuf>| {
        input.partial_sigs.clear();
        input.final_script_witness = Some(witness);
        input.final_script_sig = script_sig;
    };
    assert_eq!(refused(&|input| finish(input, good.clone(), Some(lock.script_sig()))), None);
    assert_eq!(refused(&|input| finish(input, good.clone(), None)), other(2), "its program is not revealed");
    let longer = ScriptBuf::from_bytes([lock.script_sig().as_bytes(), &[0x51]].concat());
    assert_eq!(refused(&|input| finish(input, good.clone(), Some(longer.clone()))), other(2));
    let script_sig = || Some(lock.script_sig());
    assert_eq!(refused(&|input| finish(input, Witness::new(), script_sig())), other(2));
    let two = lock.witness(&[signature.to_vec(), signature.to_vec()]);
    assert_eq!(refused(&|input| finish(input, two.clone(), script_sig())), other(2));
    let uncompressed = PublicKey::new_uncompressed(key.inner).to_bytes();
    let witness = Witness::from_slice(&[signature.to_vec(), uncompressed]);
    assert_eq!(refused(&|input| finish(input, witness.clone(), script_sig())), other(2));
    let legacy = |input: &mut bitcoin::psbt::Input| {
        input.partial_sigs.clear();
        input.final_script_sig = Some(ScriptBuf::from_bytes(signature.to_vec()));
    };
    assert_eq!(refused(&legacy), Some(ReturnedError::NotSegwit { index: 2 }));
    let mut native = good.to_vec();
    let unsigned = lock.witness::<&[u8]>(&[]);
    let missing = Some(ReturnedError::MissingSignature { index: 2 });
    assert_eq!(refused(&|input| finish(input, unsigned.clone(), script_sig())), missing);
    native.reverse();
    assert_eq!(refused(&|input| finish(input, Witness::from_slice(&native), script_sig())), other(2));
    // A contract's input with the scripts in another order, or another script's proof.
    let escrow = |alter: &dyn Fn(&mut Vec<Vec<u8>>)| {
        refusal(&repayment, &people.borrower, |psbt| {
            let (_, signature) = psbt.inputs[2].tap_script_sigs.pop_first().unwrap();
            let mut items = repayment.locks[2].witness(&[signature.to_vec()]).to_vec();
            alter(&mut items);
            psbt.inputs[2].final_script_witness = Some(Witness::from_slice(&items));
        })
    };
    assert_eq!(escrow(&|_| {}), None);
    assert_eq!(escrow(&|items| items.swap(1, 2)), other(2));
    assert_eq!(escrow(&|items| items.push(vec![0x50])), other(2), "an annex");
    assert_eq!(escrow(&|items| items[2] = people.escrow.claim_leaf().control_block.serialize()), other(2));
    assert_eq!(escrow(&|items| items.insert(1, vec![])), other(2), "an item more than there are signers");
}
