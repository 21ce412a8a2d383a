//! The market's chain and indexes on the configured node and services.

use bitcoin::{Amount, BlockHash, FeeRate, OutPoint, Script, ScriptBuf, Transaction, Txid};
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::{Chain, ChainError, KnownTransaction, Tip, Unspent};
use engine::coin_index::{CoinIndex, LISTED_MAX};
use ordinals::SpacedRune;
use providers::FeeEstimate;

use super::node_chain::NodeChain;
use super::real_node::RealNode;

impl Chain for RealNode {
    async fn tip(&self) -> Result<Tip, ChainError> {
        self.chain().tip().await
    }

    async fn block_hash(&self, height: u32) -> Result<Option<BlockHash>, ChainError> {
        self.chain().block_hash(height).await
    }

    async fn unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.chain().unspent(outpoint).await
    }

    async fn confirmed_unspent(&self, outpoint: OutPoint) -> Result<Option<Unspent>, ChainError> {
        self.chain().confirmed_unspent(outpoint).await
    }

    async fn median_time(&self, block: BlockHash) -> Result<Option<u32>, ChainError> {
        self.chain().median_time(block).await
    }

    async fn block_transactions(&self, block: BlockHash) -> Result<Option<Vec<Transaction>>, ChainError> {
        self.chain().block_transactions(block).await
    }

    async fn transaction(&self, txid: Txid) -> Result<Option<KnownTransaction>, ChainError> {
        self.chain().transaction(txid).await
    }

    async fn test_accept(&self, package: &[Transaction]) -> Result<(), ChainError> {
        self.chain().test_accept(package).await
    }

    /// Broadcasts by the node, or by explorers while the node is unavailable.
    async fn broadcast(&self, package: &[Transaction]) -> Result<(), ChainError> {
        let sent = self.chain().broadcast(package).await;
        let (Err(ChainError::Unreachable(_)), NodeChain::Core(_)) = (&sent, self.chain()) else { return sent };
        let explorers = &self.upstreams().chain;
        if explorers.is_empty() {
            return sent;
        }
        match explorers.broadcast(package).await {
            Ok(()) => Ok(()),
            // An explorer's refusal is not conclusive; the chain will show whether the package is known.
            Err(_) => sent,
        }
    }

    /// Returns the node's estimate, or the recommendation of other services if the node has too little data or does not
    /// answer.
    async fn fee_rate(&self, within_blocks: u16) -> Result<FeeRate, ChainError> {
        let own = match self.chain() {
            NodeChain::Core(core) => core.fee_estimate(within_blocks).await,
            NodeChain::Explorers(_) => Err(ChainError::Unreachable("no explorer advises on fees".to_owned())),
        };
        let least = match own {
            Ok(FeeEstimate { estimate: Some(rate), minimum }) => return Ok(rate.max(minimum)),
            Ok(FeeEstimate { estimate: None, minimum }) => Ok(minimum),
            Err(error) => Err(error),
        };
        match (self.advice().await, least) {
            (Some(advice), Ok(least)) => Ok(advice.for_blocks(within_blocks).max(least)),
            (Some(advice), Err(ChainError::Unreachable(_))) => Ok(advice.for_blocks(within_blocks)),
            (_, least) => least,
        }
    }
}

impl AssetIndex for RealNode {
    async fn height(&self) -> Result<u32, AssetError> {
        self.assets().height(|| self.chain_height()).await
    }

    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        self.assets().carried_by(outpoint).await
    }

    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        self.assets().place_of(inscription).await
    }

    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        self.assets().number_of(inscription).await
    }

    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        self.assets().rune(name).await
    }

    /// Cross-checks what is to be pledged against independent indexers, if any are configured.
    async fn cross_check(&self, outpoint: OutPoint, carried: &OutputAssets) -> Result<(), AssetError> {
        if !self.assets().can_cross_check() {
            return Ok(());
        }
        self.assets().cross_check(self.chain_height().await?, outpoint, carried).await
    }
}

impl Brc20Index for RealNode {
    async fn brc20_height(&self) -> Result<u32, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.height()),
            None => self.upstreams().brc20.height(self.chain_height().await?).await,
        }
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Result<Brc20Balance, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.balance(owner, ticker)),
            None => self.upstreams().brc20.balance(self.chain_height().await?, owner, ticker).await,
        }
    }

    async fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> Result<Option<TransferInscription>, AssetError> {
        match self.reader().await {
            Some(reader) => Ok(reader?.note(inscription)),
            None => self.upstreams().brc20.note(self.chain_height().await?, inscription).await,
        }
    }
}

impl CoinIndex for RealNode {
    /// Lists the outputs of a script by ord, else by an explorer that is not behind the node.
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        let addresses = &self.upstreams().addresses;
        let own = match addresses.self_hosted() {
            Some(ord) => match ord.outputs_of(owner).await {
                Ok(listed) => return Ok(listed),
                Err(trouble) => {
                    addresses.count_fallback(ord.as_ref(), &trouble);
                    Some(AssetError::from(trouble))
                }
            },
            None => None,
        };
        let tip = match self.chain_height().await {
            Ok(tip) => tip,
            Err(error) => return Err(own.unwrap_or(error)),
        };
        match addresses.first_synced((tip, 0), |member| member.outputs_of(owner)).await {
            Ok(mut outputs) => {
                outputs.sort_unstable();
                outputs.dedup();
                outputs.truncate(LISTED_MAX);
                Ok(outputs)
            }
            Err(none) => Err(own.unwrap_or_else(|| AssetError::Unreachable(none.to_string()))),
        }
    }
}
