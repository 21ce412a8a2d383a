//! Standardness of a transaction's inputs, stricter than consensus.

use bitcoin::opcodes::Class;
use bitcoin::script::Instruction;
use bitcoin::taproot::{LeafVersion, TAPROOT_LEAF_MASK};
use bitcoin::{Script, Transaction, TxIn, TxOut};

use super::reject_reason::RejectReason;
use super::standard::ScriptKind;

/// The maximum number of sigops outside of witnesses in a transaction (BIP-54).
const MAX_LEGACY_SIGOPS: usize = 2_500;
/// The maximum number of sigops of a P2SH script.
const MAX_SCRIPT_HASH_SIGOPS: usize = 15;
/// The maximum size of a P2WSH script, in bytes.
const MAX_WITNESS_SCRIPT_BYTES: usize = 3_600;
/// The maximum number of witness items besides the P2WSH script.
const MAX_STACK_ITEMS: usize = 100;
/// The maximum size of an item besides a P2WSH script or a tapscript, in bytes.
const MAX_STACK_ITEM_BYTES: usize = 80;
/// The first byte of the last item when that is an annex (BIP-341).
const ANNEX: u8 = 0x50;

/// Checks that every spent script is of a standard kind; one spent output for each input.
pub(crate) fn check_inputs(transaction: &Transaction, spent: &[TxOut]) -> Result<(), RejectReason> {
    let mut sigops = 0_usize;
    for (input, output) in transaction.input.iter().zip(spent) {
        sigops = sigops.saturating_add(input.script_sig.count_sigops());
        sigops = sigops.saturating_add(match redeem_script(input, output) {
            Some(redeem) => redeem.count_sigops(),
            None => output.script_pubkey.count_sigops(),
        });
        if sigops > MAX_LEGACY_SIGOPS {
            return Err(RejectReason::NonStandardInputs);
        }
    }
    for (input, output) in transaction.input.iter().zip(spent) {
        let is_known = match ScriptKind::of(&output.script_pubkey) {
            ScriptKind::Unknown | ScriptKind::FutureWitness => false,
            ScriptKind::ScriptHash => {
                redeem_script(input, output).is_some_and(|redeem| redeem.count_sigops() <= MAX_SCRIPT_HASH_SIGOPS)
            }
            ScriptKind::Legacy | ScriptKind::Witness | ScriptKind::Anchor | ScriptKind::Data => true,
        };
        if !is_known {
            return Err(RejectReason::NonStandardInputs);
        }
    }
    Ok(())
}

/// Checks that no witness exceeds the standard limits; one spent output for each input.
pub(crate) fn check_witnesses(transaction: &Transaction, spent: &[TxOut]) -> Result<(), RejectReason> {
    let are_standard =
        transaction.input.iter().zip(spent).filter(|(input, _)| !input.witness.is_empty()).all(|(input, output)| {
            let redeem = redeem_script(input, output);
            let script = redeem.unwrap_or(&output.script_pubkey);
            if ScriptKind::of(&output.script_pubkey) == ScriptKind::Anchor || !script.is_witness_program() {
                return false;
            }
            if script.is_p2wsh() {
                return is_standard_script_witness(input);
            }
            redeem.is_some() || !script.is_p2tr() || is_standard_taproot_witness(input)
        });
    if are_standard { Ok(()) } else { Err(RejectReason::NonStandardWitness) }
}

/// The script that a P2SH input reveals.
fn redeem_script<'a>(input: &'a TxIn, output: &TxOut) -> Option<&'a Script> {
    if !output.script_pubkey.is_p2sh() {
        return None;
    }
    match input.script_sig.instructions().last()? {
        Ok(Instruction::PushBytes(bytes)) => Some(Script::from_bytes(bytes.as_bytes())),
        _ => None,
    }
}

fn is_standard_script_witness(input: &TxIn) -> bool {
    let items = input.witness.len().saturating_sub(1);
    input.witness.last().is_some_and(|script| script.len() <= MAX_WITNESS_SCRIPT_BYTES)
        && items <= MAX_STACK_ITEMS
        && input.witness.iter().take(items).all(|item| item.len() <= MAX_STACK_ITEM_BYTES)
}

fn is_standard_taproot_witness(input: &TxIn) -> bool {
    let last = input.witness.last();
    let Some(beside) = input.witness.len().checked_sub(2) else {
        return true;
    };
    let Some(version) = last.and_then(|item| item.first()) else {
        return false;
    };
    let is_tapscript = *version & TAPROOT_LEAF_MASK == LeafVersion::TapScript.to_consensus();
    let are_short = || input.witness.iter().take(beside).all(|item| item.len() <= MAX_STACK_ITEM_BYTES);
    *version != ANNEX && (!is_tapscript || are_short())
}

/// Checks for script features that are reserved for soft forks, and for malleable signatures; one spent output for each
/// input.
pub(crate) fn check_discouraged(transaction: &Transaction, spent: &[TxOut]) -> Result<(), RejectReason> {
    for (input, output) in transaction.input.iter().zip(spent) {
        let script = &output.script_pubkey;
        if script.is_p2tr() && input.witness.len() > 1 {
            check_leaf(input)?;
        }
        let is_key_hash = |script: &Script| script.is_p2wpkh() || script.is_p2pkh();
        let nested = redeem_script(input, output).is_some_and(is_key_hash);
        if script.is_p2wpkh() || nested {
            check_signature(input.witness.nth(0))?;
        } else if script.is_p2pkh() {
            let first = input.script_sig.instructions().next();
            check_signature(match first {
                Some(Ok(Instruction::PushBytes(bytes))) => Some(bytes.as_bytes()),
                _ => None,
            })?;
        }
    }
    Ok(())
}

fn check_leaf(input: &TxIn) -> Result<(), RejectReason> {
    let version = input.witness.last().and_then(|item| item.first()).map(|byte| byte & TAPROOT_LEAF_MASK);
    if version != Some(LeafVersion::TapScript.to_consensus()) {
        return Err(RejectReason::LeafVersion);
    }
    let script = input.witness.taproot_leaf_script().map_or(Script::from_bytes(&[]), |leaf| leaf.script);
    // Up to such an opcode the script must be parseable; the rest does not matter.
    for part in script.instructions() {
        if let Ok(Instruction::Op(code)) = part
            && code.classify(bitcoin::opcodes::ClassifyContext::TapScript) == Class::SuccessOp
        {
            return Err(RejectReason::OpSuccess);
        }
    }
    Ok(())
}

/// Checks for low S: an ECDSA signature can be turned into another valid one, and nodes relay only one of the two
/// (BIP-62).
fn check_signature(bytes: Option<&[u8]>) -> Result<(), RejectReason> {
    let signature = bytes.and_then(|bytes| bitcoin::ecdsa::Signature::from_slice(bytes).ok());
    let Some(signature) = signature else {
        return Ok(());
    };
    let mut low = signature.signature;
    low.normalize_s();
    if low == signature.signature { Ok(()) } else { Err(RejectReason::HighS) }
}
