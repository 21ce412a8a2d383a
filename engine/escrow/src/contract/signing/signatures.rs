//! Verified signatures of one transaction, from all of its signers.

use std::collections::BTreeMap;

use bitcoin::secp256k1::XOnlyPublicKey;
use bitcoin::{Psbt, PublicKey, Txid, ecdsa, taproot};
use thiserror::Error;

use super::signature_check::{SignatureCheck, SignatureFault};
use crate::contract::transaction::lock::{Lock, Signer};
use crate::contract::transaction::template::Template;

/// Signatures that were verified against the template they belong to.
///
/// They are obtained only from the checks of [`Template::check_returned`] and [`Template::check_signature`]. Those of
/// each signer are kept apart until all are present; a party that has yet to sign is not shown those of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// The id of the unsigned transaction.
    transaction: Txid,
    /// The signatures as in the witness, by input and place among its signers.
    by_place: BTreeMap<(usize, usize), Vec<u8>>,
}

/// The signatures belong to another transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("these are signatures of {found}, not of {expected}")]
pub struct TransactionMismatch {
    /// The transaction they should belong to.
    pub expected: Txid,
    /// The transaction they belong to.
    pub found: Txid,
}

/// The reason why a single signature is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// The input does not require a signature of this key, or does not exist.
    #[error("input {index} does not require a signature of this key")]
    ForeignKey {
        /// The input's index.
        index: usize,
    },
    /// The signature is invalid.
    #[error("the signature of input {index} is invalid: {fault}")]
    Fault {
        /// The input's index.
        index: usize,
        /// The reason.
        fault: SignatureFault,
    },
}

impl Signatures {
    /// An empty set.
    pub(crate) fn none(template: &Template) -> Self {
        Self { transaction: template.psbt.unsigned_tx.compute_txid(), by_place: BTreeMap::new() }
    }

    /// Adds a signature. Of two valid ones for the same place the lower is kept, so that their order does not matter.
    pub(crate) fn add(&mut self, index: usize, place: usize, signature: Vec<u8>) {
        let kept = self.by_place.entry((index, place)).or_insert_with(|| signature.clone());
        if signature < *kept {
            *kept = signature;
        }
    }

    /// The signature for this input by the signer at this place.
    #[must_use]
    pub fn get(&self, index: usize, place: usize) -> Option<&[u8]> {
        self.by_place.get(&(index, place)).map(Vec::as_slice)
    }

    /// The number of signatures.
    #[must_use]
    pub fn count(&self) -> usize {
        self.by_place.len()
    }

    /// The number of signatures for this input.
    fn count_of(&self, index: usize) -> usize {
        self.by_place.range((index, 0)..=(index, usize::MAX)).count()
    }

    /// Merges two sets; their order does not matter.
    pub fn merge(mut self, other: Self) -> Result<Self, TransactionMismatch> {
        other.check_transaction(self.transaction)?;
        for ((index, place), signature) in other.by_place {
            self.add(index, place, signature);
        }
        Ok(self)
    }

    pub(crate) fn check_transaction(&self, expected: Txid) -> Result<(), TransactionMismatch> {
        let found = self.transaction;
        if found == expected { Ok(()) } else { Err(TransactionMismatch { expected, found }) }
    }
}

impl Template {
    /// The signatures that are still missing: input and signer; of a script that requires some of its keys, each that
    /// could still sign.
    #[must_use]
    pub fn missing(&self, signatures: &Signatures) -> Vec<(usize, Signer)> {
        let is_finished = |index: usize, lock: &Lock| signatures.count_of(index) >= lock.required();
        let finished: Vec<bool> = self.locks.iter().enumerate().map(|(index, lock)| is_finished(index, lock)).collect();
        let places = self.possible_signatures().filter(|(index, ..)| finished.get(*index) == Some(&false));
        let missing = places.filter(|(index, place, _)| signatures.get(*index, *place).is_none());
        missing.map(|(index, _, signer)| (index, signer)).collect()
    }

    /// All signatures that an input has a place for: input, place among its signers, signer.
    pub(crate) fn possible_signatures(&self) -> impl Iterator<Item = (usize, usize, Signer)> + '_ {
        self.locks.iter().enumerate().flat_map(|(index, lock)| {
            lock.signers().into_iter().enumerate().map(move |(place, signer)| (index, place, signer))
        })
    }

    /// Checks a signature by a key of the input's script that did not come in a wallet's PSBT: a pre-signature of the
    /// repayment, or one by the vault signer.
    pub fn check_signature(
        &self,
        index: usize,
        key: &XOnlyPublicKey,
        signature: &taproot::Signature,
    ) -> Result<Signatures, SignatureError> {
        self.check_signatures(index, [(key, signature)])
    }

    /// Checks signatures by several keys of the input's script, like [`Template::check_signature`].
    pub fn check_signatures<'k>(
        &self,
        index: usize,
        by_keys: impl IntoIterator<Item = (&'k XOnlyPublicKey, &'k taproot::Signature)>,
    ) -> Result<Signatures, SignatureError> {
        let mut check = SignatureCheck::new(self);
        let mut signatures = Signatures::none(self);
        for (key, signature) in by_keys {
            let by_key = |signer: &Signer| matches!(signer, Signer::Leaf { key: own, .. } if own == key);
            let mut places = self.possible_signatures();
            let found = places.find(|(input, _, signer)| *input == index && by_key(signer));
            let Some((_, place, signer)) = found else { return Err(SignatureError::ForeignKey { index }) };
            let bytes = signature.to_vec();
            check.check(index, &signer, &bytes).map_err(|fault| SignatureError::Fault { index, fault })?;
            signatures.add(index, place, bytes);
        }
        Ok(signatures)
    }

    /// Checks a signature by one of the keys of the input's script, whichever it is.
    ///
    /// # Errors
    /// The reason why it is not by the last of `keys`; [`SignatureError::ForeignKey`] without keys.
    pub fn check_signature_by_one(
        &self,
        index: usize,
        keys: &[XOnlyPublicKey],
        signature: &taproot::Signature,
    ) -> Result<Signatures, SignatureError> {
        let mut checked = Err(SignatureError::ForeignKey { index });
        for key in keys {
            checked = self.check_signature(index, key, signature);
            if checked.is_ok() {
                break;
            }
        }
        checked
    }

    /// The PSBT with these signatures, to store or to finalize elsewhere; [`Template::check_returned`] reads it again.
    /// It must not be given to a party that has yet to sign.
    pub fn signed_psbt(&self, signatures: &Signatures) -> Result<Psbt, TransactionMismatch> {
        signatures.check_transaction(self.psbt.unsigned_tx.compute_txid())?;
        let mut psbt = self.psbt.clone();
        for (index, place, signer) in self.possible_signatures() {
            let (Some(bytes), Some(input)) = (signatures.get(index, place), psbt.inputs.get_mut(index)) else {
                continue;
            };
            match signer {
                Signer::Ecdsa(key) => {
                    let signature = ecdsa::Signature::from_slice(bytes).ok();
                    input.partial_sigs.extend(signature.map(|signature| (PublicKey::new(key.0), signature)));
                }
                Signer::KeyPath(_) => input.tap_key_sig = taproot::Signature::from_slice(bytes).ok(),
                Signer::Leaf { key, leaf, .. } => {
                    let signature = taproot::Signature::from_slice(bytes).ok();
                    input.tap_script_sigs.extend(signature.map(|signature| ((key, leaf), signature)));
                }
            }
        }
        Ok(psbt)
    }
}
