//! The rules by which transactions enter the mempool, and by which others are evicted for them.

use std::collections::{BTreeMap, BTreeSet};

use bitcoin::{Amount, OutPoint, Transaction, Txid};

use super::best_chain::BestChain;
use super::candidate::{Candidate, check_relay_fee};
use super::coin_view::CoinView;
use super::mempool::Mempool;
use super::reject_reason::RejectReason;
use super::replacement::Replacement;
use super::standard::dust;
use super::truc;

/// The way in which a single transaction arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Broadcast: it must pay the relay fee.
    Broadcast,
    /// Returned from a disconnected block, or in the mempool during the reorg: it paid once already.
    Reorged,
}

/// The effect of an accepted transaction on the mempool.
#[derive(Clone, Debug)]
pub(crate) enum Accepted {
    /// It is added; nothing is evicted.
    Added(Candidate),
    /// It replaces others: the mempool afterwards.
    Replaced(Mempool),
}

impl Accepted {
    /// Adds the transaction to the mempool that it was checked against.
    pub(crate) fn apply(self, pool: &mut Mempool) {
        match self {
            Self::Added(Candidate { txid, transaction, fee, weight, .. }) => {
                pool.insert(txid, transaction, fee, weight);
            }
            Self::Replaced(after) => *pool = after,
        }
    }
}

/// Checks whether a transaction may enter the mempool, and returns the effect. The mempool is copied only for a
/// replacement.
pub(crate) fn accept(
    chain: &BestChain,
    pool: &Mempool,
    transaction: &Transaction,
    arrival: Origin,
) -> Result<Accepted, RejectReason> {
    let view = CoinView { chain, pool, package: &[] };
    let mut candidate = Candidate::new(transaction, view, true)?;
    let mut has_sibling = false;
    if arrival == Origin::Broadcast {
        check_relay_fee(candidate.fee, candidate.size())?;
        if let Some(sibling) = truc::check_single(pool, &candidate)? {
            candidate.conflicts.insert(sibling);
            has_sibling = true;
        }
    }
    let after = if candidate.conflicts.is_empty() {
        // No transaction in the mempool spends from it: such a child would be missing its inputs.
        if !pool.fits_cluster_limits(&candidate.parents, candidate.weight) {
            return Err(RejectReason::ClusterTooLarge);
        }
        None
    } else {
        Some(replace(pool, &candidate, has_sibling)?)
    };
    if arrival == Origin::Broadcast {
        check_dust_spent(pool, std::slice::from_ref(transaction))?;
    }
    candidate.check_scripts(chain)?;
    if arrival == Origin::Broadcast {
        candidate.check_max_fee()?;
    }
    Ok(after.map_or(Accepted::Added(candidate), Accepted::Replaced))
}

fn check_cluster(after: &Mempool, txid: Txid) -> Result<(), RejectReason> {
    if after.is_within_limits([txid]) { Ok(()) } else { Err(RejectReason::ClusterTooLarge) }
}

fn replace(pool: &Mempool, candidate: &Candidate, has_sibling: bool) -> Result<Mempool, RejectReason> {
    let replacement = Replacement::of(pool, &candidate.conflicts)?;
    if !replacement.is_paid_by(candidate.fee, candidate.size()) {
        return Err(if has_sibling { RejectReason::InsufficientFeeForSibling } else { RejectReason::InsufficientFee });
    }
    // A descendant of its own conflict would be orphaned; reported after the fees, as a node does.
    let depends = !pool.ancestors(candidate.parents.iter().copied()).is_disjoint(&candidate.conflicts);
    let (after, is_better) = replacement.apply(pool, &[candidate]);
    check_cluster(&after, candidate.txid)?;
    match (is_better, depends) {
        (false, _) => Err(RejectReason::ReplacementFailed),
        (true, true) => Err(RejectReason::SpendsConflicting),
        (true, false) => Ok(after),
    }
}

/// Returns the mempool with all of these added, none of them as a replacement, parents before children. The second part
/// of a refusal is the transaction that caused it.
pub(crate) fn accept_package(
    chain: &BestChain,
    pool: &Mempool,
    package: &[Transaction],
    fees: PackageFees,
) -> Result<Mempool, (RejectReason, Txid)> {
    let last = package.last().map(Transaction::compute_txid);
    let Some(last) = last else {
        return Ok(pool.clone());
    };
    let mut candidates = Vec::new();
    for (index, transaction) in package.iter().enumerate() {
        let view = CoinView { chain, pool, package: &package[..index] };
        let txid = transaction.compute_txid();
        let candidate = Candidate::new(transaction, view, fees == PackageFees::Shared).map_err(|why| (why, txid))?;
        if fees == PackageFees::Own {
            check_relay_fee(candidate.fee, candidate.size()).map_err(|why| (why, txid))?;
        }
        // Within a package there is no sibling eviction for a version 3 child.
        if truc::check_single(pool, &candidate).map_err(|why| (why, txid))?.is_some() {
            return Err((RejectReason::Truc, txid));
        }
        candidates.push(candidate);
    }
    truc::check_package(pool, &candidates).map_err(|why| (why, last))?;
    let size = candidates.iter().map(Candidate::size).sum();
    let fee = total_fee(&candidates);
    if fees == PackageFees::Shared {
        check_relay_fee(fee, size).map_err(|why| (why, last))?;
    }
    let after = if candidates.iter().any(|candidate| !candidate.conflicts.is_empty()) {
        replace_together(pool, &candidates, fee, size).map_err(|why| (why, last))?
    } else {
        let mut after = pool.clone();
        for Candidate { txid, transaction, fee, weight, .. } in &candidates {
            after.insert(*txid, transaction.clone(), *fee, *weight);
        }
        after
    };
    if !after.is_within_limits(candidates.iter().map(|candidate| candidate.txid)) {
        return Err((RejectReason::ClusterTooLarge, last));
    }
    check_dust_spent(pool, package).map_err(|why| (why, last))?;
    for candidate in &candidates {
        let is_sound = candidate.check_scripts(chain).and_then(|()| candidate.check_max_fee());
        is_sound.map_err(|why| (why, candidate.txid))?;
    }
    Ok(after)
}

/// The way in which the fees of a package are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackageFees {
    /// Each transaction pays for itself, and nothing is replaced: `testmempoolaccept`.
    Own,
    /// All pay together: `submitpackage`.
    Shared,
}

fn total_fee(candidates: &[Candidate]) -> Amount {
    let fees = candidates.iter().map(|candidate| candidate.fee);
    fees.fold(Amount::ZERO, |sum, fee| sum.checked_add(fee).unwrap_or(Amount::MAX))
}

/// Replaces transactions by a package of one parent and one child.
fn replace_together(pool: &Mempool, candidates: &[Candidate], fee: Amount, size: u64) -> Result<Mempool, RejectReason> {
    let [parent, child] = candidates else {
        return Err(RejectReason::PackageReplacementShape);
    };
    if !parent.parents.is_empty() || !child.parents.is_empty() {
        return Err(RejectReason::PackageReplacementAncestors);
    }
    let conflicts: BTreeSet<Txid> = parent.conflicts.union(&child.conflicts).copied().collect();
    let replacement = Replacement::of(pool, &conflicts)?;
    if !replacement.is_paid_by(fee, size) {
        return Err(RejectReason::PackageReplacementFee);
    }
    // The child must raise its parent's fee rate, and not only pay for the evicted transactions.
    let together = u128::from(fee.to_sat()) * u128::from(parent.size());
    if together <= u128::from(parent.fee.to_sat()) * u128::from(size) {
        return Err(RejectReason::PackageReplacementParent);
    }
    let (after, is_better) = replacement.apply(pool, &[parent, child]);
    check_cluster(&after, child.txid)?;
    if is_better { Ok(after) } else { Err(RejectReason::PackageReplacementDiagram) }
}

/// Checks that a child that spends from a transaction with dust spends the dust.
fn check_dust_spent(pool: &Mempool, package: &[Transaction]) -> Result<(), RejectReason> {
    let members: BTreeMap<Txid, &Transaction> =
        package.iter().map(|transaction| (transaction.compute_txid(), transaction)).collect();
    for transaction in package {
        let spent: BTreeSet<OutPoint> = transaction.input.iter().map(|input| input.previous_output).collect();
        for txid in spent.iter().map(|outpoint| outpoint.txid) {
            let pooled = || pool.entry(txid).map(|entry| &entry.transaction);
            let Some(parent) = members.get(&txid).copied().or_else(pooled) else {
                continue;
            };
            if dust(parent).any(|vout| !spent.contains(&OutPoint::new(txid, vout))) {
                return Err(RejectReason::DustUnspent);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bitcoin::opcodes::all::OP_PUSHNUM_1;
    use bitcoin::script::Builder;
    use bitcoin::transaction::Version;
    use bitcoin::{ScriptBuf, Sequence, TxIn, TxOut, Witness, absolute};

    use super::super::ledger::Ledger;
    use super::super::standard::TRUC;
    use super::*;

    /// A script that needs no signature.
    fn anyone() -> ScriptBuf {
        Builder::new().push_opcode(OP_PUSHNUM_1).into_script()
    }

    fn ledger_with_coins() -> (Ledger, [OutPoint; 2]) {
        let mut ledger = Ledger::new(1_800_000_000).unwrap();
        let mut coin = || ledger.fund(&anyone().to_p2wsh(), Amount::from_sat(100_000)).unwrap();
        let coins = [coin(), coin()];
        (ledger, coins)
    }

    fn spend(version: Version, coins: &[OutPoint], sats: &[u64], padding: usize) -> Transaction {
        let input = coins.iter().map(|coin| TxIn {
            previous_output: *coin,
            script_sig: ScriptBuf::new(),
            sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
            witness: Witness::from_slice(&[anyone().to_bytes()]),
        });
        let paid = |sats: &u64| TxOut { value: Amount::from_sat(*sats), script_pubkey: anyone().to_p2wsh() };
        let mut output: Vec<TxOut> = sats.iter().map(paid).collect();
        let data = [&[0x6a, 0x4e][..], &u32::try_from(padding).unwrap().to_le_bytes(), &vec![0; padding]].concat();
        output.push(TxOut { value: Amount::ZERO, script_pubkey: ScriptBuf::from_bytes(data) });
        Transaction { version, lock_time: absolute::LockTime::ZERO, input: input.collect(), output }
    }

    /// The first output of a transaction.
    fn first(transaction: &Transaction) -> OutPoint {
        OutPoint::new(transaction.compute_txid(), 0)
    }

    /// Returns the refusal of the package as a whole, which a node reports only if no transaction has one of its own.
    fn refusal(ledger: &Ledger, package: &[Transaction]) -> Option<RejectReason> {
        accept_package(ledger.chain(), ledger.pool(), package, PackageFees::Shared).err().map(|(why, _)| why)
    }

    #[test]
    fn a_replacing_package_is_one_parent_and_one_child_that_pay_more() {
        let (mut ledger, [one, other]) = ledger_with_coins();
        ledger.submit(&[spend(Version::TWO, &[one], &[99_000], 0)]).unwrap();
        let family = |left: [u64; 2], padding| {
            let parent = spend(Version::TWO, &[one], &[left[0]], 0);
            let child = spend(Version::TWO, &[first(&parent)], &[left[1]], padding);
            [parent, child]
        };
        for (package, why) in [
            (family([99_900, 99_000], 0), Some(RejectReason::PackageReplacementFee)),
            (family([98_000, 97_900], 5_000), Some(RejectReason::PackageReplacementParent)),
            (family([99_990, 95_000], 5_000), Some(RejectReason::PackageReplacementDiagram)),
            (family([99_990, 95_000], 0), None),
        ] {
            assert_eq!(refusal(&ledger, &package), why);
        }
        let parents = [spend(Version::TWO, &[one], &[99_000], 1), spend(Version::TWO, &[other], &[99_000], 1)];
        let child = spend(Version::TWO, &[first(&parents[0]), first(&parents[1])], &[90_000], 0);
        let of_three = [parents[0].clone(), parents[1].clone(), child.clone()];
        assert_eq!(refusal(&ledger, &of_three), Some(RejectReason::PackageReplacementShape));
        ledger.submit(&parents[1..]).unwrap();
        let with_relative = [parents[0].clone(), child];
        assert_eq!(refusal(&ledger, &with_relative), Some(RejectReason::PackageReplacementAncestors));
    }

    #[test]
    fn a_package_of_version_three_is_one_parent_and_one_small_child() {
        let (ledger, [one, other]) = ledger_with_coins();
        let parent = spend(TRUC, &[one], &[60_000, 40_000], 0);
        let aunt = spend(TRUC, &[other], &[100_000], 0);
        let (left, right) = (first(&parent), OutPoint::new(parent.compute_txid(), 1));
        let child = spend(TRUC, &[left], &[50_000], 0);
        let packages = [
            vec![parent.clone(), spend(Version::TWO, &[left], &[50_000], 0)],
            vec![parent.clone(), spend(TRUC, &[left], &[50_000], 950)],
            vec![parent.clone(), aunt.clone(), spend(TRUC, &[left, first(&aunt)], &[50_000], 0)],
            vec![parent.clone(), child.clone(), spend(TRUC, &[right], &[30_000], 0)],
            vec![parent.clone(), child.clone(), spend(TRUC, &[first(&child)], &[30_000], 0)],
        ];
        for package in packages {
            assert_eq!(refusal(&ledger, &package), Some(RejectReason::Truc));
        }
        assert_eq!(refusal(&ledger, &[parent, child]), None);
    }

    #[test]
    fn a_package_pays_enough_stays_small_and_spends_its_dust() {
        let (mut ledger, [one, other]) = ledger_with_coins();
        let parent = spend(Version::TWO, &[one], &[99_900, 100], 0);
        let child = |sats| spend(Version::TWO, &[first(&parent)], &[sats], 0);
        assert_eq!(refusal(&ledger, &[parent.clone(), child(99_890)]), Some(RejectReason::MinRelayFee));
        assert_eq!(refusal(&ledger, &[parent.clone(), child(90_000)]), Some(RejectReason::DustUnspent));
        let mut coin = other;
        for number in 1..=63 {
            let next = spend(Version::TWO, &[coin], &[100_000 - 500 * number], 0);
            coin = first(&next);
            ledger.submit(&[next]).unwrap();
        }
        let parent = spend(Version::TWO, &[coin], &[60_000], 0);
        let child = spend(Version::TWO, &[first(&parent)], &[50_000], 0);
        assert_eq!(refusal(&ledger, &[parent, child]), Some(RejectReason::ClusterTooLarge));
    }
}
