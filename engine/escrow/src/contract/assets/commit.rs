//! The commit output, which holds an inscription until its reveal.

use bitcoin::taproot::{LeafVersion, TaprootBuilder};
use bitcoin::{Amount, OutPoint, ScriptBuf, TapLeafHash, TxOut, XOnlyPublicKey};
use thiserror::Error;

use super::inscription::{Inscription, InscriptionError};
use crate::contract::transaction::leaf::{Leaf, LeafSigner};
use crate::contract::transaction::lock::Lock;
use crate::contract::transaction::spend::{SEQUENCE, Spend};
use crate::contract::transaction::unspendable::{Purpose, unspendable_key};
use crate::verification::VERIFICATION;

/// A taproot output that one key can spend, and only by revealing the inscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    script_pubkey: ScriptBuf,
    leaf: Leaf,
}

/// The reason why there can be no such commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CommitError {
    /// The content cannot be inscribed.
    #[error(transparent)]
    Inscription(#[from] InscriptionError),
    /// The id gives no key, which happens for one in 2^127.
    #[error("this id gives no internal key: take another")]
    UnusableId,
}

impl Commit {
    /// Builds the commit to an inscription that `key` will reveal.
    pub fn new(inscription: &Inscription, key: XOnlyPublicKey, purpose: Purpose) -> Result<Self, CommitError> {
        let script = inscription.script(key)?;
        let tree = || {
            let internal = unspendable_key(purpose)?;
            TaprootBuilder::new().add_leaf(0, script.clone()).ok()?.finalize(&VERIFICATION, internal).ok()
        };
        let spend_info = tree().ok_or(CommitError::UnusableId)?;
        let control_block = spend_info.control_block(&(script.clone(), LeafVersion::TapScript));
        let leaf = Leaf {
            hash: TapLeafHash::from_script(&script, LeafVersion::TapScript),
            control_block: control_block.ok_or(CommitError::UnusableId)?,
            merkle_root: spend_info.merkle_root(),
            signers: vec![LeafSigner::with_default_sighash(key)],
            required: 1,
            sequence: SEQUENCE,
            script,
        };
        Ok(Self { script_pubkey: ScriptBuf::new_p2tr_tweaked(spend_info.output_key()), leaf })
    }

    /// The commit output of this value.
    #[must_use]
    pub fn output(&self, value: Amount) -> TxOut {
        TxOut { value, script_pubkey: self.script_pubkey.clone() }
    }

    /// The reveal script.
    #[must_use]
    pub const fn leaf(&self) -> &Leaf {
        &self.leaf
    }

    /// Spends the output by the reveal script.
    #[must_use]
    pub fn spend(&self, outpoint: OutPoint, value: Amount) -> Spend<'_> {
        Spend::Script { outpoint, output: self.output(value), leaf: &self.leaf }
    }
}

/// Whether this lock of `spent` reveals this inscription and requires the signature of `key` alone.
pub(crate) fn is_reveal_of(lock: &Lock, spent: &TxOut, inscription: &Inscription, key: XOnlyPublicKey) -> bool {
    let Lock::Script(leaf) = lock else { return false };
    let is_expected =
        Inscription::read(&leaf.script).is_some_and(|(own, content)| own == key && content == *inscription);
    let signs = leaf.signers.iter().map(|signer| signer.key).eq([key]);
    let program = spent.script_pubkey.as_bytes().get(2..).filter(|_| spent.script_pubkey.is_p2tr());
    let output_key = program.and_then(|program| XOnlyPublicKey::from_slice(program).ok());
    let proves = |output_key| leaf.control_block.verify_taproot_commitment(&VERIFICATION, output_key, &leaf.script);
    is_expected && signs && output_key.is_some_and(proves)
}
