//! What stands behind the inputs of a transaction, looked up on the chain before anybody is asked to sign it.
//!
//! Builders reckon with the coins that they are given. Whoever hands a transaction out first looks every output up that
//! it spends, and has it checked here: so no coin is spent that nobody looked up, that might vanish, or that carries
//! something of which the transaction knows nothing.

use std::collections::BTreeMap;

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::{Amount, OutPoint, TxOut};
use ordinals::RuneId;
use thiserror::Error;

use super::asset_coin::AssetCoin;
use super::checked_template::CheckedTemplate;
use super::pledge::Pledge;
use super::running_loan::RunningLoan;
use super::template::Template;

/// What an output carries besides its sats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Of each inscription, how many of the output's sats come before it.
    pub inscriptions: Vec<Amount>,
    /// Runes in raw units.
    pub runes: Vec<(RuneId, u128)>,
}

/// An output that nobody has spent, as node and indexer know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentOutput {
    /// What it is, as the chain has it and no wallet says.
    pub output: TxOut,
    /// Blocks on top of it, its own included.
    pub confirmations: u32,
    /// Whether it pays a miner, and so cannot be spent for 100 blocks.
    pub is_coinbase: bool,
    /// What it carries, as an indexer that has read its block says; `None` when nobody could say.
    pub carried: Option<Carried>,
}

/// What a transaction takes the outputs for that it spends: all that are not named here are confirmed, and plain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spending<'a> {
    /// The collateral, and all that it carries.
    pub carrying: &'a [(OutPoint, Carried)],
    /// Outputs that may wait for a block because a transaction of ours makes them, and makes them plain: the pads of a
    /// repayment of version 2, and the commit of a reveal.
    pub waiting: &'a [OutPoint],
}

/// Why nobody is asked to sign. All name the first such output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SpentOutputError {
    /// It is spent already, or was never there, or nobody has looked.
    #[error("the output {0} is spent or unknown")]
    NotThere(OutPoint),
    /// The chain has another amount or script, so its signature would not hold, or pay a fee that nobody meant.
    #[error("the output {0} does not hold what the transaction says")]
    OtherOutput(OutPoint),
    /// It may vanish, and with it every transaction that builds on this one.
    #[error("the output {0} waits for a block")]
    Unconfirmed(OutPoint),
    /// A miner's output that nodes do not let anybody spend yet.
    #[error("the output {outpoint} pays a miner and has {confirmations} confirmations of {COINBASE_MATURITY}")]
    Immature {
        /// Its outpoint.
        outpoint: OutPoint,
        /// How many it has.
        confirmations: u32,
    },
    /// It is treated like one that carries something.
    #[error("nobody can say what the output {0} carries")]
    UnknownContents(OutPoint),
    /// It would be lost, or go to somebody else.
    #[error("the output {0} carries inscriptions or runes, and is spent as plain bitcoin")]
    CarriesAssets(OutPoint),
    /// It is not the collateral that was agreed on, or not alone.
    #[error("the output {0} does not carry exactly the collateral")]
    OtherAssets(OutPoint),
}

impl Carried {
    /// The same in one order, equal runes together and none of nothing; `None` for more of a rune than there can be.
    fn sorted(&self) -> Option<(Vec<Amount>, BTreeMap<RuneId, u128>)> {
        let mut inscriptions = self.inscriptions.clone();
        inscriptions.sort_unstable();
        let mut runes = BTreeMap::new();
        for (id, amount) in self.runes.iter().filter(|(_, amount)| *amount > 0) {
            let sum: &mut u128 = runes.entry(*id).or_default();
            *sum = sum.checked_add(*amount)?;
        }
        Some((inscriptions, runes))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.sorted().is_some_and(|own| other.sorted() == Some(own))
    }
}

impl AssetCoin {
    /// Where it is, and what it carries.
    #[must_use]
    pub fn carried(&self) -> (OutPoint, Carried) {
        let (inscriptions, runes) = (self.inscriptions.clone(), self.runes.clone());
        (self.coin.outpoint, Carried { inscriptions, runes })
    }
}

impl RunningLoan {
    /// Where the escrow is, and what it carries.
    #[must_use]
    pub fn carried(&self) -> (OutPoint, Carried) {
        let carried = match self.pledge {
            Pledge::Inscription { offset } | Pledge::Note { offset } => {
                Carried { inscriptions: vec![offset], runes: Vec::new() }
            }
            Pledge::Runes { id, amount } => Carried { inscriptions: Vec::new(), runes: vec![(id, amount)] },
        };
        (self.outpoint, carried)
    }
}

impl Spending<'_> {
    /// Holds what was looked up against everything that the transaction spends; what stands this may be handed out.
    ///
    /// # Errors
    /// The first thing that is wrong, by input and in the order of [`SpentOutputError`].
    pub fn check<'t>(
        &self,
        template: &'t Template,
        looked_up: &BTreeMap<OutPoint, SpentOutput>,
    ) -> Result<CheckedTemplate<'t>, SpentOutputError> {
        for (index, input) in template.psbt.unsigned_tx.input.iter().enumerate() {
            let outpoint = input.previous_output;
            let found = looked_up.get(&outpoint).ok_or(SpentOutputError::NotThere(outpoint))?;
            let said = template.psbt.inputs.get(index).and_then(|input| input.witness_utxo.as_ref());
            if said != Some(&found.output) {
                return Err(SpentOutputError::OtherOutput(outpoint));
            }
            self.check_standing(outpoint, found)?;
        }
        Ok(CheckedTemplate::new(template))
    }

    fn check_standing(&self, outpoint: OutPoint, found: &SpentOutput) -> Result<(), SpentOutputError> {
        let confirmations = found.confirmations;
        if confirmations == 0 {
            let may_wait = self.waiting.contains(&outpoint) && !found.is_coinbase;
            return if may_wait { Ok(()) } else { Err(SpentOutputError::Unconfirmed(outpoint)) };
        }
        if found.is_coinbase && confirmations < COINBASE_MATURITY {
            return Err(SpentOutputError::Immature { outpoint, confirmations });
        }
        let carried = found.carried.as_ref().ok_or(SpentOutputError::UnknownContents(outpoint))?;
        match self.carrying.iter().find(|(place, _)| *place == outpoint) {
            Some((_, wanted)) if carried.is_same(wanted) => Ok(()),
            Some(_) => Err(SpentOutputError::OtherAssets(outpoint)),
            None if carried.is_same(&Carried::default()) => Ok(()),
            None => Err(SpentOutputError::CarriesAssets(outpoint)),
        }
    }
}
