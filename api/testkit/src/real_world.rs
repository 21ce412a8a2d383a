//! The real world: Bitcoin Core and ord on regtest.

use std::path::PathBuf;

use bitcoin::consensus::encode::deserialize_hex;
use bitcoin::{
    Amount, Block, Network, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Txid, Witness, absolute,
    transaction::Version,
};
use providers::{BitcoinCore, Credentials, OrdServer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Mutex;

use super::bitcoind::Bitcoind;
use super::ord_process::OrdProcess;
use super::world::{Fate, START_BLOCKS, START_SECONDS, World};

/// The fee of a faucet payment.
const FEE: Amount = Amount::from_sat(1_000);

/// Bitcoin Core and ord, in a folder of their own.
pub struct CoreAndOrd {
    node: BitcoinCore,
    indexer: OrdServer,
    inside: Mutex<Inside>,
}

/// The programs, which are ended in this order.
struct Inside {
    ord: OrdProcess,
    bitcoind: Bitcoind,
    /// The height of the next block whose reward the faucet spends.
    faucet_height: u32,
    /// The folder of both, removed after they have ended.
    _folder: TempDir,
}

impl Inside {
    async fn wait_until_indexed(&mut self) {
        self.ord.wait_until_indexed(&self.bitcoind).await;
    }

    async fn height(&self) -> u32 {
        number(&self.bitcoind.call("getblockcount", json!([])).await)
    }

    async fn block(&self, height: u32) -> Block {
        let hash = self.bitcoind.call("getblockhash", json!([height])).await;
        let hex = self.bitcoind.call("getblock", json!([hash, 0])).await;
        deserialize_hex(hex.as_str().unwrap()).unwrap()
    }

    /// Returns the mempool, parents before children.
    async fn waiting(&self) -> Vec<Transaction> {
        let entries = self.bitcoind.call("getrawmempool", json!([true])).await;
        let mut ids: Vec<(u32, &String)> =
            entries.as_object().unwrap().iter().map(|(id, entry)| (number(&entry["ancestorcount"]), id)).collect();
        ids.sort();
        let mut waiting = Vec::new();
        for (_, id) in ids {
            let hex = self.bitcoind.call("getrawtransaction", json!([id])).await;
            waiting.push(deserialize_hex(hex.as_str().unwrap()).unwrap());
        }
        waiting
    }

    /// Spends the reward of an old block, whose script requires no signature.
    async fn payment(&mut self, script_pubkey: &ScriptBuf, amount: Amount) -> Transaction {
        self.faucet_height += 1;
        assert!(self.faucet_height + 100 <= self.height().await + 1, "the faucet has run dry");
        let reward = self.block(self.faucet_height).await.txdata[0].clone();
        let rest = reward.output[0].value.checked_sub(amount + FEE).unwrap();
        let input = TxIn {
            previous_output: OutPoint::new(reward.compute_txid(), 0),
            script_sig: ScriptBuf::new(),
            sequence: Sequence::MAX,
            witness: Witness::new(),
        };
        let change = TxOut { value: rest, script_pubkey: reward.output[0].script_pubkey.clone() };
        Transaction {
            version: Version::TWO,
            lock_time: absolute::LockTime::ZERO,
            input: vec![input],
            output: vec![TxOut { value: amount, script_pubkey: script_pubkey.clone() }, change],
        }
    }
}

impl CoreAndOrd {
    /// Starts a world at this time.
    pub async fn start_at(clock_seconds: u32) -> Self {
        Self::start_with(clock_seconds, None).await
    }

    /// Does the same with a maximum block weight, including Core's reserve for the coinbase.
    pub async fn start_with(clock_seconds: u32, block_weight_max: Option<u32>) -> Self {
        let folder = TempDir::new().unwrap();
        let mut bitcoind = Bitcoind::start(folder.path(), clock_seconds, block_weight_max).await;
        // From its second block on, its chain differs from that of any other test.
        bitcoind.mine(None).await;
        let ord = OrdProcess::start(folder.path(), &bitcoind).await;
        let node = BitcoinCore::new(&bitcoind.url(), Credentials::Cookie(bitcoind.cookie())).unwrap();
        let indexer = OrdServer::new(&ord.url(), Network::Regtest).unwrap();
        indexer.check().await.unwrap();
        let inside = Inside { ord, bitcoind, faucet_height: 0, _folder: folder };
        let world = Self { node, indexer, inside: Mutex::new(inside) };
        world.mine(START_BLOCKS - 1).await;
        world
    }

    /// Returns the URL of the node, and its cookie file.
    pub async fn node_access(&self) -> (String, PathBuf) {
        let inside = self.inside.lock().await;
        (inside.bitcoind.url(), inside.bitcoind.cookie())
    }

    /// Returns the URL of ord.
    pub async fn ord_url(&self) -> String {
        self.inside.lock().await.ord.url()
    }

    /// Stops the node, whose mempool is lost.
    pub async fn stop_node(&self) {
        self.inside.lock().await.bitcoind.stop().await;
    }

    /// Starts it again with its data.
    pub async fn start_node(&self) {
        self.inside.lock().await.bitcoind.start_again().await;
    }

    /// Stops ord.
    pub async fn stop_ord(&self) {
        self.inside.lock().await.ord.stop();
    }

    /// Starts ord again with its data, and waits until it has read every block.
    pub async fn start_ord(&self) {
        let mut inside = self.inside.lock().await;
        inside.ord.start_again();
        inside.wait_until_indexed().await;
    }

    /// Makes the node stop answering, or answer again.
    pub async fn freeze_node(&self, is_frozen: bool) {
        self.inside.lock().await.bitcoind.set_frozen(is_frozen);
    }

    /// Makes ord stop answering, or answer again.
    pub async fn freeze_ord(&self, is_frozen: bool) {
        self.inside.lock().await.ord.set_frozen(is_frozen);
    }

    /// Mines blocks without waiting for ord to read them.
    pub async fn mine_without_indexing(&self, blocks: u32) {
        let mut inside = self.inside.lock().await;
        for _ in 0..blocks {
            inside.bitcoind.mine(None).await;
        }
    }
}

impl World for CoreAndOrd {
    type Node = BitcoinCore;
    type Indexer = OrdServer;

    async fn start() -> Self {
        Self::start_at(START_SECONDS).await
    }

    fn node(&self) -> &BitcoinCore {
        &self.node
    }

    fn indexer(&self) -> &OrdServer {
        &self.indexer
    }

    async fn mine(&self, blocks: u32) {
        let mut inside = self.inside.lock().await;
        for _ in 0..blocks {
            inside.bitcoind.mine(None).await;
        }
        inside.wait_until_indexed().await;
    }

    async fn mine_these(&self, transactions: &[Transaction]) {
        let mut inside = self.inside.lock().await;
        inside.bitcoind.mine(Some(transactions)).await;
        inside.wait_until_indexed().await;
    }

    async fn set_time(&self, unix_seconds: u32) {
        self.inside.lock().await.bitcoind.set_time(unix_seconds).await;
    }

    async fn fund(&self, script_pubkey: &ScriptBuf, amount: Amount) -> OutPoint {
        let mut inside = self.inside.lock().await;
        let payment = inside.payment(script_pubkey, amount).await;
        inside.bitcoind.mine(Some(std::slice::from_ref(&payment))).await;
        inside.wait_until_indexed().await;
        OutPoint::new(payment.compute_txid(), 0)
    }

    async fn reorg(&self, depth: u32, fate: Fate) {
        let mut inside = self.inside.lock().await;
        let waiting = inside.waiting().await;
        let first = inside.height().await + 1 - depth;
        let hash = inside.bitcoind.call("getblockhash", json!([first])).await;
        inside.bitcoind.call("invalidateblock", json!([hash])).await;
        if fate == Fate::Forgotten {
            inside.bitcoind.restart().await;
        }
        for _ in 0..=depth {
            inside.bitcoind.mine(Some(&[])).await;
        }
        if fate == Fate::Forgotten {
            for transaction in waiting {
                // A transaction that spends a dropped one cannot be restored.
                let _ = engine::chain::Chain::broadcast(&self.node, &[transaction]).await;
            }
        }
        inside.wait_until_indexed().await;
    }

    async fn block(&self, height: u32) -> Option<Block> {
        let inside = self.inside.lock().await;
        if height > inside.height().await { None } else { Some(inside.block(height).await) }
    }

    async fn waiting(&self) -> Vec<Txid> {
        let waiting = self.inside.lock().await.waiting().await;
        let mut ids: Vec<Txid> = waiting.iter().map(Transaction::compute_txid).collect();
        ids.sort_unstable();
        ids
    }
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|value| value.try_into().ok()).unwrap()
}
