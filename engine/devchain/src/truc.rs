//! Version 3 transactions: topologically restricted until confirmation (BIP-431).

use std::collections::BTreeSet;

use bitcoin::{Transaction, Txid};

use super::candidate::Candidate;
use super::mempool::Mempool;
use super::reject_reason::RejectReason;
use super::standard::TRUC;

/// The maximum size of a version 3 transaction, in virtual bytes.
const MAX_SIZE: u64 = 10_000;
/// The maximum size of one with an unconfirmed parent, in virtual bytes.
const MAX_CHILD_SIZE: u64 = 1_000;

/// Checks a transaction against the mempool. Returns the other child of its parent, if that must be evicted for this
/// one.
pub(crate) fn check_single(pool: &Mempool, candidate: &Candidate) -> Result<Option<Txid>, RejectReason> {
    let is_truc = candidate.transaction.version == TRUC;
    if candidate.parents.iter().any(|parent| is_truc_in_mempool(pool, *parent) != is_truc) {
        return Err(RejectReason::Truc);
    }
    if !is_truc {
        return Ok(None);
    }
    if candidate.size() > MAX_SIZE || candidate.parents.len() > 1 {
        return Err(RejectReason::Truc);
    }
    let Some(parent) = candidate.parents.first().copied() else {
        return Ok(None);
    };
    if pool.ancestors([parent]).len() > 1 || candidate.size() > MAX_CHILD_SIZE {
        return Err(RejectReason::Truc);
    }
    let mut siblings = pool.descendants([parent]);
    siblings.remove(&parent);
    if siblings.is_empty() || siblings.iter().any(|sibling| candidate.conflicts.contains(sibling)) {
        return Ok(None);
    }
    // After a reorg there can be several siblings: then none is evicted.
    match siblings.first() {
        Some(sibling) if siblings.len() == 1 && pool.ancestors([*sibling]).len() == 2 => Ok(Some(*sibling)),
        _ => Err(RejectReason::Truc),
    }
}

/// Checks the members of a package against each other and against the mempool.
pub(crate) fn check_package(pool: &Mempool, package: &[Candidate]) -> Result<(), RejectReason> {
    package.iter().try_for_each(|candidate| check_member(pool, package, candidate))
}

fn check_member(pool: &Mempool, package: &[Candidate], candidate: &Candidate) -> Result<(), RejectReason> {
    let is_truc = candidate.transaction.version == TRUC;
    let spent = spent_transactions(&candidate.transaction);
    let in_package: Vec<&Candidate> = package.iter().filter(|other| spent.contains(&other.txid)).collect();
    if in_package.iter().any(|parent| (parent.transaction.version == TRUC) != is_truc)
        || candidate.parents.iter().any(|parent| is_truc_in_mempool(pool, *parent) != is_truc)
    {
        return Err(RejectReason::Truc);
    }
    if !is_truc {
        return Ok(());
    }
    if candidate.size() > MAX_SIZE || in_package.len() + candidate.parents.len() > 1 {
        return Err(RejectReason::Truc);
    }
    let waiting = candidate.parents.first().copied();
    let Some(parent) = waiting.or(in_package.first().map(|parent| parent.txid)) else {
        return Ok(());
    };
    if candidate.size() > MAX_CHILD_SIZE {
        return Err(RejectReason::Truc);
    }
    if waiting.is_some_and(|parent| pool.ancestors([parent]).len() > 1 || pool.descendants([parent]).len() > 1) {
        return Err(RejectReason::Truc);
    }
    // It must be the only child of its parent, and have no child itself.
    let others = package.iter().filter(|other| other.txid != candidate.txid);
    let mut spent_by_others = others.map(|other| spent_transactions(&other.transaction));
    if spent_by_others.any(|spent| spent.contains(&parent) || spent.contains(&candidate.txid)) {
        return Err(RejectReason::Truc);
    }
    Ok(())
}

fn is_truc_in_mempool(pool: &Mempool, txid: Txid) -> bool {
    pool.entry(txid).is_some_and(|entry| entry.transaction.version == TRUC)
}

fn spent_transactions(transaction: &Transaction) -> BTreeSet<Txid> {
    transaction.input.iter().map(|input| input.previous_output.txid).collect()
}
