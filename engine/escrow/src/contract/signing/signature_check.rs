//! Verification of the signature that an input requires.

use bitcoin::hashes::Hash as _;
use bitcoin::key::TapTweak as _;
use bitcoin::psbt::PsbtSighashType;
use bitcoin::secp256k1::{Message, XOnlyPublicKey};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::{EcdsaSighashType, ScriptBuf, TapSighashType, Transaction, TxOut};
use thiserror::Error;

use crate::contract::transaction::lock::Signer;
use crate::contract::transaction::template::Template;
use crate::strict_encoding::{EncodingFault, strict_ecdsa, strict_schnorr};
use crate::verification::VERIFICATION;

/// The fault of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SignatureFault {
    /// Not in the canonical encoding.
    #[error("it is not in the canonical encoding")]
    Malformed,
    /// The high one of the two `s` values that verify (BIP-146).
    #[error("its s value is high")]
    HighS,
    /// The sighash type differs from the required one.
    #[error("its sighash type is {found}, and {expected} is required")]
    WrongSighash {
        /// The required sighash type.
        expected: PsbtSighashType,
        /// The sighash type found.
        found: PsbtSighashType,
    },
    /// The signature is valid for another input.
    #[error("it belongs to input {other}")]
    OtherInput {
        /// The input that it is valid for.
        other: usize,
    },
    /// The signature is not by this key, or not for this transaction and the outputs that it spends.
    #[error("it does not verify")]
    Invalid,
}

/// Checks signatures of one template, against the outputs that the template spends.
pub(crate) struct SignatureCheck<'a> {
    template: &'a Template,
    prevouts: Vec<TxOut>,
    cache: SighashCache<&'a Transaction>,
}

impl<'a> SignatureCheck<'a> {
    pub(crate) fn new(template: &'a Template) -> Self {
        let prevouts = template.psbt.inputs.iter().filter_map(|input| input.witness_utxo.clone()).collect();
        let cache = SighashCache::new(&template.psbt.unsigned_tx);
        Self { template, prevouts, cache }
    }

    /// Checks the bytes of a signature as they would be in the witness.
    pub(crate) fn check(&mut self, index: usize, signer: &Signer, signature: &[u8]) -> Result<(), SignatureFault> {
        let expected = signer.sighash();
        let found = sighash_of(signer, signature)?;
        if found != expected {
            return Err(SignatureFault::WrongSighash { expected, found });
        }
        if self.verifies(index, signer, signature) {
            return Ok(());
        }
        let inputs = self.template.locks.iter().enumerate();
        let others = inputs.filter(|(_, lock)| lock.signers().contains(signer));
        let others: Vec<usize> = others.map(|(other, _)| other).collect();
        match others.into_iter().find(|other| self.verifies(*other, signer, signature)) {
            Some(other) => Err(SignatureFault::OtherInput { other }),
            None => Err(SignatureFault::Invalid),
        }
    }

    fn verifies(&mut self, index: usize, signer: &Signer, signature: &[u8]) -> bool {
        match signer {
            Signer::Ecdsa(key) => {
                let program = ScriptBuf::new_p2wpkh(&key.wpubkey_hash());
                let Some(value) = self.prevouts.get(index).map(|output| output.value) else { return false };
                let hash = self.cache.p2wpkh_signature_hash(index, &program, value, EcdsaSighashType::All);
                let (Ok(hash), Ok(signature)) = (hash, strict_ecdsa(signature)) else { return false };
                let message = Message::from_digest(hash.to_byte_array());
                VERIFICATION.verify_ecdsa(&message, &signature.signature, &key.0).is_ok()
            }
            Signer::KeyPath(key) => {
                let all = Prevouts::All(&self.prevouts);
                let hash = self.cache.taproot_key_spend_signature_hash(index, &all, TapSighashType::Default);
                let Ok(hash) = hash else { return false };
                let (key, _parity) = key.tap_tweak(&VERIFICATION, None);
                let message = Message::from_digest(hash.to_byte_array());
                verifies_schnorr(message, &key.to_x_only_public_key(), signature)
            }
            Signer::Leaf { key, leaf, sighash } => {
                let all = Prevouts::All(&self.prevouts);
                let hash = self.cache.taproot_script_spend_signature_hash(index, &all, *leaf, *sighash);
                let Ok(hash) = hash else { return false };
                verifies_schnorr(Message::from_digest(hash.to_byte_array()), key, signature)
            }
        }
    }
}

fn verifies_schnorr(message: Message, key: &XOnlyPublicKey, signature: &[u8]) -> bool {
    strict_schnorr(signature)
        .is_ok_and(|signature| VERIFICATION.verify_schnorr(&signature.signature, &message, key).is_ok())
}

/// The sighash type of a signature, from its trailing byte.
fn sighash_of(signer: &Signer, signature: &[u8]) -> Result<PsbtSighashType, SignatureFault> {
    let sighash = match signer {
        Signer::Ecdsa(_) => strict_ecdsa(signature).map(|signature| signature.sighash_type.into()),
        Signer::KeyPath(_) | Signer::Leaf { .. } => {
            strict_schnorr(signature).map(|signature| signature.sighash_type.into())
        }
    };
    match sighash {
        Ok(sighash) => Ok(sighash),
        Err(EncodingFault::UnknownSighash(found)) => Err(SignatureFault::WrongSighash {
            expected: signer.sighash(),
            found: PsbtSighashType::from_u32(u32::from(found)),
        }),
        Err(EncodingFault::HighS) => Err(SignatureFault::HighS),
        Err(EncodingFault::Malformed) => Err(SignatureFault::Malformed),
    }
}
