//! Script verification by Bitcoin Core's own interpreter.

use bitcoin::consensus::serialize;
use bitcoin::{Transaction, TxOut};
use bitcoinconsensus::{
    Utxo, VERIFY_ALL_PRE_TAPROOT, VERIFY_CHECKLOCKTIMEVERIFY, VERIFY_CHECKSEQUENCEVERIFY, VERIFY_TAPROOT,
    verify_with_flags,
};

use super::reject_reason::RejectReason;

/// Every consensus rule.
const ALL: u32 = VERIFY_ALL_PRE_TAPROOT | VERIFY_TAPROOT;
/// The same, without the time locks of scripts.
const WITHOUT_TIME: u32 = ALL & !(VERIFY_CHECKLOCKTIMEVERIFY | VERIFY_CHECKSEQUENCEVERIFY);

/// Checks that every input satisfies the script that it spends; one spent output for each input.
pub(crate) fn check_scripts(transaction: &Transaction, spent: &[TxOut]) -> Result<(), RejectReason> {
    let bytes = serialize(transaction);
    let utxos = spent.iter().map(utxo).collect::<Result<Vec<_>, _>>()?;
    for (index, output) in spent.iter().enumerate() {
        let is_valid = |flags| {
            let script = output.script_pubkey.as_bytes();
            verify_with_flags(script, output.value.to_sat(), &bytes, Some(&utxos), index, flags).is_ok()
        };
        if !is_valid(ALL) {
            return Err(if is_valid(WITHOUT_TIME) { RejectReason::ScriptLocktime } else { RejectReason::Script });
        }
    }
    Ok(())
}

fn utxo(output: &TxOut) -> Result<Utxo, RejectReason> {
    Ok(Utxo {
        script_pubkey: output.script_pubkey.as_bytes().as_ptr(),
        script_pubkey_len: u32::try_from(output.script_pubkey.len()).map_err(|_| RejectReason::Script)?,
        value: i64::try_from(output.value.to_sat()).map_err(|_| RejectReason::Script)?,
    })
}
