//! The unspent outputs by script.

use bitcoin::hashes::Hash as _;
use bitcoin::{Block, OutPoint, Script, ScriptBuf, Txid};

use crate::best_chain::is_spendable;
use crate::coin::Coin;
use crate::reversible_map::ReversibleMap;

/// The unspent outputs of the best chain, by the script that they pay.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Owners {
    outputs: ReversibleMap<(ScriptBuf, OutPoint), ()>,
}

impl Owners {
    /// The outputs that pay a script, by outpoint.
    pub(crate) fn outputs_of(&self, owner: &Script) -> impl Iterator<Item = OutPoint> {
        let first = (owner.to_owned(), OutPoint::new(Txid::all_zeros(), 0));
        let own = self.outputs.from(first).take_while(move |((script, _), ())| script.as_script() == owner);
        own.map(|((_, outpoint), ())| *outpoint)
    }

    /// Reads the next block; `spent` has the coins of each of its transactions, one for each input.
    pub(crate) fn connect(&mut self, block: &Block, spent: &[Vec<Coin>]) {
        self.outputs.begin();
        for (transaction, coins) in block.txdata.iter().zip(spent) {
            for (input, coin) in transaction.input.iter().zip(coins) {
                self.outputs.remove(&(coin.output.script_pubkey.clone(), input.previous_output));
            }
            let txid = transaction.compute_txid();
            for (vout, output) in (0_u32..).zip(&transaction.output).filter(|(_, output)| is_spendable(output)) {
                self.outputs.insert((output.script_pubkey.clone(), OutPoint::new(txid, vout)), ());
            }
        }
    }

    pub(crate) fn disconnect(&mut self) {
        self.outputs.undo();
    }
}
