//! Tests with real signatures: every kind of wallet coin, and invalid signatures of each.

use bitcoin::hashes::Hash as _;
use bitcoin::key::{TapTweak as _, UntweakedPublicKey};
use bitcoin::opcodes::all::{OP_CHECKSIG, OP_RETURN_192};
use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::secp256k1::{All, Keypair, Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::{LeafVersion, TaprootBuilder};
use bitcoin::{
    Amount, CompressedPublicKey, EcdsaSighashType, ScriptBuf, TapLeafHash, TapSighashType, Transaction, TxOut, Witness,
    ecdsa, taproot,
};
use devchain::EmbeddedChain;

use super::node::{node, pays, refusal, send, spend, test};

const INVALID: &str = "mempool-script-verify-flag-failed";
const SATS: u64 = 10_000;

struct Wallet {
    secp: Secp256k1<All>,
    keys: Keypair,
}

impl Wallet {
    fn new() -> Self {
        let secp = Secp256k1::new();
        Self { keys: Keypair::from_seckey_slice(&secp, &[7; 32]).expect("sound values"), secp }
    }

    fn internal(&self) -> UntweakedPublicKey {
        self.keys.x_only_public_key().0
    }

    fn key_hash(&self) -> ScriptBuf {
        ScriptBuf::new_p2wpkh(&CompressedPublicKey(self.keys.public_key()).wpubkey_hash())
    }

    /// A transaction that spends a fresh coin of this script, and the spent output.
    fn unsigned(node: &EmbeddedChain, script: &ScriptBuf) -> (Transaction, TxOut) {
        let output = TxOut { value: Amount::from_sat(SATS), script_pubkey: script.clone() };
        let coin = node.fund(script, output.value).expect("sound values");
        let mut transaction = spend(&[coin], &[pays(9_000)]);
        transaction.input[0].witness = Witness::new();
        (transaction, output)
    }

    fn ecdsa(&self, transaction: &Transaction) -> ecdsa::Signature {
        let (all, value) = (EcdsaSighashType::All, Amount::from_sat(SATS));
        let hash = SighashCache::new(transaction)
            .p2wpkh_signature_hash(0, &self.key_hash(), value, all)
            .expect("sound values");
        let message = Message::from_digest(hash.to_byte_array());
        ecdsa::Signature { signature: self.secp.sign_ecdsa(&message, &self.keys.secret_key()), sighash_type: all }
    }

    fn schnorr(&self, transaction: &Transaction, spent: &TxOut, leaf: Option<TapLeafHash>) -> taproot::Signature {
        let (spent, sighash_type) = (std::slice::from_ref(spent), TapSighashType::Default);
        let mut cache = SighashCache::new(transaction);
        let prevouts = Prevouts::All(spent);
        let (hash, keys) = match leaf {
            None => (
                cache.taproot_key_spend_signature_hash(0, &prevouts, sighash_type),
                self.keys.tap_tweak(&self.secp, None).to_keypair(),
            ),
            Some(leaf) => (cache.taproot_script_spend_signature_hash(0, &prevouts, leaf, sighash_type), self.keys),
        };
        let message = Message::from_digest(hash.expect("sound values").to_byte_array());
        taproot::Signature { signature: self.secp.sign_schnorr_no_aux_rand(&message, &keys), sighash_type }
    }
}

#[test]
fn a_wallets_three_kinds_of_coins_can_be_spent_only_with_its_signature() {
    let (node, wallet) = (node(), Wallet::new());
    let nested = ScriptBuf::new_p2sh(&wallet.key_hash().script_hash());
    for script in [wallet.key_hash(), nested] {
        let (mut transaction, _) = Wallet::unsigned(&node, &script);
        if script.is_p2sh() {
            let push = PushBytesBuf::try_from(wallet.key_hash().into_bytes()).expect("sound values");
            transaction.input[0].script_sig = Builder::new().push_slice(push).into_script();
        }
        assert_eq!(refusal(&node, &transaction), INVALID);
        let signature = wallet.ecdsa(&transaction);
        transaction.input[0].witness = Witness::p2wpkh(&signature, &wallet.keys.public_key());
        let mut changed = transaction.clone();
        changed.output[0].value -= Amount::ONE_SAT;
        assert_eq!(refusal(&node, &changed), INVALID);
        assert_eq!(send(&node, &[transaction]), Ok(()));
    }
    let taproot = ScriptBuf::new_p2tr(&wallet.secp, wallet.internal(), None);
    let (mut transaction, spent) = Wallet::unsigned(&node, &taproot);
    transaction.input[0].witness = Witness::p2tr_key_spend(&wallet.schnorr(&transaction, &spent, None));
    let mut changed = transaction.clone();
    changed.output[0].value -= Amount::ONE_SAT;
    assert_eq!(refusal(&node, &changed), INVALID);
    assert_eq!(send(&node, &[transaction]), Ok(()));
}

#[test]
fn a_signature_has_one_standard_encoding() {
    let (node, wallet) = (node(), Wallet::new());
    let (mut transaction, _) = Wallet::unsigned(&node, &wallet.key_hash());
    let low = wallet.ecdsa(&transaction);
    let compact = low.signature.serialize_compact();
    let s = bitcoin::secp256k1::SecretKey::from_slice(&compact[32..]).expect("sound values").negate();
    let high = bitcoin::secp256k1::ecdsa::Signature::from_compact(&[&compact[..32], &s.secret_bytes()].concat());
    let high = ecdsa::Signature { signature: high.expect("sound values"), sighash_type: low.sighash_type };
    transaction.input[0].witness = Witness::p2wpkh(&high, &wallet.keys.public_key());
    let why = format!("{INVALID} (Non-canonical signature: S value is unnecessarily high)");
    assert_eq!(refusal(&node, &transaction), why);
    // It is only not relayed: it is valid in a block.
    assert_eq!(node.mine_transactions(vec![transaction]), Ok(()));
}

/// Spends a coin by one script of a taproot tree.
fn by_leaf(wallet: &Wallet, node: &EmbeddedChain, script: ScriptBuf, version: LeafVersion) -> Transaction {
    let tree = TaprootBuilder::new().add_leaf_with_ver(0, script.clone(), version).expect("sound values");
    let tree = tree.finalize(&wallet.secp, wallet.internal()).expect("sound values");
    let output = ScriptBuf::new_p2tr_tweaked(tree.output_key());
    let (mut transaction, spent) = Wallet::unsigned(node, &output);
    let leaf = TapLeafHash::from_script(&script, version);
    let signature = wallet.schnorr(&transaction, &spent, Some(leaf));
    let proof = tree.control_block(&(script.clone(), version)).expect("sound values");
    transaction.input[0].witness = Witness::from_slice(&[signature.to_vec(), script.into_bytes(), proof.serialize()]);
    transaction
}

#[test]
fn a_tapscript_is_run_and_undefined_features_are_not_relayed() {
    let (node, wallet) = (node(), Wallet::new());
    let check = Builder::new().push_x_only_key(&wallet.internal()).push_opcode(OP_CHECKSIG).into_script();
    let transaction = by_leaf(&wallet, &node, check.clone(), LeafVersion::TapScript);
    let mut annexed = transaction.clone();
    annexed.input[0].witness.push([0x50]);
    assert_eq!(refusal(&node, &annexed), "bad-witness-nonstandard");
    let mut stuffed = transaction.clone();
    let [signature, script, proof] =
        [0, 1, 2].map(|item| transaction.input[0].witness.nth(item).expect("sound values").to_vec());
    stuffed.input[0].witness = Witness::from_slice(&[vec![1; 81], signature.clone(), script.clone(), proof.clone()]);
    assert_eq!(refusal(&node, &stuffed), "bad-witness-nonstandard");
    let mut forged = transaction.clone();
    let mut wrong = signature;
    wrong[5] ^= 1;
    forged.input[0].witness = Witness::from_slice(&[wrong, script, proof]);
    assert_eq!(refusal(&node, &forged), INVALID);
    assert_eq!(send(&node, &[transaction]), Ok(()));

    let future = by_leaf(&wallet, &node, check, LeafVersion::from_consensus(0xc2).expect("sound values"));
    let why = format!("{INVALID} (Taproot version reserved for soft-fork upgrades)");
    assert_eq!(test(&node, std::slice::from_ref(&future)), Err(why));
    assert_eq!(node.mine_transactions(vec![future]), Ok(()));

    let succeeds = Builder::new().push_opcode(OP_RETURN_192).into_script();
    let future = by_leaf(&wallet, &node, succeeds, LeafVersion::TapScript);
    let why = format!("{INVALID} (OP_SUCCESSx reserved for soft-fork upgrades)");
    assert_eq!(test(&node, std::slice::from_ref(&future)), Err(why));
    assert_eq!(node.mine_transactions(vec![future]), Ok(()));
}
