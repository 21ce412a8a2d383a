//! The embedded world: the chain and the indexer that the demo runs on.

use bitcoin::{Amount, Block, OutPoint, ScriptBuf, Transaction, Txid};
use devchain::{EmbeddedChain, ReorgPolicy};
use engine::asset_index::{Brc20Balance, Brc20Index, InscriptionId};

use super::world::{Fate, START_BLOCKS, START_SECONDS, World};

/// The embedded chain, which is node and indexer in one.
pub struct Embedded {
    chain: EmbeddedChain,
}

impl Embedded {
    /// Creates one whose clock starts at this time.
    pub fn start_at(clock_seconds: u32) -> Self {
        Self { chain: EmbeddedChain::new(clock_seconds).unwrap() }
    }
}

impl World for Embedded {
    type Node = EmbeddedChain;
    type Indexer = EmbeddedChain;

    async fn start() -> Self {
        let Self { chain } = Self::start_at(START_SECONDS);
        assert!(chain.block(START_BLOCKS).is_some() && chain.block(START_BLOCKS + 1).is_none());
        Self { chain }
    }

    fn node(&self) -> &EmbeddedChain {
        &self.chain
    }

    fn indexer(&self) -> &EmbeddedChain {
        &self.chain
    }

    async fn mine(&self, blocks: u32) {
        self.chain.mine(blocks).unwrap();
    }

    async fn mine_these(&self, transactions: &[Transaction]) {
        self.chain.mine_transactions(transactions.to_vec()).unwrap();
    }

    async fn set_time(&self, unix_seconds: u32) {
        self.chain.set_time(unix_seconds);
    }

    async fn fund(&self, script_pubkey: &ScriptBuf, amount: Amount) -> OutPoint {
        self.chain.fund(script_pubkey, amount).unwrap()
    }

    async fn reorg(&self, depth: u32, fate: Fate) {
        let fate = match fate {
            Fate::Wait => ReorgPolicy::Requeue,
            Fate::Forgotten => ReorgPolicy::Drop,
        };
        self.chain.reorg(depth, fate).unwrap();
    }

    async fn block(&self, height: u32) -> Option<Block> {
        self.chain.block(height)
    }

    async fn waiting(&self) -> Vec<Txid> {
        let mut ids = self.chain.mempool_txids();
        ids.sort_unstable();
        ids
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Option<Brc20Balance> {
        Some(Brc20Index::balance(&self.chain, owner, ticker).await.unwrap())
    }

    async fn is_unused_note(&self, inscription: InscriptionId) -> Option<bool> {
        Some(self.chain.transfer_inscription(inscription).await.unwrap().is_some_and(|note| !note.is_used))
    }
}
