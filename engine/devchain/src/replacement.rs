//! Replacement of mempool transactions by conflicting ones.

use std::collections::BTreeSet;

use bitcoin::{Amount, Txid};

use super::candidate::{Candidate, relay_fee};
use super::feerate_diagram::{chunks, improves};
use super::mempool::Mempool;
use super::reject_reason::RejectReason;

/// The maximum number of clusters that a replacement may affect.
const MAX_CLUSTERS: usize = 100;

/// The effect of a replacement on the mempool.
#[derive(Clone, Debug)]
pub(crate) struct Replacement {
    /// The evicted transactions: the conflicts and their descendants.
    pub(crate) evicted: BTreeSet<Txid>,
    /// The fees of the evicted transactions.
    fees: Amount,
}

impl Replacement {
    /// The replacement that evicts these conflicts.
    pub(crate) fn of(pool: &Mempool, conflicts: &BTreeSet<Txid>) -> Result<Self, RejectReason> {
        let mut open = conflicts.clone();
        let mut clusters = 0;
        while let Some(first) = open.first().copied() {
            let cluster = pool.cluster([first]);
            open.retain(|txid| !cluster.contains(txid) && *txid != first);
            clusters += 1;
        }
        if clusters > MAX_CLUSTERS {
            return Err(RejectReason::TooManyReplacements);
        }
        let evicted = pool.descendants(conflicts.iter().copied());
        let fees = evicted.iter().filter_map(|txid| pool.entry(*txid)).map(|entry| entry.fee);
        let fees = fees.fold(Amount::ZERO, |sum, fee| sum.checked_add(fee).unwrap_or(Amount::MAX));
        Ok(Self { evicted, fees })
    }

    /// Whether a fee, for this size in virtual bytes, pays for the evicted transactions and for relay.
    pub(crate) fn is_paid_by(&self, fee: Amount, size: u64) -> bool {
        fee.checked_sub(self.fees).is_some_and(|more| more >= relay_fee(size))
    }

    /// The pool with these candidates instead of the evicted transactions. The second part is whether the fee rate
    /// diagram improves.
    pub(crate) fn apply(&self, pool: &Mempool, candidates: &[&Candidate]) -> (Mempool, bool) {
        let mut after = pool.clone();
        after.remove_all(self.evicted.iter().copied());
        let parents = candidates.iter().flat_map(|candidate| candidate.parents.iter().copied());
        let touched = pool.cluster(self.evicted.iter().copied().chain(parents));
        for candidate in candidates {
            after.insert(candidate.txid, candidate.transaction.clone(), candidate.fee, candidate.weight);
        }
        let arrived = candidates.iter().map(|candidate| candidate.txid);
        let remaining = after.cluster(touched.iter().copied().chain(arrived));
        let is_better = improves(&chunks(&after, &remaining), &chunks(pool, &touched));
        (after, is_better)
    }
}
