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

use super::bill::{Bill, FeePayer, Settlement};
use super::template::{Spend, fee_of, weight};
use search::search;

/// The maximum number of coins of a selection: a repayment of version 3 with this many still fits its 10,000 virtual
/// bytes.
pub const MOST_COINS: usize = 100;

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
pub struct Wanted<'a> {
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
pub struct Choice<'a> {
    /// The coins, by outpoint.
    pub spends: Vec<Spend<'a>>,
    /// The change; `None` if it is too small for an output.
    pub change: Option<Amount>,
    /// The fee of the whole transaction.
    pub fee: Amount,
}

/// The balance that was not used, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
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
pub enum ChoiceError {
    /// The same coin is listed twice, and its two entries could differ.
    #[error("the coin {0} is there twice")]
    Repeated(OutPoint),
    /// The spendable balance is insufficient.
    #[error(
        "{wanted} is wanted and {found} can be spent; not touched: {} with assets, {} unknown, {} unconfirmed, {} in \
         coins that cost more than they hold",
        set_aside.with_assets, set_aside.unknown, set_aside.unconfirmed, set_aside.uneconomic
    )]
    Short {
        /// The amount, plus the fee if the coins pay it.
        wanted: Amount,
        /// The spendable balance.
        found: Amount,
        /// The balance that was not used.
        set_aside: SetAside,
    },
    /// The balance is sufficient, but spread over too many coins.
    #[error("{wanted} is wanted; the {MOST_COINS} best coins hold {found} of {all}: join some of them first")]
    Scattered {
        /// The amount, plus the fee if the coins pay it.
        wanted: Amount,
        /// The total of the best [`MOST_COINS`] coins.
        found: Amount,
        /// The total of all coins.
        all: Amount,
    },
    /// An amount exceeds the supply of bitcoin.
    #[error("an amount exceeds all bitcoin there is")]
    Overflow,
}

/// A coin that may be spent.
#[derive(Clone, Debug)]
struct Spendable<'a> {
    spend: Spend<'a>,
    value: Amount,
    weight: Weight,
    /// Its contribution to the bill in thousandths of a sat, exactly.
    worth: u128,
}

/// The spendable coins, best first, and the bill they have to pay.
#[derive(Debug)]
struct Purse<'a, 'w> {
    coins: Vec<Spendable<'a>>,
    inputs: &'w [Spend<'w>],
    bill: Bill,
    fee_rate: FeeRate,
    /// The cost of spending a change output later.
    change_later: Amount,
}

impl Wanted<'_> {
    /// Returns the cheapest selection that the search finds: the one with the lowest sum of the fee, the later cost of
    /// spending the change, and any rest lost for want of a change output.
    pub fn choose<'a>(&self, candidates: &[Candidate<'a>]) -> Result<Choice<'a>, ChoiceError> {
        let mut seen = BTreeSet::new();
        let again = candidates.iter().map(|candidate| candidate.spend.outpoint()).find(|coin| !seen.insert(*coin));
        if let Some(coin) = again {
            return Err(ChoiceError::Repeated(coin));
        }
        let (coins, set_aside) = self.sort_out(candidates)?;
        let bill = Bill::new(self.amount, self.fee_payer, self.fee_rate, self.outputs, self.change);
        let change_later = fee_of(CHANGE_INPUT, self.fee_rate).ok_or(ChoiceError::Overflow)?;
        let purse = Purse { coins, inputs: self.inputs, bill, fee_rate: self.fee_rate, change_later };
        let plain = purse.plain_choice(set_aside)?;
        let chosen = search(&purse).into_iter().chain([plain]).min_by_key(|chosen| purse.order(chosen));
        let (chosen, settlement) = chosen
            .and_then(|chosen| purse.settle(&chosen).map(|settlement| (chosen, settlement)))
            .ok_or(ChoiceError::Overflow)?;
        let mut spends: Vec<Spend<'a>> = chosen.iter().map(|index| purse.coins[*index].spend.clone()).collect();
        spends.sort_by_key(Spend::outpoint);
        Ok(Choice { spends, change: settlement.change, fee: settlement.fee })
    }

    /// Returns the spendable coins, best first and equal ones by outpoint, and the totals of the others.
    fn sort_out<'a>(&self, candidates: &[Candidate<'a>]) -> Result<(Vec<Spendable<'a>>, SetAside), ChoiceError> {
        let (mut coins, mut aside) = (Vec::new(), SetAside::default());
        let there: BTreeSet<OutPoint> = self.inputs.iter().map(Spend::outpoint).collect();
        for candidate in candidates {
            let spend = candidate.spend.clone();
            if there.contains(&spend.outpoint()) {
                continue;
            }
            let value = spend.output().value;
            let weight = input_weight(&spend);
            let worth = worth(value, weight, self.fee_rate);
            let matured = if candidate.is_coinbase { COINBASE_MATURITY } else { 1 };
            let heap = match candidate.contents {
                Contents::Assets => &mut aside.with_assets,
                Contents::Unknown => &mut aside.unknown,
                Contents::Plain if candidate.confirmations < matured => &mut aside.unconfirmed,
                Contents::Plain => match worth {
                    Some(worth) => {
                        let gross = u128::from(value.to_sat()) * 1_000;
                        let worth = if self.fee_payer == FeePayer::Coins { worth } else { gross };
                        coins.push(Spendable { spend, value, weight, worth });
                        continue;
                    }
                    None => &mut aside.uneconomic,
                },
            };
            *heap = heap.checked_add(value).ok_or(ChoiceError::Overflow)?;
        }
        let mut all = coins.iter().map(|coin| coin.value);
        all.try_fold(Amount::ZERO, Amount::checked_add).ok_or(ChoiceError::Overflow)?;
        coins.sort_by_key(|coin| (Reverse(coin.worth), Reverse(coin.value), coin.spend.outpoint()));
        Ok((coins, aside))
    }
}

impl Purse<'_, '_> {
    /// The smallest number of coins that suffices, best first.
    fn plain_choice(&self, set_aside: SetAside) -> Result<Vec<usize>, ChoiceError> {
        let wanted = |count| self.bill.due(self.weight(0..count)).ok_or(ChoiceError::Overflow);
        let most = self.coins.len().min(MOST_COINS);
        for count in 0..=most {
            if self.value(0..count) >= wanted(count)? {
                return Ok((0..count).collect());
            }
        }
        let (all, found) = (self.value(0..self.coins.len()), self.value(0..most));
        let needed = wanted(self.coins.len())?;
        if all >= needed {
            Err(ChoiceError::Scattered { wanted: wanted(most)?, found, all })
        } else {
            Err(ChoiceError::Short { wanted: needed, found: all, set_aside })
        }
    }

    /// The total of some coins; the sum of all was checked for overflow.
    fn value(&self, chosen: impl IntoIterator<Item = usize>) -> Amount {
        chosen.into_iter().map(|index| self.coins[index].value).sum()
    }

    /// All inputs of a transaction that spends these coins.
    fn spends<'s>(
        &'s self,
        chosen: impl Iterator<Item = usize> + Clone,
    ) -> impl Iterator<Item = &'s Spend<'s>> + Clone {
        let inputs: &'s [Spend<'s>] = self.inputs;
        inputs.iter().chain(chosen.map(|index| &self.coins[index].spend))
    }

    /// The weight of the transaction without change if these coins are spent.
    fn weight(&self, chosen: impl Iterator<Item = usize> + Clone) -> Weight {
        self.bill.weight(self.spends(chosen))
    }

    fn settle(&self, chosen: &[usize]) -> Option<Settlement> {
        let chosen = chosen.iter().copied();
        self.bill.settle(self.spends(chosen.clone()), self.value(chosen))
    }

    /// The cost of a selection; `None` if it is insufficient.
    fn cost(&self, chosen: &[usize]) -> Option<Amount> {
        let settlement = self.settle(chosen)?;
        let later = if settlement.change.is_some() { self.change_later } else { Amount::ZERO };
        settlement.loss.checked_add(later)
    }

    /// The sort key of selections: lower cost first, then fewer coins, then better ones.
    fn order(&self, chosen: &[usize]) -> (Amount, usize, Vec<usize>) {
        let cost = self.cost(chosen).unwrap_or(Amount::MAX);
        (cost, chosen.len(), chosen.to_vec())
    }
}

/// The weight of spending a change output later, assuming a P2WPKH input.
const CHANGE_INPUT: Weight = Weight::from_wu(272);

/// The weight that an input adds to a transaction with segwit inputs.
fn input_weight(spend: &Spend<'_>) -> Weight {
    weight([spend, spend], &[]) - weight([spend], &[])
}

/// The value of a coin beyond the fee for spending it, in thousandths of a sat; `None` if there is none.
fn worth(value: Amount, weight: Weight, fee_rate: FeeRate) -> Option<u128> {
    let cost = u128::from(fee_rate.to_sat_per_kwu()).checked_mul(u128::from(weight.to_wu()))?;
    let gross = u128::from(value.to_sat()).checked_mul(1_000)?;
    gross.checked_sub(cost).filter(|worth| *worth > 0)
}
