//! Named changes to a PSBT, none of which may be signed in place of the original.
//!
//! The server checks what wallets return, the signers check what the server requests, and the verifier in the browser
//! checks what the wallet is handed. The tests of all three use this one list, each on every transaction that it sees.

use bitcoin::absolute::LockTime;
use bitcoin::hashes::Hash as _;
use bitcoin::psbt::{Input, Output};
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Psbt, Script, ScriptBuf, Sequence, TxIn, TxOut, Txid, Witness};

/// The number of names that each of the three tests refuses at least.
pub const NAMES_MIN: usize = 150;

/// A changed PSBT.
#[derive(Clone, Debug)]
pub struct Tampering {
    /// The change. Inputs and outputs are counted from 0.
    pub name: String,
    /// The PSBT with this one change.
    pub psbt: Psbt,
}

/// A change of one input or output, by its index.
type Change<'a> = (&'a str, &'a dyn Fn(&mut Psbt, usize));

/// Returns every change to this PSBT. The attacker is the script that receives what is stolen.
///
/// # Panics
/// If an input does not show the output that it spends.
#[must_use]
pub fn tamperings(honest: &Psbt, attacker: &Script) -> Vec<Tampering> {
    let mut all = Vec::new();
    let mut add = |name: String, change: &dyn Fn(&mut Psbt)| {
        let mut psbt = honest.clone();
        change(&mut psbt);
        // A change to what the transaction has already, such as a version, changes nothing.
        if psbt != *honest {
            all.push(Tampering { name, psbt });
        }
    };
    for version in 1..=3 {
        add(format!("version {version}"), &|psbt| psbt.unsigned_tx.version = Version(version));
    }
    for (name, lock_time) in [("no", 0), ("a height as", 900_000), ("a second as", 1_900_000_001)] {
        add(format!("{name} lock time"), &|psbt| psbt.unsigned_tx.lock_time = LockTime::from_consensus(lock_time));
    }
    for (place, is_first) in [("first", true), ("last", false)] {
        add(format!("another input as the {place}"), &|psbt| {
            let index = if is_first { 0 } else { psbt.inputs.len() };
            insert_input(psbt, index, attacker);
        });
        add(format!("another output as the {place}"), &|psbt| {
            let index = if is_first { 0 } else { psbt.outputs.len() };
            psbt.unsigned_tx
                .output
                .insert(index, TxOut { value: Amount::from_sat(600), script_pubkey: attacker.into() });
            psbt.outputs.insert(index, Output::default());
        });
    }
    let of_inputs: [Change; 10] = [
        ("spends another output of the same transaction", &|psbt, index| spent(psbt, index).vout += 1),
        ("spends an output of another transaction", &|psbt, index| {
            spent(psbt, index).txid = Txid::from_byte_array([7; 32]);
        }),
        ("is final", &|psbt, index| psbt.unsigned_tx.input[index].sequence = Sequence::MAX),
        ("waits for blocks", &|psbt, index| psbt.unsigned_tx.input[index].sequence = Sequence::from_height(9)),
        ("is missing", &|psbt, index| drop((psbt.unsigned_tx.input.remove(index), psbt.inputs.remove(index)))),
        ("is there twice", &|psbt, index| {
            psbt.unsigned_tx.input.push(psbt.unsigned_tx.input[index].clone());
            psbt.inputs.push(psbt.inputs[index].clone());
        }),
        ("changes places with the next", &|psbt, index| {
            let next = (index + 1) % psbt.inputs.len();
            psbt.unsigned_tx.input.swap(index, next);
            psbt.inputs.swap(index, next);
        }),
        ("shows a sat more", &|psbt, index| shown(psbt, index).value += Amount::ONE_SAT),
        ("shows a sat less", &|psbt, index| shown(psbt, index).value -= Amount::ONE_SAT),
        ("shows another owner", &|psbt, index| shown(psbt, index).script_pubkey = attacker.into()),
    ];
    for index in 0..honest.inputs.len() {
        for (name, change) in of_inputs {
            add(format!("input {index} {name}"), &|psbt| change(psbt, index));
        }
    }
    let of_outputs: [Change; 8] = [
        ("pays the attacker", &|psbt, index| psbt.unsigned_tx.output[index].script_pubkey = attacker.into()),
        ("pays no one", &|psbt, index| psbt.unsigned_tx.output[index].script_pubkey = ScriptBuf::new_op_return([])),
        ("pays a sat more", &|psbt, index| psbt.unsigned_tx.output[index].value += Amount::ONE_SAT),
        ("pays a sat less", &|psbt, index| {
            let value = &mut psbt.unsigned_tx.output[index].value;
            *value = value.checked_sub(Amount::ONE_SAT).unwrap_or(Amount::ZERO);
        }),
        ("pays nothing", &|psbt, index| psbt.unsigned_tx.output[index].value = Amount::ZERO),
        ("is missing", &|psbt, index| drop((psbt.unsigned_tx.output.remove(index), psbt.outputs.remove(index)))),
        ("is there twice", &|psbt, index| {
            psbt.unsigned_tx.output.push(psbt.unsigned_tx.output[index].clone());
            psbt.outputs.push(Output::default());
        }),
        ("changes places with the next", &|psbt, index| {
            let next = (index + 1) % psbt.outputs.len();
            psbt.unsigned_tx.output.swap(index, next);
            psbt.outputs.swap(index, next);
        }),
    ];
    for index in 0..honest.outputs.len() {
        for (name, change) in of_outputs {
            add(format!("output {index} {name}"), &|psbt| change(psbt, index));
        }
    }
    all
}

fn spent(psbt: &mut Psbt, index: usize) -> &mut OutPoint {
    &mut psbt.unsigned_tx.input[index].previous_output
}

#[expect(clippy::expect_used, reason = "documented")]
fn shown(psbt: &mut Psbt, index: usize) -> &mut TxOut {
    psbt.inputs[index].witness_utxo.as_mut().expect("the spent output")
}

fn insert_input(psbt: &mut Psbt, index: usize, owner: &Script) {
    let input = TxIn {
        previous_output: OutPoint::new(Txid::from_byte_array([8; 32]), 0),
        script_sig: ScriptBuf::new(),
        sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
        witness: Witness::new(),
    };
    psbt.unsigned_tx.input.insert(index, input);
    let output = TxOut { value: Amount::from_sat(5_000), script_pubkey: owner.into() };
    psbt.inputs.insert(index, Input { witness_utxo: Some(output), ..Input::default() });
}
