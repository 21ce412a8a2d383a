//! The first difference between a PSBT and the planned transaction.

use bitcoin::{Address, Network, Psbt, Script};
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::signing::wallet_copy::wallet_copy;
use escrow::contract::transaction::template::Template;

use crate::fault::{Fault, TransactionName};

/// Checks that a wallet would get exactly the planned transaction, byte for byte.
///
/// # Errors
/// The first difference, by name; `purpose` gives the purpose of an output in words.
pub fn check(
    transaction: TransactionName,
    planned: &Template,
    given: &str,
    network: Network,
    purpose: impl Fn(usize) -> String,
) -> Result<(), Fault> {
    let copy = wallet_copy(&planned.psbt);
    if copy == given {
        return Ok(());
    }
    let parsed =
        |text: &str| parse_psbt(text).map_err(|error| Fault::NotAPsbt { transaction, reason: error.to_string() });
    let (ours, theirs) = (parsed(&copy)?, parsed(given)?);
    check_inputs(transaction, &ours, &theirs)?;
    check_outputs(transaction, &ours, &theirs, network, purpose)?;
    let data = ours.inputs.iter().zip(&theirs.inputs).position(|(ours, theirs)| ours != theirs);
    Err(data.map_or(Fault::ForeignData { transaction }, |index| Fault::InputData { transaction, index }))
}

fn check_inputs(transaction: TransactionName, ours: &Psbt, theirs: &Psbt) -> Result<(), Fault> {
    let (ours, theirs) = (&ours.unsigned_tx, &theirs.unsigned_tx);
    if ours.version != theirs.version {
        return Err(Fault::Version { transaction, expected: ours.version.0, found: theirs.version.0 });
    }
    if ours.lock_time != theirs.lock_time {
        return Err(Fault::LockTime { transaction });
    }
    if ours.input.len() != theirs.input.len() {
        return Err(Fault::InputCount { transaction, expected: ours.input.len(), found: theirs.input.len() });
    }
    let mut inputs = ours.input.iter().zip(&theirs.input).enumerate();
    match inputs.find(|(_, (ours, theirs))| ours != theirs) {
        Some((index, (ours, theirs))) => {
            let (expected, found) = (ours.previous_output, theirs.previous_output);
            Err(Fault::Input { transaction, index, expected, found })
        }
        None => Ok(()),
    }
}

fn check_outputs(
    transaction: TransactionName,
    ours: &Psbt,
    theirs: &Psbt,
    network: Network,
    purpose: impl Fn(usize) -> String,
) -> Result<(), Fault> {
    let (ours, theirs) = (&ours.unsigned_tx.output, &theirs.unsigned_tx.output);
    for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let what = purpose(index);
        if ours.script_pubkey != theirs.script_pubkey {
            let [expected, found] = [ours, theirs].map(|output| address(&output.script_pubkey, network));
            return Err(Fault::OutputScript { transaction, index, what, expected, found });
        }
        let (expected, found) = (ours.value, theirs.value);
        if expected != found {
            return Err(Fault::OutputValue { transaction, index, what, expected, found });
        }
    }
    let (expected, found) = (ours.len(), theirs.len());
    if expected == found { Ok(()) } else { Err(Fault::OutputCount { transaction, expected, found }) }
}

/// The address of a script, or the script where it has none.
fn address(script: &Script, network: Network) -> String {
    Address::from_script(script, network).map_or_else(|_| format!("the script {script}"), |address| address.to_string())
}
