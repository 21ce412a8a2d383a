//! The locations of inscriptions: each moves with its sat, first in, first out.

use bitcoin::{Amount, OutPoint, ScriptBuf, Transaction, TxOut};
use engine::asset_index::{Inscribed, InscriptionId};
use ordinals::Height;

use super::envelope::{Envelope, envelopes};
use crate::coin::Coin;
use crate::reversible_map::ReversibleMap;

/// The effect of a transaction on an inscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InscriptionMove {
    pub(crate) id: InscriptionId,
    /// The new inscription, if this transaction revealed it.
    pub(crate) revealed: Option<Revealed>,
    /// The script of its new output; `None` when it was spent as a fee, or is bound to no sat.
    pub(crate) owner: Option<ScriptBuf>,
}

/// A new inscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Revealed {
    pub(crate) envelope: Envelope,
    /// Whether its form or position was unknown to early indexers.
    pub(crate) is_irregular: bool,
    /// The declared parents that are among the inputs of the same transaction.
    pub(crate) parents: Vec<InscriptionId>,
}

/// An inscription between input and output, as ord calls it.
#[derive(Clone, Debug)]
struct Flotsam {
    id: InscriptionId,
    /// The number of sats of the inputs before its own sat.
    offset: u64,
    revealed: Option<Revealed>,
}

/// All inscriptions that are in an unspent output.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inscriptions {
    places: ReversibleMap<InscriptionId, (OutPoint, Amount)>,
    carried: ReversibleMap<OutPoint, Vec<Inscribed>>,
    numbers: ReversibleMap<InscriptionId, i64>,
}

impl Inscriptions {
    pub(crate) fn place_of(&self, id: InscriptionId) -> Option<(OutPoint, Amount)> {
        self.places.get(&id).copied()
    }

    /// The number of an inscription: the count of those revealed before it.
    pub(crate) fn number_of(&self, id: InscriptionId) -> Option<i64> {
        self.numbers.get(&id).copied()
    }

    /// The inscriptions of an output, in the order of their sats.
    pub(crate) fn carried_by(&self, outpoint: OutPoint) -> Vec<Inscribed> {
        self.carried.get(&outpoint).cloned().unwrap_or_default()
    }

    pub(crate) fn disconnect(&mut self) {
        self.places.undo();
        self.carried.undo();
        self.numbers.undo();
    }

    /// Tracks every inscription through a block; `spent` has the coins of each transaction, one for each input.
    pub(crate) fn connect(&mut self, block: &[Transaction], height: u32, spent: &[Vec<Coin>]) -> Vec<InscriptionMove> {
        self.places.begin();
        self.carried.begin();
        self.numbers.begin();
        let mut moves = Vec::new();
        // Fees follow the miner's own subsidy, which indexers take to halve as on the main network.
        let (mut reward, mut fees) = (Height(height).subsidy(), Vec::new());
        for (transaction, coins) in block.iter().zip(spent).skip(1) {
            let flotsam = self.collect_inputs(transaction, coins);
            let left = self.assign_to_outputs(transaction, flotsam, &mut moves);
            let (before, after) = (total(coins.iter().map(|coin| &coin.output)), total(&transaction.output));
            fees.extend(
                left.into_iter()
                    .map(|item| Flotsam { offset: reward.saturating_add(item.offset.saturating_sub(after)), ..item }),
            );
            reward = reward.saturating_add(before.saturating_sub(after));
        }
        if let Some(coinbase) = block.first() {
            let mut collected = Vec::new();
            let lost = self.assign_to_outputs(coinbase, fees, &mut collected);
            let lost =
                lost.into_iter().map(|item| InscriptionMove { id: item.id, revealed: item.revealed, owner: None });
            // Collected by the miner or not, it was spent as a fee.
            let collected = collected.into_iter().map(|moved| InscriptionMove { owner: None, ..moved });
            moves.extend(collected.chain(lost));
        }
        moves
    }

    /// Removes the inscriptions of the inputs, and adds those that they reveal.
    fn collect_inputs(&mut self, transaction: &Transaction, coins: &[Coin]) -> Vec<Flotsam> {
        let (mut flotsam, mut before): (Vec<Flotsam>, u64) = (Vec::new(), 0);
        let (mut revealed, mut index) = (envelopes(transaction).into_iter().peekable(), 0);
        let txid = transaction.compute_txid();
        let made = total(&transaction.output);
        for (number, (input, coin)) in transaction.input.iter().zip(coins).enumerate() {
            for inscribed in self.carried.remove(&input.previous_output).unwrap_or_default() {
                self.places.remove(&inscribed.id);
                let offset = before.saturating_add(inscribed.offset.to_sat());
                flotsam.push(Flotsam { id: inscribed.id, offset, revealed: None });
            }
            let value = coin.output.value.to_sat();
            while let Some(envelope) = revealed.next_if(|envelope| envelope.input == number) {
                let is_again = flotsam.iter().any(|item| item.offset == before);
                let is_irregular = envelope.is_irregular || is_again;
                let offset = envelope.pointer.filter(|pointer| *pointer < made).unwrap_or(before);
                let envelope = Envelope { is_unbound: envelope.is_unbound || value == 0, ..envelope };
                let revealed = Some(Revealed { envelope, is_irregular, parents: Vec::new() });
                let id = InscriptionId { txid, index };
                self.numbers.insert(id, i64::try_from(self.numbers.len()).unwrap_or(i64::MAX));
                flotsam.push(Flotsam { id, offset, revealed });
                index += 1;
            }
            before = before.saturating_add(value);
        }
        let present: Vec<InscriptionId> = flotsam.iter().map(|item| item.id).collect();
        for revealed in flotsam.iter_mut().filter_map(|item| item.revealed.as_mut()) {
            let named = revealed.envelope.parents.iter().copied();
            revealed.parents = named.filter(|parent| present.contains(parent)).collect();
        }
        flotsam
    }

    /// Places the inscriptions into the outputs; returns those beyond the last output.
    fn assign_to_outputs(
        &mut self,
        transaction: &Transaction,
        mut flotsam: Vec<Flotsam>,
        moves: &mut Vec<InscriptionMove>,
    ) -> Vec<Flotsam> {
        if flotsam.is_empty() {
            return flotsam;
        }
        flotsam.sort_by_key(|item| item.offset);
        let txid = transaction.compute_txid();
        let (mut flotsam, mut start) = (flotsam.into_iter().peekable(), 0_u64);
        for (vout, output) in (0_u32..).zip(&transaction.output) {
            let end = start.saturating_add(output.value.to_sat());
            let outpoint = OutPoint::new(txid, vout);
            let mut carried = Vec::new();
            while let Some(item) = flotsam.next_if(|item| item.offset < end) {
                let is_bound = item.revealed.as_ref().is_none_or(|revealed| !revealed.envelope.is_unbound);
                if is_bound {
                    let offset = Amount::from_sat(item.offset - start);
                    self.places.insert(item.id, (outpoint, offset));
                    carried.push(Inscribed { id: item.id, offset });
                }
                let owner = is_bound.then(|| output.script_pubkey.clone());
                moves.push(InscriptionMove { id: item.id, revealed: item.revealed, owner });
            }
            if !carried.is_empty() {
                self.carried.insert(outpoint, carried);
            }
            start = end;
        }
        flotsam.collect()
    }
}

fn total<'a>(outputs: impl IntoIterator<Item = &'a TxOut>) -> u64 {
    outputs.into_iter().fold(0, |sum, output| sum.saturating_add(output.value.to_sat()))
}
