//! A BRC-20 indexer of another node's blocks, by the rules of the embedded chain.

use bitcoin::{BlockHash, OutPoint, ScriptBuf, Transaction};
use engine::asset_index::{Brc20Balance, InscriptionId, TransferInscription};
use engine::chain::{Chain, ChainError};

use super::coin::Coin;
use super::index::brc20::Brc20Ledger;
use super::index::inscriptions::Inscriptions;
use super::reversible_map::ReversibleMap;

/// An indexer that reads every block of a node from the first one on, and follows its reorgs. It keeps every output and
/// every change in memory, so it suits only short chains such as those of regtest.
#[derive(Debug, Default)]
pub struct Brc20Reader {
    /// The hashes of the blocks that were read, from height 1 on.
    blocks: Vec<BlockHash>,
    coins: ReversibleMap<OutPoint, Coin>,
    inscriptions: Inscriptions,
    brc20: Brc20Ledger,
}

impl Brc20Reader {
    /// Reads the new blocks. It may stop before the tip when blocks change meanwhile: the next call continues.
    ///
    /// # Errors
    /// The node's, and [`ChainError::Nonsense`] for a block that spends an output that no block before it created.
    pub async fn sync(&mut self, chain: &impl Chain) -> Result<(), ChainError> {
        while !self.is_in_best_chain(chain).await? {
            self.disconnect_tip();
        }
        let tip = chain.tip().await?;
        while self.height() < tip.height {
            let next = self.height() + 1;
            let Some(hash) = chain.block_hash(next).await? else { break };
            let Some(block) = chain.block_transactions(hash).await? else { break };
            // The parent of the block must be the block that was read last, and the node must still have both.
            if !self.is_in_best_chain(chain).await? || chain.block_hash(next).await? != Some(hash) {
                break;
            }
            self.connect_block(hash, &block)?;
        }
        Ok(())
    }

    /// The height of the last block that was read.
    #[must_use]
    pub fn height(&self) -> u32 {
        // A chain with more than `u32::MAX` blocks would not fit in memory.
        u32::try_from(self.blocks.len()).unwrap_or(u32::MAX)
    }

    /// The balance of a script in a ticker.
    #[must_use]
    pub fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Brc20Balance {
        self.brc20.balance(owner, ticker)
    }

    /// Returns the transfer inscription with this id, if it is a valid one.
    #[must_use]
    pub fn note(&self, inscription: InscriptionId) -> Option<TransferInscription> {
        self.brc20.note(inscription)
    }

    /// Whether the last block that was read is still in the node's best chain.
    async fn is_in_best_chain(&self, chain: &impl Chain) -> Result<bool, ChainError> {
        match self.blocks.last() {
            Some(last) => Ok(chain.block_hash(self.height()).await? == Some(*last)),
            None => Ok(true),
        }
    }

    fn connect_block(&mut self, hash: BlockHash, block: &[Transaction]) -> Result<(), ChainError> {
        let height = self.height() + 1;
        self.coins.begin();
        let spent: Result<Vec<Vec<Coin>>, OutPoint> = block.iter().map(|each| self.spend(each, height)).collect();
        let spent = spent.map_err(|unknown| {
            self.coins.undo();
            ChainError::InvalidResponse(format!("block {hash} spends {unknown}, which no block has"))
        })?;
        let moves = self.inscriptions.connect(block, height, &spent);
        self.brc20.connect(&moves);
        self.blocks.push(hash);
        Ok(())
    }

    /// The coins that a transaction spends, one for each input; a coinbase spends none.
    fn spend(&mut self, transaction: &Transaction, height: u32) -> Result<Vec<Coin>, OutPoint> {
        let is_coinbase = transaction.is_coinbase();
        let inputs = transaction.input.iter().filter(|_| !is_coinbase).map(|input| input.previous_output);
        let spent: Result<Vec<Coin>, OutPoint> = inputs.map(|from| self.coins.remove(&from).ok_or(from)).collect();
        let txid = transaction.compute_txid();
        for (vout, output) in (0_u32..).zip(&transaction.output) {
            self.coins.insert(OutPoint::new(txid, vout), Coin { output: output.clone(), height, is_coinbase });
        }
        spent
    }

    fn disconnect_tip(&mut self) {
        self.blocks.pop();
        self.coins.undo();
        self.inscriptions.disconnect();
        self.brc20.disconnect();
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::Amount;
    use engine::asset_index::Brc20Index;

    use super::*;
    use crate::{EmbeddedChain, ReorgPolicy};

    const NEWT: &str = "newt";

    fn inscribe(chain: &EmbeddedChain, owner: &ScriptBuf, operation: &str) -> InscriptionId {
        let text = format!(r#"{{"p":"brc-20","tick":"{NEWT}",{operation}}}"#);
        chain.inscribe(owner, Amount::from_sat(546), "text/plain", text.as_bytes()).unwrap()
    }

    /// Follows the chain, and asserts that the reader agrees with the chain's own index.
    async fn agrees(reader: &mut Brc20Reader, chain: &EmbeddedChain, owner: &ScriptBuf, notes: &[InscriptionId]) {
        reader.sync(chain).await.unwrap();
        assert_eq!(reader.height(), chain.tip().await.unwrap().height);
        assert_eq!(reader.balance(owner, NEWT), Brc20Index::balance(chain, owner, NEWT).await.unwrap());
        for note in notes {
            assert_eq!(reader.note(*note), Brc20Index::transfer_inscription(chain, *note).await.unwrap());
        }
    }

    #[tokio::test]
    async fn it_agrees_with_the_chain_block_by_block_all_at_once_and_after_reorgs() {
        let chain = EmbeddedChain::new(1_800_000_000).unwrap();
        let owner = chain.faucet_script();
        let mut step_by_step = Brc20Reader::default();
        agrees(&mut step_by_step, &chain, &owner, &[]).await;
        inscribe(&chain, &owner, r#""op":"deploy","max":"21000000""#);
        inscribe(&chain, &owner, r#""op":"mint","amt":"25000""#);
        agrees(&mut step_by_step, &chain, &owner, &[]).await;
        let mut notes = vec![inscribe(&chain, &owner, r#""op":"transfer","amt":"10000""#)];
        agrees(&mut step_by_step, &chain, &owner, &notes).await;
        assert!(step_by_step.note(notes[0]).is_some_and(|note| !note.is_used));

        chain.reorg(1, ReorgPolicy::Drop).unwrap();
        agrees(&mut step_by_step, &chain, &owner, &notes).await;
        assert_eq!(step_by_step.note(notes[0]), None);
        notes.push(inscribe(&chain, &owner, r#""op":"transfer","amt":"7000""#));
        chain.mine(1).unwrap();
        agrees(&mut step_by_step, &chain, &owner, &notes).await;
        let mut at_once = Brc20Reader::default();
        agrees(&mut at_once, &chain, &owner, &notes).await;
    }
}
