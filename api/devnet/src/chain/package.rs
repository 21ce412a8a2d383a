//! Transactions that are sent together, parents before children.

use std::collections::BTreeSet;

use bitcoin::{OutPoint, Transaction, Txid, Weight};

use super::acceptance::{Arrival, PackageFees, accept, accept_together};
use super::best_chain::BestChain;
use super::mempool::Mempool;
use super::refusal::Refusal;

/// Transactions in a package.
const MAX_TRANSACTIONS: usize = 25;
/// What they may weigh together.
const MAX_WEIGHT: Weight = Weight::from_wu(404_000);

/// What a package must be, whatever it spends. A single transaction is none.
fn check_form(package: &[Transaction]) -> Result<(), Refusal> {
    if package.len() < 2 {
        return Ok(());
    }
    if package.len() > MAX_TRANSACTIONS {
        return Err(Refusal::PackageTooMany);
    }
    let weight = package.iter().try_fold(Weight::ZERO, |sum, transaction| sum.checked_add(transaction.weight()));
    if weight.is_none_or(|weight| weight > MAX_WEIGHT) {
        return Err(Refusal::PackageTooLarge);
    }
    let mut later: BTreeSet<Txid> = package.iter().map(Transaction::compute_txid).collect();
    if later.len() != package.len() {
        return Err(Refusal::PackageDuplicates);
    }
    for transaction in package {
        if transaction.input.iter().any(|input| later.contains(&input.previous_output.txid)) {
            return Err(Refusal::PackageNotSorted);
        }
        later.remove(&transaction.compute_txid());
    }
    let mut spent: BTreeSet<OutPoint> = BTreeSet::new();
    for transaction in package {
        // A transaction's own double spend is told as such later.
        let inputs: BTreeSet<OutPoint> = transaction.input.iter().map(|input| input.previous_output).collect();
        if inputs.is_empty() || !inputs.is_disjoint(&spent) {
            return Err(Refusal::PackageConflict);
        }
        spent.extend(inputs);
    }
    Ok(())
}

/// Whether the last spends from each of the others.
fn check_family(package: &[Transaction]) -> Result<(), Refusal> {
    let Some((child, parents)) = package.split_last() else {
        return Ok(());
    };
    let spent: BTreeSet<Txid> = child.input.iter().map(|input| input.previous_output.txid).collect();
    let is_family = parents.iter().all(|parent| spent.contains(&parent.compute_txid()));
    if is_family { Ok(()) } else { Err(Refusal::PackageShape) }
}

fn last_of(package: &[Transaction]) -> impl Fn(Refusal) -> (Refusal, Txid) {
    let last = package.last().map(Transaction::compute_txid);
    // Without any transaction there is nothing to refuse.
    move |why| (why, last.unwrap_or_else(bitcoin::hashes::Hash::all_zeros))
}

/// Whether they would be taken (`testmempoolaccept`): together they may replace nothing, and each pays for itself.
pub(crate) fn test(chain: &BestChain, pool: &Mempool, package: &[Transaction]) -> Result<(), (Refusal, Txid)> {
    check_form(package).map_err(last_of(package))?;
    if let [transaction] = package {
        return accept(chain, pool, transaction, Arrival::Sent).map(drop).map_err(last_of(package));
    }
    accept_together(chain, pool, package, PackageFees::Own).map(drop)
}

/// Takes what can be taken (`sendrawtransaction`, `submitpackage`): each transaction alone if it can stand alone, and
/// the others together, so that a child pays for its parents. What is there already is passed over.
///
/// Returns what waits afterwards, even if part of the package is refused: the others may wait by then.
pub(crate) fn submit(
    chain: &BestChain,
    pool: &Mempool,
    package: &[Transaction],
) -> (Mempool, Result<(), (Refusal, Txid)>) {
    let mut after = pool.clone();
    let is_new = |transaction: &&Transaction| chain.place(transaction.compute_txid()).is_none();
    let package: Vec<Transaction> = package.iter().filter(is_new).cloned().collect();
    let is_sound = check_form(&package).and_then(|()| check_family(&package));
    if let Err(why) = is_sound {
        return (after, Err(last_of(&package)(why)));
    }
    let (mut together, mut first_refusal) = (Vec::new(), None);
    for transaction in &package {
        let txid = transaction.compute_txid();
        if after.contains(txid) {
            continue;
        }
        match accept(chain, &after, transaction, Arrival::Sent) {
            Ok(pool) => after = pool,
            Err(why) if package.len() > 1 && why.is_reconsiderable() => together.push(transaction.clone()),
            Err(why) => first_refusal = first_refusal.or(Some((why, txid))),
        }
    }
    if let Some(refusal) = first_refusal {
        return (after, Err(refusal));
    }
    let outcome = match together.as_slice() {
        // Nobody is left to share fees with.
        [transaction] => accept(chain, &after, transaction, Arrival::Sent).map_err(last_of(&together)),
        _ => accept_together(chain, &after, &together, PackageFees::Shared),
    };
    match outcome {
        Ok(pool) => (pool, Ok(())),
        Err(refusal) => (after, Err(refusal)),
    }
}
