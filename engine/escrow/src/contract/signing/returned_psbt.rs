//! The PSBT that a wallet returns: only its signatures are taken.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hex::FromHex as _;
use bitcoin::psbt::{Input, PsbtSighashType};
use bitcoin::{Psbt, ScriptBuf, TapSighashType, Transaction, Witness};

use super::returned_psbt_error::ReturnedPsbtError;
use super::signature_check::SignatureCheck;
use super::signatures::Signatures;
use crate::contract::transaction::coin::CoinKey;
use crate::contract::transaction::lock::{Lock, Signer};
use crate::contract::transaction::template::Template;

/// The maximum length of a returned text, in bytes. The transactions of a loan have some thousand; wallets may add the
/// previous transactions, which can be large.
pub const RETURNED_LENGTH_MAX: usize = 1_000_000;

/// The first digits of a PSBT in hexadecimal; in base64 it begins with a `c`.
const HEXADECIMAL_MAGIC: &str = "70736274";

impl Template {
    /// Returns the signatures in the PSBT that a wallet returned, each of them verified; `holder` are the keys that the
    /// wallet signs with, and all of their signatures must be present.
    ///
    /// The text is a PSBT in base64 or hexadecimal. Its transaction must be the one that was handed out. Its claims
    /// about the spent outputs must be true, but the signatures are verified against the template's. An input that the
    /// wallet has finalized is accepted if its witness holds only verified signatures in their places; where several
    /// signers are required, the signatures of the others may be missing. Derivations, unknown and proprietary fields,
    /// and all output fields are ignored.
    ///
    /// # Errors
    /// The first fault found, in the order of [`ReturnedPsbtError`].
    pub fn check_returned(&self, text: &str, holder: &[CoinKey]) -> Result<Signatures, ReturnedPsbtError> {
        let returned = parse_psbt(text)?;
        check_transaction(&self.psbt.unsigned_tx, &returned.unsigned_tx)?;
        let mut check = SignatureCheck::new(self);
        let mut signatures = Signatures::none(self);
        let ours = self.psbt.inputs.iter().zip(&self.locks).zip(&self.psbt.unsigned_tx.input);
        for (index, (((own, lock), spent), input)) in ours.zip(&returned.inputs).enumerate() {
            let returned = ReturnedInput { index, lock, signers: lock.signers(), input };
            returned.check_previous(own, spent.previous_output)?;
            returned.check_scripts(own)?;
            returned.check_declared_sighash()?;
            returned.take_signatures(&mut check, &mut signatures)?;
            returned.take_witness(&mut check, &mut signatures)?;
        }
        let asked = self.requested_slots(holder).find(|(index, place, ..)| signatures.get(*index, *place).is_none());
        match asked {
            Some((index, ..)) => Err(ReturnedPsbtError::MissingSignature { index }),
            None => Ok(signatures),
        }
    }

    /// Returns the signatures that are requested of a wallet with these keys: input, signer, and the first of the keys
    /// that makes the signature. [`Template::check_returned`] refuses an answer in which one of them is missing.
    pub fn requested_signatures<'a>(
        &'a self,
        holder: &'a [CoinKey],
    ) -> impl Iterator<Item = (usize, Signer, CoinKey)> + 'a {
        self.requested_slots(holder).map(|(index, _, signer, key)| (index, signer, key))
    }

    /// The same, with each signer's place in the witness.
    fn requested_slots<'a>(
        &'a self,
        holder: &'a [CoinKey],
    ) -> impl Iterator<Item = (usize, usize, Signer, CoinKey)> + 'a {
        self.possible_signatures().filter_map(|(index, place, signer)| {
            let key = holder.iter().find(|key| signer.matches_key(key))?;
            self.has_declared_sighash(index, &signer).then_some((index, place, signer, *key))
        })
    }

    /// Whether a signature's sighash is the one that the PSBT names for its input.
    fn has_declared_sighash(&self, index: usize, signer: &Signer) -> bool {
        let named = self.psbt.inputs.get(index).and_then(|input| input.sighash_type);
        let whole: PsbtSighashType = match signer {
            Signer::Ecdsa(_) => bitcoin::EcdsaSighashType::All.into(),
            Signer::KeyPath(_) | Signer::Leaf { .. } => TapSighashType::Default.into(),
        };
        named.unwrap_or(whole) == signer.sighash()
    }
}

/// Parses a PSBT in base64 or hexadecimal, without trailing bytes.
///
/// # Errors
/// If it is too long, or not a PSBT.
pub fn parse_psbt(text: &str) -> Result<Psbt, ReturnedPsbtError> {
    if text.len() > RETURNED_LENGTH_MAX {
        return Err(ReturnedPsbtError::TooLong { length: text.len(), max: RETURNED_LENGTH_MAX });
    }
    let bytes = if text.starts_with(HEXADECIMAL_MAGIC) {
        Vec::from_hex(text).map_err(|_| ReturnedPsbtError::NotText)?
    } else {
        STANDARD.decode(text).map_err(|_| ReturnedPsbtError::NotText)?
    };
    let mut rest = bytes.as_slice();
    let psbt = Psbt::deserialize_from_reader(&mut rest)
        .map_err(|error| ReturnedPsbtError::NotPsbt { reason: error.to_string() })?;
    if rest.is_empty() { Ok(psbt) } else { Err(ReturnedPsbtError::NotPsbt { reason: "bytes left over".to_owned() }) }
}

/// Refuses any other transaction than the one that was handed out, naming the difference.
fn check_transaction(ours: &Transaction, theirs: &Transaction) -> Result<(), ReturnedPsbtError> {
    let same = |(one, other): (&bitcoin::TxIn, &bitcoin::TxIn)| one.previous_output == other.previous_output;
    if !ours.input.iter().zip(&theirs.input).any(same) {
        let id = Transaction::compute_txid;
        return Err(ReturnedPsbtError::WrongTransaction { expected: id(ours), found: id(theirs) });
    }
    if theirs.version != ours.version {
        return Err(ReturnedPsbtError::Version { expected: ours.version, found: theirs.version });
    }
    if theirs.lock_time != ours.lock_time {
        return Err(ReturnedPsbtError::LockTime { expected: ours.lock_time, found: theirs.lock_time });
    }
    if theirs.input.len() != ours.input.len() {
        return Err(ReturnedPsbtError::InputCount { expected: ours.input.len(), found: theirs.input.len() });
    }
    for (index, (ours, theirs)) in ours.input.iter().zip(&theirs.input).enumerate() {
        let (expected, found) = (ours.previous_output, theirs.previous_output);
        if found != expected {
            return Err(ReturnedPsbtError::Outpoint { index, expected, found });
        }
        let (expected, found) = (ours.sequence, theirs.sequence);
        if found != expected {
            return Err(ReturnedPsbtError::Sequence { index, expected, found });
        }
    }
    if theirs.output.len() != ours.output.len() {
        return Err(ReturnedPsbtError::OutputCount { expected: ours.output.len(), found: theirs.output.len() });
    }
    let changed = ours.output.iter().zip(&theirs.output).position(|(ours, theirs)| ours != theirs);
    changed.map_or(Ok(()), |index| Err(ReturnedPsbtError::Output { index }))
}

/// An input as returned, with its expected lock.
struct ReturnedInput<'a> {
    index: usize,
    lock: &'a Lock,
    signers: Vec<Signer>,
    input: &'a Input,
}

impl ReturnedInput<'_> {
    /// Checks that its claims about the spent output are true.
    fn check_previous(&self, own: &Input, outpoint: bitcoin::OutPoint) -> Result<(), ReturnedPsbtError> {
        let Self { index, input, .. } = *self;
        if input.witness_utxo.is_some() && input.witness_utxo != own.witness_utxo {
            return Err(ReturnedPsbtError::WitnessUtxo { index });
        }
        let Some(previous) = &input.non_witness_utxo else { return Ok(()) };
        let place = usize::try_from(outpoint.vout).ok();
        let spent = place.and_then(|place| previous.output.get(place));
        let is_spent = spent.is_some() && spent == own.witness_utxo.as_ref();
        if is_spent && previous.compute_txid() == outpoint.txid {
            Ok(())
        } else {
            Err(ReturnedPsbtError::PreviousTransaction { index })
        }
    }

    /// Checks that its scripts and taproot trees are those that were handed out, or absent.
    fn check_scripts(&self, own: &Input) -> Result<(), ReturnedPsbtError> {
        let Self { index, input, .. } = *self;
        if is_foreign(input.redeem_script.as_ref(), own.redeem_script.as_ref()) || input.witness_script.is_some() {
            return Err(ReturnedPsbtError::ForeignScript { index });
        }
        let is_foreign_tree = is_foreign(input.tap_internal_key.as_ref(), own.tap_internal_key.as_ref())
            || is_foreign(input.tap_merkle_root.as_ref(), own.tap_merkle_root.as_ref());
        if is_foreign_tree {
            return Err(ReturnedPsbtError::ForeignTaproot { index });
        }
        let mut leaves = input.tap_scripts.iter();
        if leaves.any(|(control_block, leaf)| own.tap_scripts.get(control_block) != Some(leaf)) {
            return Err(ReturnedPsbtError::UnknownLeaf { index });
        }
        Ok(())
    }

    fn check_declared_sighash(&self) -> Result<(), ReturnedPsbtError> {
        let declared = self.input.sighash_type;
        match declared.filter(|found| self.signers.iter().all(|signer| signer.sighash() != *found)) {
            Some(found) => Err(ReturnedPsbtError::DeclaredSighash { index: self.index, found }),
            None => Ok(()),
        }
    }

    /// Takes the individual signatures.
    fn take_signatures(&self, check: &mut SignatureCheck<'_>, taken: &mut Signatures) -> Result<(), ReturnedPsbtError> {
        let Self { index, input, .. } = *self;
        for (public_key, signature) in &input.partial_sigs {
            let is_its = |signer: &Signer| matches!(signer, Signer::Ecdsa(key) if public_key.compressed && key.0 == public_key.inner);
            self.take(self.signers.iter().position(is_its), &signature.to_vec(), check, taken)?;
        }
        if let Some(signature) = input.tap_key_sig {
            let is_its = |signer: &Signer| matches!(signer, Signer::KeyPath(_));
            self.take(self.signers.iter().position(is_its), &signature.to_vec(), check, taken)?;
        }
        for ((public_key, hash), signature) in &input.tap_script_sigs {
            if !matches!(self.lock, Lock::Script(leaf) if leaf.hash == *hash) {
                return Err(ReturnedPsbtError::UnknownLeaf { index });
            }
            let is_its = |signer: &Signer| matches!(signer, Signer::Leaf { key, .. } if key == public_key);
            self.take(self.signers.iter().position(is_its), &signature.to_vec(), check, taken)?;
        }
        Ok(())
    }

    fn take(
        &self,
        place: Option<usize>,
        signature: &[u8],
        check: &mut SignatureCheck<'_>,
        taken: &mut Signatures,
    ) -> Result<(), ReturnedPsbtError> {
        let index = self.index;
        let signer = place.and_then(|place| Some((place, self.signers.get(place)?)));
        let Some((place, signer)) = signer else { return Err(ReturnedPsbtError::ForeignSignature { index }) };
        let checked = check.check(index, signer, signature);
        checked.map_err(|fault| ReturnedPsbtError::Signature { index, fault })?;
        taken.add(index, place, signature.to_vec());
        Ok(())
    }

    /// Takes the signatures of an input that the wallet has finalized.
    fn take_witness(&self, check: &mut SignatureCheck<'_>, taken: &mut Signatures) -> Result<(), ReturnedPsbtError> {
        let Self { index, input, .. } = *self;
        let other = ReturnedPsbtError::UnexpectedWitness { index };
        let Some(witness) = &input.final_script_witness else {
            let is_unfinished = input.final_script_sig.is_none();
            return if is_unfinished { Ok(()) } else { Err(ReturnedPsbtError::NotSegwit { index }) };
        };
        let script_sig = input.final_script_sig.as_ref().map_or_else(ScriptBuf::new, Clone::clone);
        let signatures = leading_items(witness, &self.lock.witness::<&[u8]>(&[]));
        let Some(signatures) = signatures.filter(|_| script_sig == self.lock.script_sig()) else { return Err(other) };
        let mut places = 0..self.signers.len();
        let has_absent = self.lock.required() < self.signers.len();
        for signature in signatures.into_iter().filter(|item| !(has_absent && item.is_empty())) {
            // A signer that this signature does not belong to has not signed.
            let mut refusal = other.clone();
            let fits = |place: usize| {
                let outcome = self.take(Some(place), signature, check, taken);
                outcome.map_err(|error| refusal = error).is_ok()
            };
            if !places.by_ref().any(fits) {
                return Err(refusal);
            }
        }
        Ok(())
    }
}

/// Whether a field is present and differs.
fn is_foreign<T: PartialEq>(theirs: Option<&T>, ours: Option<&T>) -> bool {
    theirs.is_some() && theirs != ours
}

/// Returns the items of a witness that precede its required end.
fn leading_items<'a>(witness: &'a Witness, end: &Witness) -> Option<Vec<&'a [u8]>> {
    let mut items: Vec<&[u8]> = witness.iter().collect();
    let start = items.len().checked_sub(end.len())?;
    let is_end = items.get(start..)?.iter().copied().eq(end.iter());
    items.truncate(start);
    is_end.then_some(items)
}
