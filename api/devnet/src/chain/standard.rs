//! What nodes send on, though more would be valid: the shape of a transaction.

use bitcoin::script::Instruction;
use bitcoin::transaction::Version;
use bitcoin::{Amount, Script, Transaction, TxOut, Weight};

use super::refusal::Refusal;

/// The versions that nodes send on.
const VERSIONS: std::ops::RangeInclusive<i32> = 1..=3;
/// The version of transactions that are topologically restricted until confirmation (BIP-431).
pub(crate) const TRUC: Version = Version(3);
/// Bytes that a signature script may have: a 15-of-15 multisig.
const MAX_SIGNATURE_SCRIPT_BYTES: usize = 1_650;
/// Bytes without witness below which a transaction looks like a node of a merkle tree.
const MIN_BASE_BYTES: usize = 65;
/// Keys that a bare multisig may name.
const MAX_BARE_KEYS: usize = 3;
/// Bytes of a bare multisig with as many keys, none of them compressed.
const MAX_MULTISIG_BYTES: usize = 3 + MAX_BARE_KEYS * 66;
/// Bytes of a public key, compressed and not.
const KEY_BYTES: [usize; 2] = [33, 65];
/// Script versions beyond taproot's that everybody can spend: pay to anchor.
const ANCHOR: &[u8] = &[0x51, 0x02, 0x4e, 0x73];

/// What an output's script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptKind {
    /// None that nodes know.
    Unknown,
    /// A key, its hash, or a few keys.
    Legacy,
    /// The hash of a script.
    ScriptHash,
    /// A witness program of a version that has a meaning.
    Witness,
    /// Pay to anchor.
    Anchor,
    /// A witness program of a version that has none yet.
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

/// Some of up to three keys.
fn is_small_multisig(script: &Script) -> bool {
    // Length first: the library counts the keys of a script in a byte.
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

/// Whether nodes would send it on, going by the transaction alone.
pub(crate) fn check_standard(transaction: &Transaction) -> Result<(), Refusal> {
    if !VERSIONS.contains(&transaction.version.0) {
        return Err(Refusal::Version);
    }
    if transaction.weight() > Weight::from_wu(u64::from(bitcoin::policy::MAX_STANDARD_TX_WEIGHT)) {
        return Err(Refusal::TooHeavy);
    }
    for input in &transaction.input {
        if input.script_sig.len() > MAX_SIGNATURE_SCRIPT_BYTES {
            return Err(Refusal::SignatureScriptSize);
        }
        if !input.script_sig.is_push_only() {
            return Err(Refusal::SignatureScriptNotPushOnly);
        }
    }
    // Data outputs may hold 100,000 bytes: more would be too heavy in any case.
    if transaction.output.iter().any(|output| ScriptKind::of(&output.script_pubkey) == ScriptKind::Unknown) {
        return Err(Refusal::OutputScript);
    }
    // One is let through here: a child in the same package may spend it.
    if dust(transaction).count() > 1 {
        return Err(Refusal::Dust);
    }
    if transaction.base_size() < MIN_BASE_BYTES {
        return Err(Refusal::TooSmall);
    }
    Ok(())
}

/// The outputs that cost more to spend than they hold.
pub(crate) fn dust(transaction: &Transaction) -> impl Iterator<Item = u32> {
    let outputs = (0_u32..).zip(&transaction.output);
    outputs.filter(|(_, output)| is_dust(output)).map(|(vout, _)| vout)
}

fn is_dust(output: &TxOut) -> bool {
    super::best_chain::is_spendable(output) && output.value < output.script_pubkey.minimal_non_dust()
}

/// Dust is allowed only to a transaction that pays nothing, so that nobody gains by mining it without what spends it.
pub(crate) fn check_dust_pays_nothing(transaction: &Transaction, fee: Amount) -> Result<(), Refusal> {
    if fee > Amount::ZERO && dust(transaction).next().is_some() { Err(Refusal::Dust) } else { Ok(()) }
}
