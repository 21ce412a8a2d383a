//! The order in which a miner takes mempool transactions, and the fees that this order earns.
//!
//! A cluster is linearized with parents first, then cut into chunks of falling fee rate: a miner takes a chunk as a
//! whole. Fees over weight, chunk by chunk, draw a diagram; a replacement must raise it somewhere and lower it nowhere.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::Txid;

use super::mempool::Mempool;

/// Transactions that a miner takes together, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) transactions: Vec<Txid>,
    pub(crate) fee_sats: u64,
    pub(crate) weight: u64,
}

impl Chunk {
    /// Whether its fee rate is higher.
    fn beats(&self, other: &Self) -> bool {
        is_higher((self.fee_sats, self.weight), (other.fee_sats, other.weight))
    }

    fn absorb(&mut self, next: Self) {
        self.transactions.extend(next.transactions);
        self.fee_sats = self.fee_sats.saturating_add(next.fee_sats);
        self.weight = self.weight.saturating_add(next.weight);
    }
}

/// Whether the first pair of fee and weight has the higher fee rate.
fn is_higher(one: (u64, u64), other: (u64, u64)) -> bool {
    u128::from(one.0) * u128::from(other.1) > u128::from(other.0) * u128::from(one.1)
}

/// The chunks of whole clusters, best first. Chunks of equal fee rate stay in the order of arrival.
pub(crate) fn chunks(pool: &Mempool, members: &BTreeSet<Txid>) -> Vec<Chunk> {
    let (mut left, mut all) = (members.clone(), Vec::new());
    while let Some(first) = left.first().copied() {
        let cluster = pool.cluster([first]);
        left.retain(|txid| !cluster.contains(txid));
        all.extend(chunks_of_cluster(pool, cluster));
    }
    // The sort is stable, and a cluster's own chunks fall already: no child comes before its parent.
    all.sort_by(|one, other| match (one.beats(other), other.beats(one)) {
        (true, _) => std::cmp::Ordering::Less,
        (_, true) => std::cmp::Ordering::Greater,
        _ => std::cmp::Ordering::Equal,
    });
    all
}

fn chunks_of_cluster(pool: &Mempool, mut left: BTreeSet<Txid>) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    while let Some(mut best) = best_ancestors(pool, &left) {
        for txid in &best.transactions {
            left.remove(txid);
        }
        // A chunk with a higher fee rate than its predecessor is merged with it.
        while chunks.last().is_some_and(|last| best.beats(last)) {
            if let Some(mut last) = chunks.pop() {
                last.absorb(best);
                best = last;
            }
        }
        chunks.push(best);
    }
    chunks
}

/// The transaction with the best-paying set of ancestors, among those left, together with those ancestors.
fn best_ancestors(pool: &Mempool, left: &BTreeSet<Txid>) -> Option<Chunk> {
    let mut best: Option<Chunk> = None;
    let mut seen: BTreeMap<u64, Txid> = BTreeMap::new();
    for txid in left {
        if let Some(entry) = pool.entry(*txid) {
            seen.insert(entry.sequence, *txid);
        }
    }
    for txid in seen.values() {
        let family = pool.ancestors_within(*txid, left);
        let mut chunk = Chunk { transactions: Vec::new(), fee_sats: 0, weight: 0 };
        let mut ordered: Vec<_> =
            family.iter().filter_map(|txid| pool.entry(*txid).map(|entry| (entry.sequence, *txid, entry))).collect();
        // A parent always arrived before its child.
        ordered.sort_by_key(|(sequence, ..)| *sequence);
        for (_, txid, entry) in ordered {
            chunk.transactions.push(txid);
            chunk.fee_sats = chunk.fee_sats.saturating_add(entry.fee.to_sat());
            chunk.weight = chunk.weight.saturating_add(entry.weight);
        }
        if best.as_ref().is_none_or(|best| chunk.beats(best)) {
            best = Some(chunk);
        }
    }
    best
}

/// Whether the first chunks earn at least as much as the second at every weight, and more at some.
pub(crate) fn improves(after: &[Chunk], before: &[Chunk]) -> bool {
    let (after, before) = (corners(after), corners(before));
    let (mut above, mut below) = (false, false);
    for corner in &after {
        match compare_at(&before, *corner) {
            std::cmp::Ordering::Greater => above = true,
            std::cmp::Ordering::Less => below = true,
            std::cmp::Ordering::Equal => {}
        }
    }
    for corner in &before {
        match compare_at(&after, *corner) {
            std::cmp::Ordering::Greater => below = true,
            std::cmp::Ordering::Less => above = true,
            std::cmp::Ordering::Equal => {}
        }
    }
    above && !below
}

/// Weight and fees after each chunk.
fn corners(chunks: &[Chunk]) -> Vec<(u64, u64)> {
    let sums = chunks.iter().scan((0_u64, 0_u64), |sum, chunk| {
        sum.0 = sum.0.saturating_add(chunk.weight);
        sum.1 = sum.1.saturating_add(chunk.fee_sats);
        Some(*sum)
    });
    std::iter::once((0, 0)).chain(sums).collect()
}

/// Compares a corner's fees with the diagram `line` at the same weight.
fn compare_at(line: &[(u64, u64)], (weight, fee): (u64, u64)) -> std::cmp::Ordering {
    let next = line.iter().position(|(end, _)| *end >= weight);
    let (Some(next), last) = (next, line.last().copied().unwrap_or_default()) else {
        // Beyond its end a diagram is flat.
        return fee.cmp(&line.last().copied().unwrap_or_default().1);
    };
    let Some((start, start_fee)) = next.checked_sub(1).map(|before| line[before]) else {
        return fee.cmp(&0);
    };
    let (end, end_fee) = line.get(next).copied().unwrap_or(last);
    // fee against start_fee + (end_fee - start_fee) * (weight - start) / (end - start), without dividing.
    let span = u128::from(end - start);
    let rise = u128::from(end_fee - start_fee) * u128::from(weight - start);
    (u128::from(fee) * span).cmp(&(u128::from(start_fee) * span + rise))
}

#[cfg(test)]
mod tests {
    use bitcoin::{Amount, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Witness, absolute, transaction};
    use proptest::prelude::*;

    use super::*;

    /// A pool in which each transaction spends from some of those before it; each member has a fee and a weight.
    fn pool_of(members: &[(u64, u64, Vec<usize>)]) -> (Mempool, Vec<Txid>) {
        let (mut pool, mut txids): (Mempool, Vec<Txid>) = (Mempool::default(), Vec::new());
        for (number, (fee, weight, parents)) in members.iter().enumerate() {
            let parents: BTreeSet<Txid> = parents.iter().filter_map(|place| txids.get(*place)).copied().collect();
            let own = u32::try_from(number).unwrap();
            let input = parents.into_iter().map(|parent| TxIn {
                previous_output: OutPoint::new(parent, own),
                script_sig: ScriptBuf::new(),
                sequence: Sequence::MAX,
                witness: Witness::new(),
            });
            let output = TxOut { value: Amount::from_sat(u64::from(own)), script_pubkey: ScriptBuf::new() };
            let transaction = Transaction {
                version: transaction::Version::TWO,
                lock_time: absolute::LockTime::ZERO,
                input: input.collect(),
                output: vec![output],
            };
            let txid = transaction.compute_txid();
            pool.insert(txid, transaction, Amount::from_sat(*fee), *weight);
            txids.push(txid);
        }
        (pool, txids)
    }

    fn members() -> impl Strategy<Value = Vec<(u64, u64, Vec<usize>)>> {
        prop::collection::vec((0_u64..1_000, 1_u64..100, prop::collection::vec(0_usize..8, 0..3)), 1..9)
    }

    proptest! {
        #[test]
        fn parents_come_first_and_rates_fall(members in members()) {
            let (pool, txids) = pool_of(&members);
            let all = chunks(&pool, &pool.txids());
            let mut seen = BTreeSet::new();
            for txid in all.iter().flat_map(|chunk| &chunk.transactions) {
                let parents = pool.parents(&pool.entry(*txid).unwrap().transaction);
                prop_assert!(parents.is_subset(&seen));
                prop_assert!(seen.insert(*txid));
            }
            prop_assert_eq!(seen.len(), txids.len());
            prop_assert!(all.windows(2).all(|pair| !pair[1].beats(&pair[0])));
        }

        #[test]
        fn the_first_chunk_pays_no_less_than_any_ancestor_set(members in members()) {
            let (pool, txids) = pool_of(&members);
            let best = &chunks(&pool, &pool.txids())[0];
            for txid in txids {
                let family = pool.ancestors([txid]);
                let sum = |of: fn(&super::super::mempool::MempoolEntry) -> u64| -> u64 {
                    family.iter().filter_map(|txid| pool.entry(*txid)).map(of).sum()
                };
                let rate = (sum(|entry| entry.fee.to_sat()), sum(|entry| entry.weight));
                prop_assert!(!is_higher(rate, (best.fee_sats, best.weight)));
            }
        }

        #[test]
        fn diagram_comparison_agrees_with_a_comparison_point_by_point(
            one in prop::collection::vec((0_u64..40, 1_u64..7), 0..5),
            other in prop::collection::vec((0_u64..40, 1_u64..7), 0..5),
        ) {
            let draw = |parts: &[(u64, u64)]| {
                let mut chunks: Vec<Chunk> = parts
                    .iter()
                    .map(|(fee_sats, weight)| Chunk { transactions: Vec::new(), fee_sats: *fee_sats, weight: *weight })
                    .collect();
                chunks.sort_by(|one, other| if one.beats(other) { std::cmp::Ordering::Less } else if other.beats(one) { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Equal });
                chunks
            };
            let (one, other) = (draw(&one), draw(&other));
            // Fees at each unit of weight, scaled by a number that every weight divides.
            let points = |chunks: &[Chunk]| {
                let mut fees = vec![0_u64];
                for chunk in chunks {
                    for _ in 0..chunk.weight {
                        fees.push(fees[fees.len() - 1] + chunk.fee_sats * 420 / chunk.weight);
                    }
                }
                fees.resize(64, fees[fees.len() - 1]);
                fees
            };
            let pairs: Vec<(u64, u64)> = points(&one).into_iter().zip(points(&other)).collect();
            let expected = pairs.iter().all(|(one, other)| one >= other) && pairs.iter().any(|(one, other)| one > other);
            prop_assert_eq!(improves(&one, &other), expected);
        }
    }
}
