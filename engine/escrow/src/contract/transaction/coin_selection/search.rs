//! Branch and bound over the spendable coins, by `bdk_coin_select`.
//!
//! That crate's own metrics compute in 32-bit floats, which cannot distinguish the sats of a large coin; this one is
//! exact, and only its order is passed to the crate.

use bdk_coin_select::float::Ordf32;
use bdk_coin_select::{BnbMetric, Candidate, CoinSelector};
use bitcoin::{Amount, Weight};

use super::{COINS_MAX, SelectionPool};
use crate::contract::transaction::template::fee_of;

/// The maximum number of branches explored. All branches of ten coins are fewer.
const BRANCHES_MAX: usize = 2_048;
/// The number of coins searched, best first; less valuable ones only make the search longer.
const CANDIDATES_MAX: usize = 64;

/// The cheapest selection found; `None` if the search ends before one is found.
pub(super) fn search(pool: &SelectionPool<'_, '_>) -> Option<Vec<usize>> {
    let candidate = |coin: &super::Spendable<'_>| Candidate {
        value: coin.value.to_sat(),
        weight: coin.weight.to_wu(),
        input_count: 1,
        is_segwit: true,
    };
    let candidates: Vec<Candidate> = pool.coins.iter().take(CANDIDATES_MAX).map(candidate).collect();
    let lightest = pool.coins.iter().map(|coin| coin.weight).min()?;
    let solutions = CoinSelector::new(&candidates).bnb_solutions(Cost { pool, lightest });
    let (best, _) = solutions.take(BRANCHES_MAX).flatten().last()?;
    Some(best.selected_indices().iter().copied().collect())
}

/// The metric: the cost of a selection, and a lower bound for the cost of a branch.
#[derive(Debug)]
struct Cost<'a> {
    pool: &'a SelectionPool<'a, 'a>,
    lightest: Weight,
}

impl BnbMetric for Cost<'_> {
    fn score(&mut self, selector: &CoinSelector<'_>) -> Option<Ordf32> {
        let selected: Vec<usize> = selector.selected_indices().iter().copied().collect();
        if selected.len() > COINS_MAX {
            return None;
        }
        self.pool.cost(&selected).map(rank)
    }

    /// The fee of the selected coins and of as many more as needed, each counted with the lowest weight of any coin.
    fn bound(&mut self, selector: &CoinSelector<'_>) -> Option<Ordf32> {
        let selected = selector.selected_indices();
        let free_slots = COINS_MAX.checked_sub(selected.len())?;
        let pool = self.pool;
        let mut weight = pool.weight(selected.iter().copied());
        let mut least = weight;
        let mut funds = pool.value(selected.iter().copied());
        let mut more = selector.unselected_indices().take(free_slots);
        while funds < pool.target.due(weight)? {
            let coin = &pool.coins[more.next()?];
            funds = funds.checked_add(coin.value)?;
            weight = weight.checked_add(coin.weight)?;
            least = least.checked_add(self.lightest)?;
        }
        fee_of(least, pool.fee_rate).map(rank)
    }
}

/// A cost as the search compares it: exact up to 2^24 sats, monotonic beyond, and constant above 2^32.
fn rank(cost: Amount) -> Ordf32 {
    let [a, b, c, d] = u32::try_from(cost.to_sat()).unwrap_or(u32::MAX).to_be_bytes();
    let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    Ordf32(f32::from(high) * 65_536.0 + f32::from(low))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_preserve_order(one in any::<u64>(), other in any::<u64>(), shift in 0_u32..64) {
            let (one, other) = (one >> shift, other >> shift);
            let ranks = [one, other].map(|cost| rank(Amount::from_sat(cost)));
            if one < other {
                prop_assert!(ranks[0] <= ranks[1]);
            }
            if one != other && one.max(other) < 1 << 24 {
                prop_assert!(ranks[0] != ranks[1]);
            }
        }
    }
}
