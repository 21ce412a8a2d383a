//! Packages: transactions that are submitted together, parents before children.

use std::collections::BTreeSet;

use bitcoin::{Amount, OutPoint, Transaction, TxOut, Txid, Weight};

use super::acceptance::{Origin, PackageFees, accept, accept_package};
use super::best_chain::{BestChain, is_spendable};
use super::mempool::Mempool;
use super::reject_reason::RejectReason;

/// The maximum number of transactions in a package.
const MAX_TRANSACTIONS: usize = 25;
/// The maximum weight of a package.
const MAX_WEIGHT: Weight = Weight::from_wu(404_000);

/// Checks the form of a package, whatever it spends. A single transaction is not a package.
fn check_form(package: &[Transaction]) -> Result<(), RejectReason> {
    if package.len() < 2 {
        return Ok(());
    }
    let weight = package.iter().try_fold(Weight::ZERO, |sum, transaction| sum.checked_add(transaction.weight()));
    if weight.is_none_or(|weight| weight > MAX_WEIGHT) {
        return Err(RejectReason::PackageTooLarge);
    }
    let mut later: BTreeSet<Txid> = package.iter().map(Transaction::compute_txid).collect();
    if later.len() != package.len() {
        return Err(RejectReason::PackageDuplicates);
    }
    for transaction in package {
        if transaction.input.iter().any(|input| later.contains(&input.previous_output.txid)) {
            return Err(RejectReason::PackageNotSorted);
        }
        later.remove(&transaction.compute_txid());
    }
    let mut spent: BTreeSet<OutPoint> = BTreeSet::new();
    for transaction in package {
        // A double spend within one transaction is reported later, with its own reason.
        let inputs: BTreeSet<OutPoint> = transaction.input.iter().map(|input| input.previous_output).collect();
        if inputs.is_empty() || !inputs.is_disjoint(&spent) {
            return Err(RejectReason::PackageConflict);
        }
        spent.extend(inputs);
    }
    Ok(())
}

fn check_count(package: &[Transaction]) -> Result<(), RejectReason> {
    if package.len() > MAX_TRANSACTIONS { Err(RejectReason::PackageTooMany) } else { Ok(()) }
}

/// Checks that the last transaction spends from each of the others, and those not from each other.
fn check_child_with_parents(package: &[Transaction]) -> Result<(), RejectReason> {
    let Some((child, parents)) = package.split_last() else {
        return Ok(());
    };
    let ids: BTreeSet<Txid> = parents.iter().map(Transaction::compute_txid).collect();
    let spent_by = |transaction: &Transaction| -> BTreeSet<Txid> {
        transaction.input.iter().map(|input| input.previous_output.txid).collect()
    };
    let is_family = ids.is_subset(&spent_by(child)) && parents.iter().all(|parent| ids.is_disjoint(&spent_by(parent)));
    if is_family { Ok(()) } else { Err(RejectReason::PackageShape) }
}

/// Checks that no money goes to an unspendable output.
fn check_burn(transaction: &Transaction) -> Result<(), RejectReason> {
    let is_lost = |output: &TxOut| {
        let is_readable = output.script_pubkey.instructions().all(|part| part.is_ok());
        output.value > Amount::ZERO && !(is_spendable(output) && is_readable)
    };
    if transaction.output.iter().any(is_lost) { Err(RejectReason::NonceUse) } else { Ok(()) }
}

fn last_of(package: &[Transaction]) -> impl Fn(RejectReason) -> (RejectReason, Txid) {
    let last = package.last().map(Transaction::compute_txid);
    // Without any transaction there is nothing to refuse.
    move |why| (why, last.unwrap_or_else(bitcoin::hashes::Hash::all_zeros))
}

/// Checks whether transactions would be accepted (`testmempoolaccept`): together they may replace nothing, and each
/// pays for itself.
pub(crate) fn test(chain: &BestChain, pool: &Mempool, package: &[Transaction]) -> Result<(), (RejectReason, Txid)> {
    check_count(package).and_then(|()| check_form(package)).map_err(last_of(package))?;
    if let [transaction] = package {
        return accept(chain, pool, transaction, Origin::Broadcast).map(drop).map_err(last_of(package));
    }
    accept_package(chain, pool, package, PackageFees::Own).map(drop)
}

/// Accepts transactions (`sendrawtransaction`, `submitpackage`): each one alone if it is acceptable alone, and the
/// others together, so that a child pays for its parents. Those that are in the mempool already are skipped.
///
/// If part of the package is refused, the rest may be accepted all the same.
pub(crate) fn submit(
    chain: &BestChain,
    pool: &mut Mempool,
    package: &[Transaction],
) -> Result<(), (RejectReason, Txid)> {
    check_sendable(package).map_err(last_of(package))?;
    let is_new = |transaction: &&Transaction| chain.tx_position(transaction.compute_txid()).is_none();
    let package: Vec<Transaction> = package.iter().filter(is_new).cloned().collect();
    let (mut together, mut refusals) = (Vec::new(), Vec::new());
    for transaction in &package {
        let txid = transaction.compute_txid();
        if pool.contains(txid) {
            continue;
        }
        match accept(chain, pool, transaction, Origin::Broadcast) {
            Ok(accepted) => accepted.apply(pool),
            Err(why) => {
                refusals.push((why, txid));
                together.push(transaction.clone());
            }
        }
    }
    // A node reports the first transaction's own refusal, whatever the reason against the package as a whole.
    let Some(first) = refusals.first().copied() else {
        return Ok(());
    };
    // A single transaction has no other to share fees with, and some refusals do not depend on fees.
    if together.len() < 2 || !refusals.iter().all(|(why, _)| why.is_reconsiderable()) {
        return Err(first);
    }
    match accept_package(chain, pool, &together, PackageFees::Shared) {
        Ok(after) => {
            *pool = after;
            Ok(())
        }
        Err((why, txid)) if txid == first.1 => Err((why, txid)),
        Err(_) => Err(first),
    }
}

/// Checks the package before its transactions are checked one by one.
fn check_sendable(package: &[Transaction]) -> Result<(), RejectReason> {
    check_count(package)?;
    if package.len() > 1 {
        check_child_with_parents(package)?;
    }
    package.iter().try_for_each(check_burn)?;
    check_form(package)
}
