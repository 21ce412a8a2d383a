//! Fee bumps: the transactions that may have a child, their children, and the fees of children within the last day.

use std::collections::{HashMap, VecDeque};

use bitcoin::{OutPoint, Txid};

use crate::refusal::Refusal;

/// The period of the sums, in milliseconds: a day.
const DAY_MS: u64 = 86_400_000;
/// The time after its signature within which a transaction may get a child, in milliseconds: 14 days, after which nodes
/// drop it from the mempool.
const PARENT_AGE_MAX_MS: u64 = 14 * DAY_MS;
/// The limit for the fees of children of one vault within a day, in sats: two of the most expensive. Lenders do not
/// sign them.
const VAULT_DAY_MAX_SATS: u64 = 200_000;
/// The limit for the fees of children of all vaults within a day, in sats: twenty of the most expensive, which is what
/// a server that lies about the mempool can burn in a day.
const DAY_MAX_SATS: u64 = 2_000_000;

/// A signed child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    /// Its txid.
    pub(crate) txid: Txid,
    /// The output of its parent that it spends.
    pub(crate) vout: u32,
    /// Its fee.
    pub(crate) fee_sats: u64,
}

/// Recently signed loans and withdrawals, and their children.
#[derive(Debug, Default)]
pub(crate) struct FeeBumps {
    parents: HashMap<Txid, Parent>,
    /// The same transactions, oldest first.
    signed: VecDeque<(u64, Txid)>,
    /// The fees of children within the day, oldest first.
    paid: VecDeque<Paid>,
}

#[derive(Clone, Copy, Debug)]
struct Parent {
    lender_id: u64,
    child: Option<Child>,
}

#[derive(Clone, Copy, Debug)]
struct Paid {
    at_ms: u64,
    lender_id: u64,
    sats: u64,
}

impl FeeBumps {
    /// Records a transaction whose change a child may spend.
    pub(crate) fn push_parent(&mut self, at_ms: u64, lender_id: u64, txid: Txid) {
        self.prune(at_ms);
        if self.parents.insert(txid, Parent { lender_id, child: None }).is_none() {
            self.signed.push_back((at_ms, txid));
        }
    }

    /// Records a child.
    pub(crate) fn push_child(&mut self, at_ms: u64, lender_id: u64, parent: Txid, child: Child) {
        self.prune(at_ms);
        if let Some(known) = self.parents.get_mut(&parent) {
            known.child = Some(child);
        }
        self.paid.push_back(Paid { at_ms, lender_id, sats: child.fee_sats });
    }

    /// Returns whether this child is signed already. A transaction has at most one child, and a child has none.
    pub(crate) fn is_signed(
        &mut self,
        now_ms: u64,
        lender_id: u64,
        (spent, txid): (OutPoint, Txid),
    ) -> Result<bool, Refusal> {
        self.prune(now_ms);
        let parent = self.parents.get(&spent.txid).filter(|parent| parent.lender_id == lender_id);
        match parent.ok_or_else(|| Refusal::NoParent { txid: spent.txid.to_string() })?.child {
            None => Ok(false),
            Some(known) if known.txid == txid => Ok(true),
            Some(Child { vout, fee_sats, .. }) => Err(Refusal::HasChild { vout, fee_sats }),
        }
    }

    /// Checks that this fee stays within the limits of the vault and of all vaults.
    pub(crate) fn check(&mut self, now_ms: u64, lender_id: u64, asked: u64) -> Result<(), Refusal> {
        self.prune(now_ms);
        let sum = |is_counted: &dyn Fn(&Paid) -> bool| {
            self.paid.iter().filter(|paid| is_counted(paid)).fold(0_u64, |sum, paid| sum.saturating_add(paid.sats))
        };
        let own = sum(&|paid| paid.lender_id == lender_id);
        for (max, used) in [(VAULT_DAY_MAX_SATS, own), (DAY_MAX_SATS, sum(&|_| true))] {
            if used.saturating_add(asked) > max {
                return Err(Refusal::FeeBumpDaySats { max, used, asked });
            }
        }
        Ok(())
    }

    fn prune(&mut self, now_ms: u64) {
        while self.paid.pop_front_if(|paid| now_ms.saturating_sub(paid.at_ms) >= DAY_MS).is_some() {}
        while let Some((_, txid)) =
            self.signed.pop_front_if(|(at_ms, _)| now_ms.saturating_sub(*at_ms) >= PARENT_AGE_MAX_MS)
        {
            self.parents.remove(&txid);
        }
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::Hash as _;
    use proptest::prelude::*;

    use super::*;

    fn txid(number: u8) -> Txid {
        Txid::from_byte_array([number; 32])
    }

    #[test]
    fn a_parent_expires_when_nodes_drop_it() {
        let (mut bumps, spent) = (FeeBumps::default(), OutPoint::new(txid(1), 0));
        bumps.push_parent(5, 4, txid(1));
        assert_eq!(bumps.is_signed(5 + PARENT_AGE_MAX_MS - 1, 4, (spent, txid(2))), Ok(false));
        let none = Refusal::NoParent { txid: txid(1).to_string() };
        assert_eq!(bumps.is_signed(6, 5, (spent, txid(2))), Err(none.clone()), "another vault's");
        assert_eq!(bumps.is_signed(5 + PARENT_AGE_MAX_MS, 4, (spent, txid(2))), Err(none));
        assert!(bumps.parents.is_empty() && bumps.signed.is_empty());
    }

    proptest! {
        #[test]
        fn no_day_ever_exceeds_a_limit(
            asked in prop::collection::vec((0_u64..20_000_000, 0_u64..20, 1_u64..100_001), 1..120),
        ) {
            let (mut bumps, mut now_ms) = (FeeBumps::default(), 0);
            let mut signed: Vec<(u64, u64, u64)> = Vec::new();
            for (passes_ms, lender_id, fee_sats) in asked {
                now_ms += passes_ms;
                let recent = || signed.iter().filter(|(at, ..)| at + DAY_MS > now_ms);
                let all: u64 = recent().map(|(.., sats)| sats).sum();
                let own: u64 = recent().filter(|(_, id, _)| *id == lender_id).map(|(.., sats)| sats).sum();
                let may = own + fee_sats <= VAULT_DAY_MAX_SATS && all + fee_sats <= DAY_MAX_SATS;
                prop_assert_eq!(bumps.check(now_ms, lender_id, fee_sats).is_ok(), may);
                if may {
                    bumps.push_child(now_ms, lender_id, txid(1), Child { txid: txid(2), vout: 0, fee_sats });
                    signed.push((now_ms, lender_id, fee_sats));
                }
            }
        }
    }
}
