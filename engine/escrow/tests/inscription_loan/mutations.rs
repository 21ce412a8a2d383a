//! All single changes of a finished transaction.

use bitcoin::absolute::LockTime;
use bitcoin::transaction::Version;
use bitcoin::{Amount, ScriptBuf, Sequence, Weight};
use escrow::contract::transaction::template::Template;

/// A change, and the changed transaction.
type Mutation = (String, Template);

/// Fails if a final check, which accepts the unchanged transaction, accepts any change.
///
/// Only outputs from `first_movable` on may change places, because that changes no party's amount.
pub(super) fn assert_all_found<E: std::fmt::Debug>(
    template: &Template,
    first_movable: usize,
    check: impl Fn(&Template) -> Result<(), E>,
) {
    check(template).expect("the transaction as it was built");
    let mutations =
        [of_outputs(template, first_movable), of_sats(template), of_inputs(template), of_form(template)].concat();
    assert!(mutations.len() > 100, "only {} changes", mutations.len());
    for (what, mutation) in mutations {
        assert!(check(&mutation).is_err(), "{what}");
    }
}

fn mutated(template: &Template, what: String, change: impl FnOnce(&mut Template)) -> Option<Mutation> {
    let mut mutation = template.clone();
    change(&mut mutation);
    (mutation != *template).then_some((what, mutation))
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count)
        .flat_map(move |first| (0..count).map(move |second| (first, second)))
        .filter(|(first, second)| first != second)
}

fn of_outputs(template: &Template, first_movable: usize) -> Vec<Mutation> {
    let outputs = template.psbt.unsigned_tx.output.len();
    let other_script = ScriptBuf::new_op_return([7; 20]);
    let swapped = pairs(outputs).filter(|(first, second)| first < second && *first < first_movable).filter_map(
        |(first, second)| {
            mutated(template, format!("outputs {first} and {second} change places"), |altered| {
                altered.psbt.unsigned_tx.output.swap(first, second);
            })
        },
    );
    let each = (0..outputs).flat_map(|index| {
        let dropped = mutated(template, format!("output {index} is missing"), |altered| {
            altered.psbt.unsigned_tx.output.remove(index);
        });
        let doubled = mutated(template, format!("output {index} is there twice"), |altered| {
            let output = altered.psbt.unsigned_tx.output[index].clone();
            altered.psbt.unsigned_tx.output.push(output);
        });
        let misdirected = mutated(template, format!("output {index} pays another script"), |altered| {
            altered.psbt.unsigned_tx.output[index].script_pubkey = other_script.clone();
        });
        [dropped, doubled, misdirected].into_iter().flatten()
    });
    swapped.chain(each).collect()
}

/// Moves sats between outputs, and lowers or raises the value of single outputs.
fn of_sats(template: &Template) -> Vec<Mutation> {
    let amounts = template.output_amounts();
    let moved = pairs(amounts.len()).flat_map(|(from, to)| {
        let some = [1, 294, 600].map(Amount::from_sat).into_iter().filter(|some| *some <= amounts[from]);
        let moved = some.filter_map(|some| {
            mutated(template, format!("{some} from output {from} to output {to}"), |altered| {
                altered.psbt.unsigned_tx.output[from].value -= some;
                altered.psbt.unsigned_tx.output[to].value += some;
            })
        });
        moved.collect::<Vec<_>>()
    });
    let each = (0..amounts.len()).flat_map(|index| {
        let less = amounts[index].checked_sub(Amount::ONE_SAT);
        let values = less.into_iter().chain([amounts[index] + Amount::ONE_SAT, Amount::MAX]);
        let changed = values.filter_map(|value| {
            mutated(template, format!("output {index} holds {value}"), |altered| {
                altered.psbt.unsigned_tx.output[index].value = value;
            })
        });
        changed.collect::<Vec<_>>()
    });
    moved.chain(each).collect()
}

fn of_inputs(template: &Template) -> Vec<Mutation> {
    let inputs = template.psbt.unsigned_tx.input.len();
    let swapped = pairs(inputs).filter(|(first, second)| first < second).filter_map(|(first, second)| {
        mutated(template, format!("inputs {first} and {second} change places"), |altered| {
            altered.psbt.unsigned_tx.input.swap(first, second);
            altered.psbt.inputs.swap(first, second);
            altered.locks.swap(first, second);
        })
    });
    let each = (0..inputs).flat_map(|index| {
        let dropped = mutated(template, format!("input {index} is missing"), |altered| {
            altered.psbt.unsigned_tx.input.remove(index);
            altered.psbt.inputs.remove(index);
            altered.locks.remove(index);
        });
        let other = mutated(template, format!("input {index} spends another coin"), |altered| {
            altered.psbt.unsigned_tx.input[index].previous_output.vout += 1;
        });
        let late = mutated(template, format!("input {index} waits"), |altered| {
            altered.psbt.unsigned_tx.input[index].sequence = Sequence::from_height(1);
        });
        let misstated = mutated(template, format!("input {index} is stated to hold more"), |altered| {
            altered.psbt.inputs[index].witness_utxo.as_mut().expect("it is segwit").value += Amount::ONE_SAT;
        });
        let lock = mutated(template, format!("input {index} has the lock of the first"), |altered| {
            altered.locks[index] = altered.locks[0].clone();
        });
        [dropped, other, late, misstated, lock].into_iter().flatten()
    });
    swapped.chain(each).collect()
}

fn of_form(template: &Template) -> Vec<Mutation> {
    let versions = [Version::ONE, Version::TWO, Version(3), Version(4)];
    let versions = versions.into_iter().filter_map(|version| {
        mutated(template, format!("{version:?}"), |altered| altered.psbt.unsigned_tx.version = version)
    });
    let later = mutated(template, "it waits for a block".to_owned(), |altered| {
        altered.psbt.unsigned_tx.lock_time = LockTime::from_consensus(1);
    });
    let lighter = mutated(template, "its weight is stated too low".to_owned(), |altered| {
        altered.weight -= Weight::from_wu(1);
    });
    versions.chain(later).chain(lighter).collect()
}
