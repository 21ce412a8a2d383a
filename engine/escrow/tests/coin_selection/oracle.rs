//! The oracle: every subset of a few coins, with weights and fees from the published sizes.

use bitcoin::OutPoint;

/// The way a coin is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    P2tr,
    P2wpkh,
    Nested,
    Vault,
}

impl Kind {
    /// The weight of the input: 57.5, 68, 91 and 82.75 virtual bytes.
    const fn weight(self) -> u64 {
        match self {
            Self::P2tr => 230,
            Self::P2wpkh => 272,
            Self::Nested => 364,
            Self::Vault => 331,
        }
    }
}

pub(super) struct OracleCoin {
    pub(super) outpoint: OutPoint,
    pub(super) kind: Kind,
    pub(super) sats: u64,
}

pub(super) struct Oracle {
    /// The spendable coins.
    pub(super) coins: Vec<OracleCoin>,
    pub(super) target: u64,
    pub(super) coins_pay: bool,
    pub(super) rate_kwu: u64,
    /// Whether there are other inputs already.
    pub(super) has_inputs: bool,
    /// The weight of everything else, without the two bytes that mark a segwit transaction.
    pub(super) base: u64,
}

#[derive(Debug)]
pub(super) struct Paid {
    pub(super) fee: u64,
    pub(super) change: Option<u64>,
    /// The cost: the fee, the rest without change, and the later fee for spending the change.
    pub(super) cost: u64,
}

impl Oracle {
    fn fee(&self, weight: u64) -> u64 {
        (self.rate_kwu * weight).div_ceil(1_000)
    }

    /// The payment with these coins; `None` if one of them is not spendable or they are insufficient.
    pub(super) fn pay(&self, selected: &[OutPoint]) -> Option<Paid> {
        let find = |outpoint: &OutPoint| self.coins.iter().find(|coin| coin.outpoint == *outpoint);
        let coins: Vec<&OracleCoin> = selected.iter().map(find).collect::<Option<_>>()?;
        let is_economic = |coin: &&OracleCoin| coin.sats * 1_000 > self.rate_kwu * coin.kind.weight();
        if !coins.iter().all(is_economic) {
            return None;
        }
        let funds = coins.iter().map(|coin| coin.sats).sum::<u64>();
        let inputs = coins.iter().map(|coin| coin.kind.weight()).sum::<u64>();
        let has_inputs = !coins.is_empty() || self.has_inputs;
        let bare = self.base + inputs + if has_inputs { 2 } else { 0 };
        let due = |weight| self.target + if self.coins_pay { self.fee(weight) } else { 0 };
        let rest = funds.checked_sub(due(bare))?;
        let with_change = bare + 4 * 31;
        match funds.checked_sub(due(with_change)).filter(|change| *change >= 294) {
            Some(change) => {
                let fee = self.fee(with_change);
                Some(Paid { fee, change: Some(change), cost: fee + self.fee(272) })
            }
            None if self.coins_pay => {
                Some(Paid { fee: self.fee(bare) + rest, change: None, cost: self.fee(bare) + rest })
            }
            None => Some(Paid { fee: self.fee(bare), change: None, cost: self.fee(bare) + rest }),
        }
    }

    /// The lowest cost of any subset.
    pub(super) fn cheapest(&self) -> Option<u64> {
        let subsets = 0_u32..1 << self.coins.len();
        let costs = subsets.filter_map(|subset| {
            let is_in = |place: &usize| subset >> place & 1 == 1;
            let selected = (0..self.coins.len()).filter(is_in).map(|place| self.coins[place].outpoint);
            self.pay(&selected.collect::<Vec<_>>()).map(|paid| paid.cost)
        });
        costs.min()
    }
}
