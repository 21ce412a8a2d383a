//! Coin selection.
//!
//! Branch and bound over the spendable coins, with a simple fallback; the cheapest selection found is returned. All
//! amounts are exact: the search orders whole sats, and each proposed selection is computed again before it counts. The
//! same coins give the same selection, in whatever order they come.

mod search;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Weight};
use thiserror::Error;

use super::funding_target::{FeeAndChange, FeePayer, FundingTarget};
use super::spend::Spend;
use super::template::{fee_of, weight};
use search::search;

/// The maximum number of coins of a selection: a repayment of version 3 with this many still fits its 10,000 virtual
/// bytes.
pub const COINS_MAX: usize = 100;

/// The assets in a coin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// None, as reported by an indexer that has read the coin's block.
    Plain,
    /// An inscription or runes.
    Assets,
    /// Not reported by any indexer. Treated like assets.
    Unknown,
}

/// A coin that might be spent, with its known properties.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// The coin, and the way it is spent.
    pub spend: Spend<'a>,
    /// The assets in it.
    pub contents: Contents,
    /// The number of confirmations.
    pub confirmations: u32,
    /// Whether it is a coinbase output, which cannot be spent for 100 blocks.
    pub is_coinbase: bool,
}

/// The amount and transaction that coins are selected for.
#[derive(Clone, Copy, Debug)]
pub struct SelectionTarget<'a> {
    /// The amount that they must provide besides the fee.
    pub amount: Amount,
    /// Whether they pay the fee of the whole transaction too.
    pub fee_payer: FeePayer,
    /// The fee rate.
    pub fee_rate: FeeRate,
    /// Inputs that the transaction already has; their values are not counted.
    pub inputs: &'a [Spend<'a>],
    /// Outputs that it already has; their values are not counted.
    pub outputs: &'a [TxOut],
    /// The script that receives the change.
    pub change: &'a ScriptBuf,
}

/// A sufficient selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection<'a> {
    /// The coins, by outpoint.
    pub spends: Vec<Spend<'a>>,
    /// The change; `None` if it is too small for an output.
    pub change: Option<Amount>,
    /// The fee of the whole transaction.
    pub fee: Amount,
}

/// The balance that was not used, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcludedBalance {
    /// The total of coins that carry assets.
    pub with_assets: Amount,
    /// The total of coins whose assets no indexer reported.
    pub unknown: Amount,
    /// The total of unconfirmed coins and immature coinbase outputs.
    pub unconfirmed: Amount,
    /// The total of coins that cost more to spend than they hold.
    pub uneconomic: Amount,
}

/// The reason why no selection suffices.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectionError {
    /// The same coin is listed twice, and its two entries could differ.
    #[error("the coin {0} is listed twice")]
    DuplicateCoin(OutPoint),
    /// The spendable balance is insufficient.
    #[error(
        "{wanted} is required and {found} can be spent; excluded: {} with assets, {} unknown, {} unconfirmed, {} in \
         coins that cost more to spend than they hold",
        excluded.with_assets, excluded.unknown, excluded.unconfirmed, excluded.uneconomic
    )]
    InsufficientFunds {
        /// The amount, plus the fee if the coins pay it.
        wanted: Amount,
        /// The spendable balance.
        found: Amount,
        /// The balance that was not used.
        excluded: ExcludedBalance,
    },
    /// The balance is sufficient, but spread over too many coins.
    #[error("{wanted} is required; the {COINS_MAX} best coins hold {found} of {all}: consolidate some of them first")]
    TooManyCoins {
        /// The amount, plus the fee if the coins pay it.
        wanted: Amount,
        /// The total of the best [`COINS_MAX`] coins.
        found: Amount,
        /// The total of all coins.
        all: Amount,
    },
    /// An amount exceeds the supply of bitcoin.
    #[error("an amount exceeds the supply of bitcoin")]
    Overflow,
}

/// A coin that may be spent.
#[derive(Clone, Debug)]
struct Spendable<'a> {
    spend: Spend<'a>,
    value: Amount,
    weight: Weight,
    /// Its contribution to the target in thousandths of a sat, exactly.
    effective_value: u128,
}

/// The spendable coins, best first, and the target they have to meet.
#[derive(Debug)]
struct SelectionPool<'a, 'w> {
    coins: Vec<Spendable<'a>>,
    inputs: &'w [Spend<'w>],
    target: FundingTarget,
    fee_rate: FeeRate,
    /// The cost of spending a change output later.
    change_later: Amount,
}

impl SelectionTarget<'_> {
    /// Returns the cheapest selection that the search finds: the one with the lowest sum of the fee, the later cost of
    /// spending the change, and any rest lost for want of a change output.
    pub fn select<'a>(&self, candidates: &[Candidate<'a>]) -> Result<Selection<'a>, SelectionError> {
        let mut seen = BTreeSet::new();
        let duplicate = candidates.iter().map(|candidate| candidate.spend.outpoint()).find(|coin| !seen.insert(*coin));
        if let Some(coin) = duplicate {
            return Err(SelectionError::DuplicateCoin(coin));
        }
        let (coins, excluded) = self.partition(candidates)?;
        let target = FundingTarget::new(self.amount, self.fee_payer, self.fee_rate, self.outputs, self.change);
        let change_later = fee_of(CHANGE_INPUT, self.fee_rate).ok_or(SelectionError::Overflow)?;
        let pool = SelectionPool { coins, inputs: self.inputs, target, fee_rate: self.fee_rate, change_later };
        let fallback = pool.largest_first(excluded)?;
        let selected = search(&pool).into_iter().chain([fallback]).min_by_key(|selected| pool.order(selected));
        let (selected, settlement) = selected
            .and_then(|selected| pool.settle(&selected).map(|settlement| (selected, settlement)))
            .ok_or(SelectionError::Overflow)?;
        let mut spends: Vec<Spend<'a>> = selected.iter().map(|index| pool.coins[*index].spend.clone()).collect();
        spends.sort_by_key(Spend::outpoint);
        Ok(Selection { spends, change: settlement.change, fee: settlement.fee })
    }

    /// Returns the spendable coins, best first and equal ones by outpoint, and the totals of the others.
    fn partition<'a>(
        &self,
        candidates: &[Candidate<'a>],
    ) -> Result<(Vec<Spendable<'a>>, ExcludedBalance), SelectionError> {
        let (mut coins, mut excluded) = (Vec::new(), ExcludedBalance::default());
        let required: BTreeSet<OutPoint> = self.inputs.iter().map(Spend::outpoint).collect();
        for candidate in candidates {
            let spend = candidate.spend.clone();
            if required.contains(&spend.outpoint()) {
                continue;
            }
            let value = spend.output().value;
            let weight = input_weight(&spend);
            let effective_value = effective_value(value, weight, self.fee_rate);
            let confirmations_min = if candidate.is_coinbase { COINBASE_MATURITY } else { 1 };
            let total = match candidate.contents {
                Contents::Assets => &mut excluded.with_assets,
                Contents::Unknown => &mut excluded.unknown,
                Contents::Plain if candidate.confirmations < confirmations_min => &mut excluded.unconfirmed,
                Contents::Plain => match effective_value {
                    Some(effective_value) => {
                        let gross = u128::from(value.to_sat()) * 1_000;
                        let effective_value = if self.fee_payer == FeePayer::Coins { effective_value } else { gross };
                        coins.push(Spendable { spend, value, weight, effective_value });
                        continue;
                    }
                    None => &mut excluded.uneconomic,
                },
            };
            *total = total.checked_add(value).ok_or(SelectionError::Overflow)?;
        }
        let mut all = coins.iter().map(|coin| coin.value);
        all.try_fold(Amount::ZERO, Amount::checked_add).ok_or(SelectionError::Overflow)?;
        coins.sort_by_key(|coin| (Reverse(coin.effective_value), Reverse(coin.value), coin.spend.outpoint()));
        Ok((coins, excluded))
    }
}

impl SelectionPool<'_, '_> {
    /// The smallest number of coins that suffices, best first.
    fn largest_first(&self, excluded: ExcludedBalance) -> Result<Vec<usize>, SelectionError> {
        let wanted = |count| self.target.due(self.weight(0..count)).ok_or(SelectionError::Overflow);
        let most = self.coins.len().min(COINS_MAX);
        for count in 0..=most {
            if self.value(0..count) >= wanted(count)? {
                return Ok((0..count).collect());
            }
        }
        let (all, found) = (self.value(0..self.coins.len()), self.value(0..most));
        let needed = wanted(self.coins.len())?;
        if all >= needed {
            Err(SelectionError::TooManyCoins { wanted: wanted(most)?, found, all })
        } else {
            Err(SelectionError::InsufficientFunds { wanted: needed, found: all, excluded })
        }
    }

    /// The total of some coins; the sum of all was checked for overflow.
    fn value(&self, selected: impl IntoIterator<Item = usize>) -> Amount {
        selected.into_iter().map(|index| self.coins[index].value).sum()
    }

    /// All inputs of a transaction that spends these coins.
    fn spends<'s>(
        &'s self,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> impl Iterator<Item = &'s Spend<'s>> + Clone {
        let inputs: &'s [Spend<'s>] = self.inputs;
        inputs.iter().chain(selected.map(|index| &self.coins[index].spend))
    }

    /// The weight of the transaction without change if these coins are spent.
    fn weight(&self, selected: impl Iterator<Item = usize> + Clone) -> Weight {
        self.target.weight(self.spends(selected))
    }

    fn settle(&self, selected: &[usize]) -> Option<FeeAndChange> {
        let selected = selected.iter().copied();
        self.target.fee_and_change(self.spends(selected.clone()), self.value(selected))
    }

    /// The cost of a selection; `None` if it is insufficient.
    fn cost(&self, selected: &[usize]) -> Option<Amount> {
        let settlement = self.settle(selected)?;
        let later = if settlement.change.is_some() { self.change_later } else { Amount::ZERO };
        settlement.loss.checked_add(later)
    }

    /// The sort key of selections: lower cost first, then fewer coins, then better ones.
    fn order(&self, selected: &[usize]) -> (Amount, usize, Vec<usize>) {
        let cost = self.cost(selected).unwrap_or(Amount::MAX);
        (cost, selected.len(), selected.to_vec())
    }
}

/// The weight of spending a change output later, assuming a P2WPKH input.
const CHANGE_INPUT: Weight = Weight::from_wu(272);

/// The weight that an input adds to a transaction with segwit inputs.
fn input_weight(spend: &Spend<'_>) -> Weight {
    weight([spend, spend], &[]) - weight([spend], &[])
}

/// The value of a coin beyond the fee for spending it, in thousandths of a sat; `None` if there is none.
fn effective_value(value: Amount, weight: Weight, fee_rate: FeeRate) -> Option<u128> {
    let cost = u128::from(fee_rate.to_sat_per_kwu()).checked_mul(u128::from(weight.to_wu()))?;
    let gross = u128::from(value.to_sat()).checked_mul(1_000)?;
    gross.checked_sub(cost).filter(|effective_value| *effective_value > 0)
}
