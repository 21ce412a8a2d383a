//! The check of one signer's signatures for a vault's outputs.

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::Message;
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::TapLeafHash;
use bitcoin::{Psbt, TapSighashType, TxOut, XOnlyPublicKey};
use escrow::verification::VERIFICATION;

use crate::request::SignedTransaction;

/// Returns the key by which a signer has signed every input whose script has it; `None` if a signature is missing, of another
/// key, for another transaction, or invalid.
pub(super) fn check(psbt: &Psbt, signed: &SignedTransaction) -> Option<XOnlyPublicKey> {
    let key = signed.signatures.first()?.key?;
    let spent: Option<Vec<TxOut>> = psbt.inputs.iter().map(|input| input.witness_utxo.clone()).collect();
    let spent = spent?;
    let mut cache = SighashCache::new(&psbt.unsigned_tx);
    let mut left = signed.signatures.iter();
    for index in 0..psbt.inputs.len() {
        let Some(leaf) = leaf_with(psbt, index, &key) else { continue };
        let made = left.next().filter(|made| made.index == index && made.key == Some(key))?;
        let hash = cache
            .taproot_script_spend_signature_hash(index, &Prevouts::All(&spent), leaf, TapSighashType::Default)
            .ok()?;
        VERIFICATION.verify_schnorr(&made.signature, &Message::from_digest(hash.to_byte_array()), &key).ok()?;
    }
    left.next().is_none().then_some(key)
}

/// The leaf of an input whose script has this key.
fn leaf_with(psbt: &Psbt, index: usize, key: &XOnlyPublicKey) -> Option<TapLeafHash> {
    let key = key.serialize();
    let mut scripts = psbt.inputs.get(index)?.tap_scripts.values();
    let (script, version) = scripts.find(|(script, _)| script.as_bytes().windows(key.len()).any(|part| part == key))?;
    Some(TapLeafHash::from_script(script, *version))
}
