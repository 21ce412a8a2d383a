//! Standardness of a transaction on its own, stricter than consensus.

use bitcoin::script::Instruction;
use bitcoin::transaction::Version;
use bitcoin::{Amount, Script, Transaction, TxOut, Weight};

use super::reject_reason::RejectReason;

/// The standard versions.
const VERSIONS: std::ops::RangeInclusive<i32> = 1..=3;
/// The version of transactions that are topologically restricted until confirmation (BIP-431).
pub(crate) const TRUC: Version = Version(3);
/// The maximum size of a `scriptSig`: a 15-of-15 multisig.
const MAX_SIGNATURE_SCRIPT_BYTES: usize = 1_650;
/// The size without witness below which a transaction could be mistaken for a node of a merkle tree.
const MIN_BASE_BYTES: usize = 65;
/// The maximum number of keys in a bare multisig.
const MAX_BARE_KEYS: usize = 3;
/// The size of a bare multisig with that many keys, all of them uncompressed.
const MAX_MULTISIG_BYTES: usize = 3 + MAX_BARE_KEYS * 66;
/// The sizes of a public key, compressed and uncompressed.
const KEY_BYTES: [usize; 2] = [33, 65];
/// The script of pay-to-anchor, a witness program beyond taproot's that needs no signature.
const ANCHOR: &[u8] = &[0x51, 0x02, 0x4e, 0x73];

/// The kind of an output script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptKind {
    /// No kind that nodes know.
    Unknown,
    /// A public key, its hash, or a small multisig.
    Legacy,
    /// The hash of a script.
    ScriptHash,
    /// A witness program of a defined version.
    Witness,
    /// Pay to anchor.
    Anchor,
    /// A witness program of an undefined version.
    FutureWitness,
    /// Data.
    Data,
}

impl ScriptKind {
    pub(crate) fn of(script: &Script) -> Self {
        if script.is_p2wpkh() || script.is_p2wsh() || script.is_p2tr() {
            Self::Witness
        } else if script.is_p2sh() {
            Self::ScriptHash
        } else if script.is_p2pkh() || script.is_p2pk() || is_small_multisig(script) {
            Self::Legacy
        } else if script.is_op_return() {
            if is_push_only(&script.as_bytes()[1..]) { Self::Data } else { Self::Unknown }
        } else if script.as_bytes() == ANCHOR {
            Self::Anchor
        } else if script.is_witness_program() && script.witness_version() != Some(bitcoin::WitnessVersion::V0) {
            Self::FutureWitness
        } else {
            Self::Unknown
        }
    }
}

fn is_push_only(bytes: &[u8]) -> bool {
    Script::from_bytes(bytes).is_push_only()
}

/// Whether a script is a bare multisig of up to three keys.
fn is_small_multisig(script: &Script) -> bool {
    // The length is checked first: the library counts the keys of a script in a byte.
    if script.len() > MAX_MULTISIG_BYTES || !script.is_multisig() {
        return false;
    }
    let pushes = script.instructions().filter_map(|part| match part {
        Ok(Instruction::PushBytes(bytes)) => Some(bytes.len()),
        _ => None,
    });
    let keys: Vec<usize> = pushes.collect();
    (1..=MAX_BARE_KEYS).contains(&keys.len()) && keys.iter().all(|bytes| KEY_BYTES.contains(bytes))
}

/// Checks standardness by the transaction alone.
pub(crate) fn check_standard(transaction: &Transaction) -> Result<(), RejectReason> {
    if !VERSIONS.contains(&transaction.version.0) {
        return Err(RejectReason::Version);
    }
    if transaction.weight() > Weight::from_wu(u64::from(bitcoin::policy::MAX_STANDARD_TX_WEIGHT)) {
        return Err(RejectReason::TooHeavy);
    }
    for input in &transaction.input {
        if input.script_sig.len() > MAX_SIGNATURE_SCRIPT_BYTES {
            return Err(RejectReason::SignatureScriptSize);
        }
        if !input.script_sig.is_push_only() {
            return Err(RejectReason::SignatureScriptNotPushOnly);
        }
    }
    // Data outputs may hold 100,000 bytes: a larger one would exceed the weight limit in any case.
    if transaction.output.iter().any(|output| ScriptKind::of(&output.script_pubkey) == ScriptKind::Unknown) {
        return Err(RejectReason::OutputScript);
    }
    // One dust output is allowed here: a child in the same package may spend it.
    if dust(transaction).count() > 1 {
        return Err(RejectReason::Dust);
    }
    if transaction.base_size() < MIN_BASE_BYTES {
        return Err(RejectReason::TooSmall);
    }
    Ok(())
}

/// The outputs below the dust limit.
pub(crate) fn dust(transaction: &Transaction) -> impl Iterator<Item = u32> {
    let outputs = (0_u32..).zip(&transaction.output);
    outputs.filter(|(_, output)| is_dust(output)).map(|(vout, _)| vout)
}

fn is_dust(output: &TxOut) -> bool {
    super::best_chain::is_spendable(output) && output.value < output.script_pubkey.minimal_non_dust()
}

/// Checks that a transaction with dust pays no fee, so that mining it without its child earns nothing.
pub(crate) fn check_dust_pays_nothing(transaction: &Transaction, fee: Amount) -> Result<(), RejectReason> {
    if fee > Amount::ZERO && dust(transaction).next().is_some() { Err(RejectReason::Dust) } else { Ok(()) }
}
