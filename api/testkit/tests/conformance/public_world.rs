//! The public world: the embedded chain behind an explorer, as for operators without a node.

use std::num::NonZeroU32;
use std::sync::Arc;

use bitcoin::{Amount, Block, Network, OutPoint, ScriptBuf, Transaction, Txid};
use devchain::EmbeddedChain;
use engine::asset_index::{Brc20Balance, InscriptionId};
use providers::resilience::UpstreamMetrics;
use providers::{ExplorerChain, ProviderKind, SelfHosted, UpstreamConfig, UpstreamEnvironment, Upstreams};

use crate::embedded_world::Embedded;
use crate::world::{Fate, World};
use testkit::esplora::explorer;
use testkit::fake_server::FakeServer;

/// An explorer in place of the node, and the chain behind it as the indexer.
pub(crate) struct Public {
    behind: Embedded,
    node: Arc<ExplorerChain>,
    /// It serves the chain until it is dropped.
    _explorer: FakeServer,
}

/// Creates a node made of explorers, in this order.
pub(crate) fn node_of(explorers: &[&FakeServer]) -> Arc<ExplorerChain> {
    let per_minute = NonZeroU32::new(1_000_000).unwrap();
    let plans = (1..).zip(explorers).map(|(number, explorer)| {
        let (name, url) = (format!("explorer {number}"), explorer.url());
        UpstreamConfig { name, kind: ProviderKind::Mempool, url, key: None, per_minute }
    });
    let around = UpstreamEnvironment::new(Network::Regtest, Arc::new(|| 1 << 31), UpstreamMetrics::new().unwrap());
    Upstreams::new(SelfHosted::default(), plans.collect(), &around).unwrap().chain
}

impl World for Public {
    type Node = ExplorerChain;
    type Indexer = EmbeddedChain;

    async fn start() -> Self {
        let behind = Embedded::start().await;
        let explorer = explorer(behind.node().clone()).await;
        let node = node_of(&[&explorer]);
        Self { behind, node, _explorer: explorer }
    }

    fn node(&self) -> &ExplorerChain {
        &self.node
    }

    fn indexer(&self) -> &EmbeddedChain {
        self.behind.indexer()
    }

    async fn mine(&self, blocks: u32) {
        self.behind.mine(blocks).await;
    }

    async fn mine_these(&self, transactions: &[Transaction]) {
        self.behind.mine_these(transactions).await;
    }

    async fn set_time(&self, unix_seconds: u32) {
        self.behind.set_time(unix_seconds).await;
    }

    async fn fund(&self, script_pubkey: &ScriptBuf, amount: Amount) -> OutPoint {
        self.behind.fund(script_pubkey, amount).await
    }

    async fn reorg(&self, depth: u32, fate: Fate) {
        self.behind.reorg(depth, fate).await;
    }

    async fn block(&self, height: u32) -> Option<Block> {
        World::block(&self.behind, height).await
    }

    async fn waiting(&self) -> Vec<Txid> {
        World::waiting(&self.behind).await
    }

    async fn balance(&self, owner: &ScriptBuf, ticker: &str) -> Option<Brc20Balance> {
        World::balance(&self.behind, owner, ticker).await
    }

    async fn is_unused_note(&self, inscription: InscriptionId) -> Option<bool> {
        self.behind.is_unused_note(inscription).await
    }
}
