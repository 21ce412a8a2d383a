//! The runes that were etched, and the balances of outputs.

use bitcoin::{Block, Network, OutPoint, Transaction};
use engine::asset_index::RuneEntry;
use ordinals::{Artifact, Cenotaph, Etching, Height, Rune, RuneId, Runestone, SpacedRune, Terms};

use super::envelope::leaf_script;
use super::rune_allocation::{Balances, allocate};
use crate::coin::Coin;
use crate::reversible_map::ReversibleMap;

/// An etched rune with its mints and burns.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Etched {
    entry: RuneEntry,
    terms: Option<Terms>,
    premine: u128,
    mints: u128,
    burned: u128,
}

/// The supply of a rune, in raw units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuneSupply {
    /// The amount ever created: premined and minted.
    pub issued: u128,
    /// The part of it that was burned.
    pub burned: u128,
}

/// All runes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Runes {
    etched: ReversibleMap<RuneId, Etched>,
    names: ReversibleMap<Rune, RuneId>,
    held: ReversibleMap<OutPoint, Balances>,
}

impl Etched {
    /// The amount of one mint in a block at this height; `None` when minting is not open.
    fn mintable(&self, height: u64) -> Option<u128> {
        let terms = self.terms?;
        let from_etching = |offset: Option<u64>| offset.map(|offset| self.entry.id.block.saturating_add(offset));
        let start = terms.height.0.max(from_etching(terms.offset.0)).unwrap_or(0);
        let ends = [terms.height.1, from_etching(terms.offset.1)];
        let end = ends.into_iter().flatten().min().unwrap_or(u64::MAX);
        let is_open = start <= height && height < end && self.mints < terms.cap.unwrap_or_default();
        is_open.then(|| terms.amount.unwrap_or_default())
    }

    fn supply(&self) -> RuneSupply {
        let each = self.terms.and_then(|terms| terms.amount).unwrap_or_default();
        let issued = self.premine.saturating_add(self.mints.saturating_mul(each));
        RuneSupply { issued, burned: self.burned }
    }
}

impl Runes {
    /// The rune of a name; spacers are ignored.
    pub(crate) fn entry(&self, name: SpacedRune) -> Option<RuneEntry> {
        let id = self.names.get(&name.rune)?;
        self.etched.get(id).map(|etched| etched.entry.clone())
    }

    pub(crate) fn supply(&self, id: RuneId) -> Option<RuneSupply> {
        self.etched.get(&id).map(Etched::supply)
    }

    /// The runes of an output, in the order of their ids.
    pub(crate) fn carried_by(&self, outpoint: OutPoint) -> Vec<(RuneId, u128)> {
        self.held.get(&outpoint).map(|held| held.clone().into_iter().collect()).unwrap_or_default()
    }

    pub(crate) fn disconnect(&mut self) {
        self.etched.undo();
        self.names.undo();
        self.held.undo();
    }

    /// Tracks every rune through a block; `spent` has the coins of each transaction, one for each input.
    pub(crate) fn connect(&mut self, block: &Block, height: u32, spent: &[Vec<Coin>]) {
        self.etched.begin();
        self.names.begin();
        self.held.begin();
        for ((number, transaction), coins) in (0_u32..).zip(&block.txdata).zip(spent) {
            self.index_transaction(transaction, RuneId { block: height.into(), tx: number }, coins);
        }
    }

    fn index_transaction(&mut self, transaction: &Transaction, place: RuneId, coins: &[Coin]) {
        let mut unallocated = Balances::new();
        for input in &transaction.input {
            for (id, amount) in self.held.remove(&input.previous_output).unwrap_or_default() {
                credit(&mut unallocated, id, amount);
            }
        }
        let artifact = Runestone::decipher(transaction);
        if let Some(id) = artifact.as_ref().and_then(Artifact::mint)
            && let Some(amount) = self.mint(id, place.block)
        {
            credit(&mut unallocated, id, amount);
        }
        let etched = artifact.as_ref().and_then(|artifact| self.parse_etching(artifact, place, transaction, coins));
        if let Some(etched) = &etched {
            credit(&mut unallocated, place, etched.premine);
            self.names.insert(etched.entry.name.rune, place);
            self.etched.insert(place, etched.clone());
        }
        let (allocated, burned) = allocate(transaction, artifact, unallocated, etched.is_some().then_some(place));
        let txid = transaction.compute_txid();
        for (vout, balances) in (0_u32..).zip(allocated) {
            if !balances.is_empty() {
                self.held.insert(OutPoint::new(txid, vout), balances);
            }
        }
        for (id, amount) in burned {
            if let Some(mut etched) = self.etched.get(&id).cloned() {
                etched.burned = etched.burned.saturating_add(amount);
                self.etched.insert(id, etched);
            }
        }
    }

    fn mint(&mut self, id: RuneId, height: u64) -> Option<u128> {
        let mut etched = self.etched.get(&id)?.clone();
        let amount = etched.mintable(height)?;
        etched.mints = etched.mints.saturating_add(1);
        self.etched.insert(id, etched);
        Some(amount)
    }

    /// The rune that a transaction etches, if the etching is valid.
    fn parse_etching(
        &self,
        artifact: &Artifact,
        place: RuneId,
        transaction: &Transaction,
        coins: &[Coin],
    ) -> Option<Etched> {
        let etching = match artifact {
            Artifact::Runestone(runestone) => runestone.etching?,
            // The name is taken, and the whole supply of a cenotaph is burned.
            Artifact::Cenotaph(Cenotaph { etching, .. }) => Etching { rune: Some((*etching)?), ..Etching::default() },
        };
        let height = u32::try_from(place.block).ok()?;
        let rune = match etching.rune {
            None => Rune::reserved(place.block, place.tx),
            Some(rune) => {
                let is_free = rune >= Rune::minimum_at_height(Network::Regtest, Height(height))
                    && !rune.is_reserved()
                    && self.names.get(&rune).is_none();
                (is_free && is_committed(rune, height, transaction, coins)).then_some(rune)?
            }
        };
        let name = SpacedRune { rune, spacers: etching.spacers.unwrap_or_default() };
        let divisibility = etching.divisibility.unwrap_or_default();
        Some(Etched {
            entry: RuneEntry { id: place, name, divisibility },
            terms: etching.terms,
            premine: etching.premine.unwrap_or_default(),
            mints: 0,
            burned: 0,
        })
    }
}

/// Whether the name was committed to in a taproot output that is six blocks old, so that it cannot be front-run.
fn is_committed(rune: Rune, height: u32, transaction: &Transaction, coins: &[Coin]) -> bool {
    let commitment = rune.commitment();
    transaction.input.iter().zip(coins).any(|(input, coin)| {
        let confirmations = height.saturating_sub(coin.height).saturating_add(1);
        let is_old = coin.output.script_pubkey.is_p2tr() && confirmations >= u32::from(Runestone::COMMIT_CONFIRMATIONS);
        let Some(script) = leaf_script(&input.witness).filter(|_| is_old) else {
            return false;
        };
        let readable = script.instructions().map_while(Result::ok);
        readable
            .filter_map(|part| part.push_bytes().map(|push| push.as_bytes().to_vec()))
            .any(|push| push == commitment)
    })
}

/// The supply of a rune never exceeds its integer type: an etching of more is invalid.
fn credit(balances: &mut Balances, id: RuneId, amount: u128) {
    let balance = balances.entry(id).or_default();
    *balance = balance.saturating_add(amount);
}
