//! Which of a person's coins pay for a transaction.
//!
//! Branch and bound over the coins that may be spent, with a plain fallback; the cheapest choice it comes across. Every
//! amount is exact: the search orders whole sats, and what it proposes is settled again before it counts. The same coins
//! give the same choice, in whatever order they come.

mod search;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Weight};
use thiserror::Error;

use super::bill::{Bill, FeePayer, Settlement};
use super::template::{Spend, fee_of, weight};
use search::search;

/// The most coins of one choice: a repayment of version 3 that spends as many still fits into its 10,000 virtual bytes.
pub const MOST_COINS: usize = 100;

/// What a coin carries besides its sats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing, as an indexer that has read the coin's block says.
    Plain,
    /// An inscription or runes.
    Assets,
    /// Nobody could say. It is treated like assets.
    Unknown,
}

/// A coin that might be spent, and what is known of it.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// The coin, and how it is spent.
    pub spend: Spend<'a>,
    /// What it carries.
    pub contents: Contents,
    /// Blocks on top of it, its own included.
    pub confirmations: u32,
    /// Whether it pays a miner, and so cannot be spent for 100 blocks.
    pub is_coinbase: bool,
}

/// What the coins are for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// What they have to bring beside the fee.
    pub amount: Amount,
    /// Whether they pay the fee of the whole transaction too.
    pub fee_payer: FeePayer,
    /// What the miners are paid.
    pub fee_rate: FeeRate,
    /// Inputs that the transaction has already; what they hold is not counted.
    pub inputs: &'a [Spend<'a>],
    /// Outputs that it has already; what they hold is not counted.
    pub outputs: &'a [TxOut],
    /// The script that receives the change.
    pub change: &'a ScriptBuf,
}

/// Coins that suffice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'a> {
    /// The coins, by outpoint.
    pub spends: Vec<Spend<'a>>,
    /// What goes back; `None` when it is too little for an output.
    pub change: Option<Amount>,
    /// What the miners get from the whole transaction.
    pub fee: Amount,
}

/// Money that is there but was not touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
    /// In coins that carry assets.
    pub with_assets: Amount,
    /// In coins of which nobody could say what they carry.
    pub unknown: Amount,
    /// In coins that wait for a block, or for a hundred.
    pub unconfirmed: Amount,
    /// In coins that cost more to spend than they hold.
    pub uneconomic: Amount,
}

/// Why no choice suffices.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// The same coin twice: what is known of it could differ.
    #[error("the coin {0} is there twice")]
    Repeated(OutPoint),
    /// All that may be spent is too little.
    #[error(
        "{wanted} is wanted and {found} can be spent; not touched: {} with assets, {} unknown, {} unconfirmed, {} in \
         coins that cost more than they hold",
        set_aside.with_assets, set_aside.unknown, set_aside.unconfirmed, set_aside.uneconomic
    )]
    Short {
        /// The amount, and the fee when the coins pay it.
        wanted: Amount,
        /// What can be spent.
        found: Amount,
        /// What was not touched.
        set_aside: SetAside,
    },
    /// There is enough, but in too many coins.
    #[error("{wanted} is wanted; the {MOST_COINS} best coins hold {found} of {all}: join some of them first")]
    Scattered {
        /// The amount, and the fee when the coins pay it.
        wanted: Amount,
        /// What the best [`MOST_COINS`] coins hold.
        found: Amount,
        /// What all of them hold.
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
    /// What it adds towards the bill in thousandths of a sat, exactly.
    worth: u128,
}

/// The coins that may be spent, the best first, and what they have to pay.
#[derive(Debug)]
struct Purse<'a, 'w> {
    coins: Vec<Spendable<'a>>,
    inputs: &'w [Spend<'w>],
    bill: Bill,
    fee_rate: FeeRate,
    /// What spending a change output costs one day.
    change_later: Amount,
}

impl Wanted<'_> {
    /// The cheapest choice that the search finds: the least that miners get, now and for spending the change one day, and
    /// that is lost for want of a change output.
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

    /// The coins that may be spent, the best first and equals by outpoint; and what the others hold.
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
    /// As few coins as possible, the best first.
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

    /// What some coins hold together; the sum of all of them was checked.
    fn value(&self, chosen: impl IntoIterator<Item = usize>) -> Amount {
        chosen.into_iter().map(|index| self.coins[index].value).sum()
    }

    /// Everything that is spent when these coins are.
    fn spends<'s>(
        &'s self,
        chosen: impl Iterator<Item = usize> + Clone,
    ) -> impl Iterator<Item = &'s Spend<'s>> + Clone {
        let inputs: &'s [Spend<'s>] = self.inputs;
        inputs.iter().chain(chosen.map(|index| &self.coins[index].spend))
    }

    /// What the transaction weighs without change when these coins are spent.
    fn weight(&self, chosen: impl Iterator<Item = usize> + Clone) -> Weight {
        self.bill.weight(self.spends(chosen))
    }

    fn settle(&self, chosen: &[usize]) -> Option<Settlement> {
        let chosen = chosen.iter().copied();
        self.bill.settle(self.spends(chosen.clone()), self.value(chosen))
    }

    /// What a choice costs; `None` when it does not suffice.
    fn cost(&self, chosen: &[usize]) -> Option<Amount> {
        let settlement = self.settle(chosen)?;
        let later = if settlement.change.is_some() { self.change_later } else { Amount::ZERO };
        settlement.loss.checked_add(later)
    }

    /// The cheaper choice first, then fewer coins, then the better ones.
    fn order(&self, chosen: &[usize]) -> (Amount, usize, Vec<usize>) {
        let cost = self.cost(chosen).unwrap_or(Amount::MAX);
        (cost, chosen.len(), chosen.to_vec())
    }
}

/// What spending a change output weighs one day, by a P2WPKH input: nobody knows yet how it will be spent.
const CHANGE_INPUT: Weight = Weight::from_wu(272);

/// What an input adds to a transaction that has segwit inputs.
fn input_weight(spend: &Spend<'_>) -> Weight {
    weight([spend, spend], &[]) - weight([spend], &[])
}

/// What a coin holds beyond the fee for spending it, in thousandths of a sat; `None` when that is nothing.
fn worth(value: Amount, weight: Weight, fee_rate: FeeRate) -> Option<u128> {
    let cost = u128::from(fee_rate.to_sat_per_kwu()).checked_mul(u128::from(weight.to_wu()))?;
    let gross = u128::from(value.to_sat()).checked_mul(1_000)?;
    gross.checked_sub(cost).filter(|worth| *worth > 0)
}
