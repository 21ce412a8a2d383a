//! What every scenario needs of the world it is played in.

use bitcoin::{Amount, Block, OutPoint, ScriptBuf, Transaction, Txid};
use engine::asset_index::{AssetIndex, Brc20Balance, InscriptionId};
use engine::chain::{Chain, ChainError, NodeRefusal, Presence};
use engine::coin_index::CoinIndex;

/// The clock of the first blocks.
pub(crate) const START_SECONDS: u32 = 1_750_000_000;
/// How many blocks there are from the start.
pub(crate) const START_BLOCKS: u32 = 150;

/// What becomes of the transactions of blocks that a reorg takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// They wait for another block.
    Wait,
    /// They are gone.
    Forgotten,
}

/// A chain of one's own with an indexer beside it. Nothing happens in it by itself.
pub(crate) trait World: Sized {
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

    /// Mines so many blocks of what waits.
    async fn mine(&self, blocks: u32);

    /// Mines one block of exactly these transactions.
    async fn mine_these(&self, transactions: &[Transaction]);

    /// Sets the clock of the next blocks. Median time past follows six blocks later.
    async fn set_time(&self, unix_seconds: u32);

    /// Pays a script, in a block of its own: a confirmed coin without assets.
    async fn fund(&self, script_pubkey: &ScriptBuf, amount: Amount) -> OutPoint;

    /// Takes the last `depth` blocks back and mines `depth + 1` empty ones in their place.
    async fn reorg(&self, depth: u32, fate: Fate);

    /// The block of the best chain at a height.
    async fn block(&self, height: u32) -> Option<Block>;

    /// The transactions that wait for a block, in order of their ids.
    async fn waiting(&self) -> Vec<Txid>;

    /// What a script owns of a BRC-20 token; `None` where nobody keeps such balances, as ord does not.
    async fn balance(&self, _owner: &ScriptBuf, _ticker: &str) -> Option<Brc20Balance> {
        None
    }

    /// Whether an inscription is a BRC-20 transfer note that was not moved yet; `None` as above.
    async fn is_unused_note(&self, _inscription: InscriptionId) -> Option<bool> {
        None
    }
}

/// Sends a transaction on and mines it.
pub(crate) async fn confirm(world: &impl World, transaction: &Transaction) {
    let txid = transaction.compute_txid();
    world.node().broadcast(std::slice::from_ref(transaction)).await.unwrap();
    world.mine(1).await;
    let seen = world.node().transaction(txid).await.unwrap().unwrap();
    assert!(matches!(seen.presence, Presence::Confirmed { .. }), "{txid} is not mined");
}

/// Why the node does not take a transaction, whether it is only asked or told to send it on.
///
/// The details that follow in parentheses, for which script checkers have texts of their own, are left out.
pub(crate) async fn refusal(world: &impl World, transaction: &Transaction) -> String {
    let own = std::slice::from_ref(transaction);
    let reason = |outcome: Result<(), ChainError>| match outcome {
        Err(ChainError::Refused(NodeRefusal { txid, reason })) => {
            assert_eq!(txid, transaction.compute_txid());
            reason.split(" (").next().unwrap_or_default().to_owned()
        }
        other => panic!("not a refusal: {other:?}"),
    };
    let (asked, told) = (reason(world.node().test(own).await), reason(world.node().broadcast(own).await));
    // Core has two names for this.
    if asked == "missing-inputs" {
        assert_eq!(told, "bad-txns-inputs-missingorspent");
    } else {
        assert_eq!(asked, told);
    }
    told
}

/// The node takes a transaction, whether it is only asked or told to send it on.
pub(crate) async fn send(world: &impl World, transaction: &Transaction) {
    let own = std::slice::from_ref(transaction);
    assert_eq!(world.node().test(own).await, Ok(()));
    assert_eq!(world.node().broadcast(own).await, Ok(()));
    assert!(world.waiting().await.contains(&transaction.compute_txid()));
}
