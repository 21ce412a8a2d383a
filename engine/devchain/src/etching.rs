//! Etching of runes with chosen names: a commitment in one block, the etching six blocks later.

use bitcoin::{Amount, TxOut};
use ordinals::{Edict, Etching, RuneId, Runestone, SpacedRune};

use super::control_error::ControlError;
use super::faucet::FundingInputs;
use super::gift::RUNE_POSTAGE;
use super::inscriber::Inscriber;
use super::ledger::Ledger;

/// A rune that the faucet etches and keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRune {
    /// Its name.
    pub name: SpacedRune,
    /// Its decimals.
    pub divisibility: u8,
    /// The currency symbol.
    pub symbol: Option<char>,
    /// The whole supply, in raw units.
    pub premine: u128,
    /// The number of outputs that the faucet splits it into, so that as many gifts can be in the mempool at once; at
    /// least one.
    pub outputs: u32,
}

impl Ledger {
    /// Etches these runes, in this order and in one block of their own, six blocks after the commitments.
    pub(crate) fn etch_runes(&mut self, runes: &[NewRune]) -> Result<Vec<RuneId>, ControlError> {
        let (mut commitments, mut announced) = (Vec::new(), Vec::new());
        let faucet = self.faucet().clone();
        for rune in runes {
            let inscriber = Inscriber::committing_to(&faucet, rune.name.rune)?;
            let outputs = self.outputs(rune);
            let values = outputs.iter().map(|output| output.value);
            let needed = values.fold(Amount::ZERO, |sum, value| sum.checked_add(value).unwrap_or(Amount::MAX));
            commitments.push(inscriber.commitment(needed)?);
            announced.push((inscriber, outputs));
        }
        let commit = self.pay(FundingInputs::new(), commitments)?;
        self.mine_transactions(vec![commit.clone()])?;
        // An indexer counts the block of the commitments as the first and the block of the etching as the last.
        for _ in 2..Runestone::COMMIT_CONFIRMATIONS {
            self.mine_transactions(Vec::new())?;
        }
        let reveals =
            (0_u32..).zip(announced).map(|(vout, (inscriber, outputs))| inscriber.reveal(&commit, vout, outputs));
        self.mine_transactions(reveals.collect::<Result<_, _>>()?)?;
        let block = u64::from(self.chain().height());
        let etched = |rune: &NewRune| {
            let entry = self.index().runes.entry(rune.name).filter(|entry| entry.id.block == block);
            entry.map(|entry| entry.id).ok_or(ControlError::RuneName(rune.name))
        };
        runes.iter().map(etched).collect()
    }

    /// The faucet's outputs with equal parts of a rune, and the runestone that allocates them.
    fn outputs(&self, rune: &NewRune) -> Vec<TxOut> {
        let part = rune.premine / u128::from(rune.outputs.max(1));
        // The remainder of the division goes to the first output.
        let edicts = (1..rune.outputs).map(|output| Edict { id: RuneId::default(), amount: part, output });
        let etching = Etching {
            rune: Some(rune.name.rune),
            spacers: Some(rune.name.spacers),
            divisibility: Some(rune.divisibility),
            symbol: rune.symbol,
            premine: Some(rune.premine),
            ..Etching::default()
        };
        let runestone =
            Runestone { etching: Some(etching), edicts: edicts.collect(), pointer: Some(0), ..Runestone::default() };
        let carrier = TxOut { value: RUNE_POSTAGE, script_pubkey: self.faucet().script_pubkey() };
        let carriers = (0..rune.outputs.max(1)).map(|_| carrier.clone());
        let message = TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() };
        carriers.chain([message]).collect()
    }
}
