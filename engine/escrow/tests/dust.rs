//! Tests of the dust limit of every kind of script against Bitcoin Core's.
//!
//! All builders use `Script::minimal_non_dust`, so these results apply to them.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

use bitcoin::hashes::{Hash as _, hash160, sha256};
use bitcoin::opcodes::all::{OP_CHECKMULTISIG, OP_PUSHNUM_1, OP_PUSHNUM_2};
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::secp256k1::{Keypair, Secp256k1, SecretKey};
use bitcoin::{
    Address, Amount, FeeRate, Network, OutPoint, PubkeyHash, PublicKey, ScriptBuf, ScriptHash, Txid, WPubkeyHash,
    WScriptHash, WitnessProgram, WitnessVersion,
};
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::vault::vault_exit::{ExitError, VaultExit};
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal, WithdrawalError};
use escrow::contract::vault::{Vault, VaultTerms};
use proptest::prelude::*;

fn keys(byte: u8) -> Keypair {
    Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap()
}

/// Every standard kind of output, with its dust limit at Bitcoin Core's default of 3 sats per virtual byte.
fn kinds() -> Vec<(&'static str, ScriptBuf, u64)> {
    let hash = hash160::Hash::hash(b"recipient").to_byte_array();
    let long_hash = sha256::Hash::hash(b"recipient").to_byte_array();
    let secret = SecretKey::from_slice(&[1; 32]).unwrap();
    let key = PublicKey::new(secret.public_key(&Secp256k1::new()));
    let long_key = PublicKey::new_uncompressed(key.inner);
    let program = |version, bytes: &[u8]| ScriptBuf::new_witness_program(&WitnessProgram::new(version, bytes).unwrap());
    let multisig = Builder::new()
        .push_opcode(OP_PUSHNUM_1)
        .push_key(&key)
        .push_key(&key)
        .push_opcode(OP_PUSHNUM_2)
        .push_opcode(OP_CHECKMULTISIG);
    let internal = keys(1).x_only_public_key().0;
    vec![
        ("P2WPKH", ScriptBuf::new_p2wpkh(&WPubkeyHash::from_byte_array(hash)), 294),
        ("P2WSH", ScriptBuf::new_p2wsh(&WScriptHash::from_byte_array(long_hash)), 330),
        ("P2TR", ScriptBuf::new_p2tr(&Secp256k1::new(), internal, None), 330),
        ("a vault", vault().output().script_pubkey(), 330),
        ("P2SH", ScriptBuf::new_p2sh(&ScriptHash::from_byte_array(hash)), 540),
        ("P2PKH", ScriptBuf::new_p2pkh(&PubkeyHash::from_byte_array(hash)), 546),
        ("P2PK", ScriptBuf::new_p2pk(&key), 576),
        ("P2PK, uncompressed", ScriptBuf::new_p2pk(&long_key), 672),
        ("a bare multisig", multisig.into_script(), 684),
        ("pay to anchor", program(WitnessVersion::V1, &[0x4e, 0x73]), 240),
        ("a later witness version", program(WitnessVersion::V16, &long_hash), 330),
        ("data", ScriptBuf::new_op_return(PushBytesBuf::try_from(vec![7; 80]).unwrap()), 0),
    ]
}

fn vault() -> Vault {
    let key = |byte| keys(byte).x_only_public_key().0;
    Vault::new(VaultTerms { lender_id: 3, signers: key(2).into(), lender: key(1) }).unwrap()
}

#[test]
fn every_kind_of_output_has_the_dust_limit_of_bitcoin_core() {
    for (kind, script, least) in kinds() {
        assert_eq!(script.minimal_non_dust(), Amount::from_sat(least), "{kind}");
    }
}

#[test]
fn no_dust_leaves_a_vault() {
    let vault = vault();
    let outpoint = OutPoint::new(Txid::from_byte_array([6; 32]), 1);
    for (kind, destination, least) in kinds() {
        if destination == vault.output().script_pubkey() {
            continue;
        }
        let min = Amount::from_sat(least);
        let build = |sats: u64| {
            let outputs = [(outpoint, Amount::from_sat(sats))];
            let (vault, outputs, destination, fee_rate) = (&vault, &outputs, &destination, FeeRate::BROADCAST_MIN);
            let exit = VaultExit { vault, outputs, destination, fee_rate }.build();
            let withdrawal =
                VaultWithdrawal { vault, outputs, destination, share: Share::All, fee_rate, change_outputs: 1 }.build();
            (exit, withdrawal)
        };
        let (exit, withdrawal) = build(100_000);
        if Address::from_script(&destination, Network::Bitcoin).is_err() {
            let refusal = AssemblyError::NoAddress { index: 0 };
            assert_eq!((exit, withdrawal), (Err(refusal.clone().into()), Err(refusal.into())), "{kind}");
            continue;
        }
        // The fees do not depend on the amount; exactly at the limit there is an output, and with a sat less there is
        // none.
        let fees = [exit.unwrap(), withdrawal.unwrap()].map(|template| template.fee().unwrap().to_sat());
        let at = |place: usize, spare: u64| fees[place] + least - spare;
        assert_eq!(build(at(0, 0)).0.unwrap().output_amounts(), [min], "{kind}");
        assert_eq!(build(at(1, 0)).1.unwrap().output_amounts(), [min], "{kind}");
        let amount = Amount::from_sat(at(0, 1));
        assert_eq!(build(at(0, 1)).0, Err(ExitError::TooSmall { amount, min }), "{kind}");
        let amount = Amount::from_sat(at(1, 1));
        assert_eq!(build(at(1, 1)).1, Err(WithdrawalError::TooSmall { amount, min }), "{kind}");
    }
}

/// Generates any scripts, and witness programs of any version and length.
fn script_bytes() -> impl Strategy<Value = Vec<u8>> {
    let any_bytes = prop::collection::vec(any::<u8>(), 0..300);
    let version = prop_oneof![Just(0_u8), 0x51_u8..=0x60];
    let programs = (version, prop::collection::vec(any::<u8>(), 2..=40)).prop_map(|(version, program)| {
        let length = u8::try_from(program.len()).unwrap();
        [&[version, length][..], &program].concat()
    });
    prop_oneof![any_bytes, programs]
}

proptest! {
    #[test]
    fn the_dust_limit_pays_for_the_output_and_for_spending_it(bytes in script_bytes()) {
        // Bitcoin Core's rule: 3 sats for each byte of the output and of the input that will spend it, with the witness
        // counted at a quarter; nothing for unspendable outputs.
        let script = ScriptBuf::from_bytes(bytes);
        let length = u64::try_from(script.len()).unwrap();
        let output = 8 + if length < 253 { 1 } else { 3 } + length;
        let input = if script.is_witness_program() { 32 + 4 + 1 + 107 / 4 + 4 } else { 32 + 4 + 1 + 107 + 4 };
        let expected = if script.is_op_return() { 0 } else { 3 * (output + input) };
        prop_assert_eq!(script.minimal_non_dust(), Amount::from_sat(expected));
    }
}
