//! The interface of a world in which scenarios run.

use bitcoin::{Amount, Block, OutPoint, ScriptBuf, Transaction, Txid};
use engine::asset_index::{AssetIndex, Brc20Balance, InscriptionId};
use engine::chain::{Chain, ChainError, ChainPosition, TxRejection};
use engine::coin_index::CoinIndex;

/// The clock of the first blocks.
pub const START_SECONDS: u32 = 1_750_000_000;
/// The number of blocks at the start.
pub const START_BLOCKS: u32 = 150;

/// The fate of transactions in blocks that a reorg disconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// They are in the mempool.
    Wait,
    /// They are dropped.
    Forgotten,
}

/// An isolated chain with an indexer. It only changes through its controls.
pub trait World: Sized {
    /// The node.
    type Node: Chain;
    /// The indexer.
    type Indexer: AssetIndex + CoinIndex;

    /// A new world with [`START_BLOCKS`] blocks.
    async fn start() -> Self;

    /// Its node.
    fn node(&self) -> &Self::Node;

    /// Its indexer, which has read every block by the time a control returns.
    fn indexer(&self) -> &Self::Indexer;

    /// Mines this number of blocks from the mempool.
    async fn mine(&self, blocks: u32);

    /// Mines one block of exactly these transactions.
    async fn mine_these(&self, transactions: &[Transaction]);

    /// Sets the clock of the next blocks. Median time past follows six blocks later.
    async fn set_time(&self, unix_seconds: u32);

    /// Pays a script, in a block of its own: a confirmed coin without assets.
    async fn fund(&self, script_pubkey: &ScriptBuf, amount: Amount) -> OutPoint;

    /// Disconnects the last `depth` blocks and mines `depth + 1` empty ones in their place.
    async fn reorg(&self, depth: u32, fate: Fate);

    /// Returns the block of the best chain at a height.
    async fn block(&self, height: u32) -> Option<Block>;

    /// Returns the transactions in the mempool, in order of their txids.
    async fn waiting(&self) -> Vec<Txid>;

    /// Returns a script's balance of a BRC-20 token; `None` in worlds without such an index, as of ord.
    async fn balance(&self, _owner: &ScriptBuf, _ticker: &str) -> Option<Brc20Balance> {
        None
    }

    /// Returns whether an inscription is an unused BRC-20 transfer inscription; `None` as above.
    async fn is_unused_note(&self, _inscription: InscriptionId) -> Option<bool> {
        None
    }
}

/// Broadcasts a transaction and mines it.
pub async fn confirm(world: &impl World, transaction: &Transaction) {
    let txid = transaction.compute_txid();
    world.node().broadcast(std::slice::from_ref(transaction)).await.unwrap();
    world.mine(1).await;
    let seen = world.node().transaction(txid).await.unwrap().unwrap();
    assert!(matches!(seen.position, ChainPosition::Confirmed { .. }), "{txid} is not mined");
}

/// Returns the reason why the node refuses a transaction, the same for a test and a broadcast.
///
/// The details in parentheses are left out, as script interpreters word them differently.
pub async fn refusal(world: &impl World, transaction: &Transaction) -> String {
    let own = std::slice::from_ref(transaction);
    let reason = |outcome: Result<(), ChainError>| match outcome {
        Err(ChainError::Rejected(TxRejection { txid, reason })) => {
            assert_eq!(txid, transaction.compute_txid());
            reason.split(" (").next().unwrap_or_default().to_owned()
        }
        other => panic!("not a refusal: {other:?}"),
    };
    let (tested, sent) = (reason(world.node().test_accept(own).await), reason(world.node().broadcast(own).await));
    // Core has two names for this reason.
    if tested == "missing-inputs" {
        assert_eq!(sent, "bad-txns-inputs-missingorspent");
    } else {
        assert_eq!(tested, sent);
    }
    sent
}

/// Broadcasts a transaction, which the node must accept in a test as well.
pub async fn send(world: &impl World, transaction: &Transaction) {
    let own = std::slice::from_ref(transaction);
    assert_eq!(world.node().test_accept(own).await, Ok(()));
    assert_eq!(world.node().broadcast(own).await, Ok(()));
    assert!(world.waiting().await.contains(&transaction.compute_txid()));
}
