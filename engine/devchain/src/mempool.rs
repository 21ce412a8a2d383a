//! The mempool: unconfirmed transactions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bitcoin::{Amount, Block, OutPoint, Transaction, Txid};

/// The maximum number of transactions in a cluster.
const MAX_CLUSTER_TRANSACTIONS: usize = 64;
/// The maximum weight of a cluster: 101,000 virtual bytes.
const MAX_CLUSTER_WEIGHT: u64 = 404_000;

/// A transaction in the mempool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MempoolEntry {
    pub(crate) transaction: Transaction,
    pub(crate) fee: Amount,
    /// The weight, adjusted for sigops.
    pub(crate) weight: u64,
    /// The number in the order of arrival: parents come before children.
    pub(crate) sequence: u64,
}

/// All unconfirmed transactions. Their parents are in blocks or in the mempool too, and no output is spent twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mempool {
    /// Shared, so that a trial copy of the pool is cheap.
    entries: BTreeMap<Txid, Arc<MempoolEntry>>,
    spenders: BTreeMap<OutPoint, Txid>,
    next_sequence: u64,
}

impl Mempool {
    /// Returns a pool of these transactions, whatever their fees, to look up their outputs by id.
    pub(crate) fn of(transactions: &[Transaction]) -> Self {
        let mut pool = Self::default();
        for transaction in transactions {
            pool.insert(transaction.compute_txid(), transaction.clone(), Amount::ZERO, transaction.weight().to_wu());
        }
        pool
    }

    pub(crate) fn entry(&self, txid: Txid) -> Option<&MempoolEntry> {
        self.entries.get(&txid).map(AsRef::as_ref)
    }

    pub(crate) fn contains(&self, txid: Txid) -> bool {
        self.entries.contains_key(&txid)
    }

    /// The mempool transaction that spends an output.
    pub(crate) fn spender(&self, outpoint: OutPoint) -> Option<Txid> {
        self.spenders.get(&outpoint).copied()
    }

    /// All transactions, in the order of arrival.
    pub(crate) fn by_arrival(&self) -> Vec<&MempoolEntry> {
        let mut entries: Vec<&MempoolEntry> = self.entries.values().map(AsRef::as_ref).collect();
        entries.sort_by_key(|entry| entry.sequence);
        entries
    }

    /// The total weight.
    pub(crate) fn weight(&self) -> u64 {
        self.entries.values().map(|entry| entry.weight).sum()
    }

    pub(crate) fn txids(&self) -> BTreeSet<Txid> {
        self.entries.keys().copied().collect()
    }

    /// The mempool transactions that this one spends from.
    pub(crate) fn parents(&self, transaction: &Transaction) -> BTreeSet<Txid> {
        let spent = transaction.input.iter().map(|input| input.previous_output.txid);
        spent.filter(|txid| self.contains(*txid)).collect()
    }

    fn children(&self, txid: Txid) -> impl Iterator<Item = Txid> {
        let outputs = OutPoint::new(txid, 0)..=OutPoint::new(txid, u32::MAX);
        self.spenders.range(outputs).map(|(_, spender)| *spender)
    }

    /// A transaction and its ancestors, as far as they are within a set.
    pub(crate) fn ancestors_within(&self, txid: Txid, within: &BTreeSet<Txid>) -> BTreeSet<Txid> {
        self.reach([txid], |txid| {
            let parents = self.entry(txid).map(|entry| self.parents(&entry.transaction)).unwrap_or_default();
            parents.into_iter().filter(|parent| within.contains(parent)).collect()
        })
    }

    /// These transactions and their ancestors.
    pub(crate) fn ancestors(&self, txids: impl IntoIterator<Item = Txid>) -> BTreeSet<Txid> {
        self.reach(txids, |txid| {
            self.entry(txid).map(|entry| self.parents(&entry.transaction)).unwrap_or_default().into_iter().collect()
        })
    }

    /// These transactions and their descendants.
    pub(crate) fn descendants(&self, txids: impl IntoIterator<Item = Txid>) -> BTreeSet<Txid> {
        self.reach(txids, |txid| self.children(txid).collect())
    }

    /// The clusters of these transactions.
    pub(crate) fn cluster(&self, txids: impl IntoIterator<Item = Txid>) -> BTreeSet<Txid> {
        self.reach(txids, |txid| {
            let parents = self.entry(txid).map(|entry| self.parents(&entry.transaction)).unwrap_or_default();
            parents.into_iter().chain(self.children(txid)).collect()
        })
    }

    fn reach(&self, from: impl IntoIterator<Item = Txid>, neighbours: impl Fn(Txid) -> Vec<Txid>) -> BTreeSet<Txid> {
        let mut open: Vec<Txid> = from.into_iter().filter(|txid| self.contains(*txid)).collect();
        let mut reached: BTreeSet<Txid> = open.iter().copied().collect();
        while let Some(txid) = open.pop() {
            open.extend(neighbours(txid).into_iter().filter(|next| reached.insert(*next)));
        }
        reached
    }

    /// Whether the clusters of these transactions are within the limits.
    pub(crate) fn is_within_limits(&self, txids: impl IntoIterator<Item = Txid>) -> bool {
        txids.into_iter().all(|txid| {
            let cluster = self.cluster([txid]);
            let weights = cluster.iter().filter_map(|txid| self.entry(*txid)).map(|entry| entry.weight);
            cluster.len() <= MAX_CLUSTER_TRANSACTIONS && weights.sum::<u64>() <= MAX_CLUSTER_WEIGHT
        })
    }

    /// Whether a transaction of this weight with these parents fits into the cluster of its parents.
    pub(crate) fn fits_cluster_limits(&self, parents: &BTreeSet<Txid>, weight: u64) -> bool {
        let cluster = self.cluster(parents.iter().copied());
        let weights = cluster.iter().filter_map(|txid| self.entry(*txid)).map(|entry| entry.weight);
        cluster.len() < MAX_CLUSTER_TRANSACTIONS && weights.sum::<u64>().saturating_add(weight) <= MAX_CLUSTER_WEIGHT
    }

    /// Adds a transaction whose inputs no other mempool transaction spends.
    pub(crate) fn insert(&mut self, txid: Txid, transaction: Transaction, fee: Amount, weight: u64) {
        for input in &transaction.input {
            self.spenders.insert(input.previous_output, txid);
        }
        let sequence = self.next_sequence;
        self.next_sequence = sequence.saturating_add(1);
        self.entries.insert(txid, Arc::new(MempoolEntry { transaction, fee, weight, sequence }));
    }

    /// The number of transactions that ever arrived.
    pub(crate) const fn arrivals(&self) -> u64 {
        self.next_sequence
    }

    fn remove(&mut self, txid: Txid) {
        if let Some(entry) = self.entries.remove(&txid) {
            for input in &entry.transaction.input {
                self.spenders.remove(&input.previous_output);
            }
        }
    }

    pub(crate) fn remove_all(&mut self, txids: impl IntoIterator<Item = Txid>) {
        for txid in txids {
            self.remove(txid);
        }
    }

    /// Removes the transactions of a block, and those that conflict with it.
    pub(crate) fn confirm(&mut self, block: &Block) {
        for transaction in &block.txdata {
            let txid = transaction.compute_txid();
            self.remove(txid);
            let spenders: Vec<Txid> =
                transaction.input.iter().filter_map(|input| self.spender(input.previous_output)).collect();
            self.remove_all(self.descendants(spenders));
        }
    }
}
