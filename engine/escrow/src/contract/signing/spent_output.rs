//! The state of a transaction's inputs, looked up on the chain before any wallet is asked to sign it.
//!
//! Builders trust the coins that they are given. Before a transaction is first handed out, every output that it spends
//! is looked up and checked here, so that it spends no coin that was not looked up, that might vanish, or that carries
//! assets unknown to the transaction.

use std::collections::BTreeMap;

use bitcoin::blockdata::constants::COINBASE_MATURITY;
use bitcoin::{Amount, OutPoint, TxOut};
use ordinals::RuneId;
use thiserror::Error;

use super::checked_template::CheckedTemplate;
use crate::contract::assets::asset_coin::AssetCoin;
use crate::contract::transaction::template::Template;

/// The assets in an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarriedAssets {
    /// For each inscription, the number of the output's sats that precede it.
    pub inscriptions: Vec<Amount>,
    /// Runes in raw units.
    pub runes: Vec<(RuneId, u128)>,
}

/// An unspent output, as reported by node and indexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentOutput {
    /// Its value and script as on the chain, not as claimed by a wallet.
    pub output: TxOut,
    /// The number of confirmations.
    pub confirmations: u32,
    /// Whether it is a coinbase output, which cannot be spent for 100 blocks.
    pub is_coinbase: bool,
    /// The assets in it, as reported by an indexer that has read its block; `None` if no indexer has.
    pub assets: Option<CarriedAssets>,
}

/// The exceptions among the outputs that a transaction spends: all others must be confirmed, and carry no assets.
#[derive(Clone, Copy, Debug, Default)]
pub struct InputPolicy<'a> {
    /// The collateral, with all assets in it.
    pub collateral: &'a [(OutPoint, CarriedAssets)],
    /// Outputs that may be unconfirmed because another transaction of the loan creates them, without assets: the pads
    /// of a repayment of version 2, and the commit of a reveal.
    pub unconfirmed: &'a [OutPoint],
}

/// The reason why a transaction is not handed out to sign. All name the first such output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SpentOutputError {
    /// It is spent already, does not exist, or was not looked up.
    #[error("the output {0} is spent or unknown")]
    MissingOrSpent(OutPoint),
    /// The value or script on the chain differs, so the signature would be invalid or pay an unintended fee.
    #[error("the output {0} has another value or script than the transaction states")]
    OutputMismatch(OutPoint),
    /// It is unconfirmed and may vanish, and with it every transaction that builds on this one.
    #[error("the output {0} is unconfirmed")]
    Unconfirmed(OutPoint),
    /// An immature coinbase output.
    #[error("the coinbase output {outpoint} is immature: {confirmations} of {COINBASE_MATURITY} confirmations")]
    Immature {
        /// Its outpoint.
        outpoint: OutPoint,
        /// The number of its confirmations.
        confirmations: u32,
    },
    /// Its assets are unknown; it is treated like one that carries assets.
    #[error("no indexer reports what the output {0} carries")]
    UnknownContents(OutPoint),
    /// Its assets would be lost, or go to another party.
    #[error("the output {0} carries inscriptions or runes, and is spent as plain bitcoin")]
    CarriesAssets(OutPoint),
    /// It does not carry exactly the agreed collateral.
    #[error("the output {0} does not carry exactly the collateral")]
    AssetMismatch(OutPoint),
}

impl CarriedAssets {
    /// The same in canonical order, amounts per rune summed and zeros omitted; `None` if an amount overflows.
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
    /// Its outpoint, and the assets in it.
    #[must_use]
    pub fn carried_assets(&self) -> (OutPoint, CarriedAssets) {
        let (inscriptions, runes) = (self.inscriptions.clone(), self.runes.clone());
        (self.coin.outpoint, CarriedAssets { inscriptions, runes })
    }
}

impl InputPolicy<'_> {
    /// Checks the looked-up outputs against everything that the transaction spends; if this succeeds it may be handed
    /// out.
    ///
    /// # Errors
    /// The first fault found, by input and in the order of [`SpentOutputError`].
    pub fn check<'t>(
        &self,
        template: &'t Template,
        looked_up: &BTreeMap<OutPoint, SpentOutput>,
    ) -> Result<CheckedTemplate<'t>, SpentOutputError> {
        for (index, input) in template.psbt.unsigned_tx.input.iter().enumerate() {
            let outpoint = input.previous_output;
            let found = looked_up.get(&outpoint).ok_or(SpentOutputError::MissingOrSpent(outpoint))?;
            let stated = template.psbt.inputs.get(index).and_then(|input| input.witness_utxo.as_ref());
            if stated != Some(&found.output) {
                return Err(SpentOutputError::OutputMismatch(outpoint));
            }
            self.check_spendable(outpoint, found)?;
        }
        Ok(CheckedTemplate::new(template))
    }

    fn check_spendable(&self, outpoint: OutPoint, found: &SpentOutput) -> Result<(), SpentOutputError> {
        let confirmations = found.confirmations;
        if confirmations == 0 {
            let may_be_unconfirmed = self.unconfirmed.contains(&outpoint) && !found.is_coinbase;
            return if may_be_unconfirmed { Ok(()) } else { Err(SpentOutputError::Unconfirmed(outpoint)) };
        }
        if found.is_coinbase && confirmations < COINBASE_MATURITY {
            return Err(SpentOutputError::Immature { outpoint, confirmations });
        }
        let carried = found.assets.as_ref().ok_or(SpentOutputError::UnknownContents(outpoint))?;
        match self.collateral.iter().find(|(place, _)| *place == outpoint) {
            Some((_, wanted)) if carried.is_same(wanted) => Ok(()),
            Some(_) => Err(SpentOutputError::AssetMismatch(outpoint)),
            None if carried.is_same(&CarriedAssets::default()) => Ok(()),
            None => Err(SpentOutputError::CarriesAssets(outpoint)),
        }
    }
}
