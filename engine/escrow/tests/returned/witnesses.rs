//! Tests of signatures and witnesses in non-canonical forms.

use bitcoin::psbt::PsbtSighashType;
use bitcoin::secp256k1::ecdsa::Signature as Secp256k1Signature;
use bitcoin::{Psbt, PublicKey, ScriptBuf, Witness, ecdsa};
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signature_check::SignatureFault;
use escrow::contract::transaction::version::TRUC;

use super::parties::{Parties, psbt};
use super::refusals::{all, default, fault, refusal, signature_of};

/// The order of the group.
const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xba, 0xae, 0xdc,
    0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// The other valid `s`: the group's order minus this one.
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
    let parties = Parties::new();
    let template = parties.origination();
    let refused = |alter: &dyn Fn(&mut Psbt)| refusal(&template, &parties.lender, alter);
    let high = |psbt: &mut Psbt| {
        let (key, signature) = signature_of(psbt, 1);
        let signature = ecdsa::Signature { signature: high_s(&signature.signature), ..signature };
        psbt.inputs[1].partial_sigs.insert(key, signature);
    };
    assert_eq!(refused(&high), Some(fault(1, SignatureFault::HighS)));
    // In a witness the wallet chooses every byte.
    let in_witness = |index: usize, alter: &dyn Fn(&mut Vec<u8>)| {
        refusal(&template, &parties.lender, |psbt| {
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
        // One more leading zero of r.
        signature.insert(4, 0);
        signature[1] += 1;
        signature[3] += 1;
    };
    assert_eq!(in_witness(1, &padded), malformed(1));
    let signed = psbt(&parties.lender.sign(&template));
    // A negative r, which the parser takes for zero.
    let index = [1, 4].into_iter().find(|index| signature_of(&signed, *index).1.to_vec()[3] == 33).unwrap();
    let negative = |signature: &mut Vec<u8>| {
        signature.remove(4);
        signature[1] -= 1;
        signature[3] -= 1;
    };
    assert_eq!(in_witness(index, &negative), malformed(index));
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
fn an_input_finalized_in_another_way_is_refused() {
    let parties = Parties::new();
    let (origination, repayment) = (parties.origination(), parties.repayment(TRUC));
    let other = |index| Some(ReturnedPsbtError::UnexpectedWitness { index });
    let refused = |alter: &dyn Fn(&mut bitcoin::psbt::Input)| {
        refusal(&origination, &parties.lender, |psbt| alter(&mut psbt.inputs[2]))
    };
    let lock = &origination.locks[2];
    let signed = psbt(&parties.lender.sign(&origination));
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
    assert_eq!(refused(&legacy), Some(ReturnedPsbtError::NotSegwit { index: 2 }));
    let mut native = good.to_vec();
    let unsigned = lock.witness::<&[u8]>(&[]);
    let missing = Some(ReturnedPsbtError::MissingSignature { index: 2 });
    assert_eq!(refused(&|input| finish(input, unsigned.clone(), script_sig())), missing);
    native.reverse();
    assert_eq!(refused(&|input| finish(input, Witness::from_slice(&native), script_sig())), other(2));
    // A contract's input with the scripts in another order, or the proof of another script.
    let escrow = |alter: &dyn Fn(&mut Vec<Vec<u8>>)| {
        refusal(&repayment, &parties.borrower, |psbt| {
            let (_, signature) = psbt.inputs[2].tap_script_sigs.pop_first().unwrap();
            let mut items = repayment.locks[2].witness(&[signature.to_vec()]).to_vec();
            alter(&mut items);
            psbt.inputs[2].final_script_witness = Some(Witness::from_slice(&items));
        })
    };
    assert_eq!(escrow(&|_| {}), None);
    assert_eq!(escrow(&|items| items.swap(1, 2)), other(2));
    assert_eq!(escrow(&|items| items.push(vec![0x50])), other(2), "an annex");
    assert_eq!(escrow(&|items| items[2] = parties.escrow.claim_leaf().control_block.serialize()), other(2));
    assert_eq!(escrow(&|items| items.insert(1, vec![])), other(2), "an item more than there are signers");
}
