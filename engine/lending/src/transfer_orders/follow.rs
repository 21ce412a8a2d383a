//! What became of the orders that were sent.

use std::time::Duration;

use bitcoin::consensus::encode::deserialize_hex;
use bitcoin::{OutPoint, Transaction};
use domain::{OrderState, StandingOrder};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError, Presence};

use super::OrderError;
use super::record::RecordError;
use crate::depth::BURIED;
use crate::desk::Desk;
use crate::ports::Ports;

/// How often the tip is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A round is made at least this often, whether or not a block came.
const ROUND_EVERY: u32 = 30;

/// What one look at all orders came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrdersFollowed {
    /// Buried for good.
    pub revealed: usize,
    /// Their coins were spent elsewhere for good.
    pub failed: usize,
    /// They wait, or a block has them that may be undone.
    pub waiting: usize,
    /// The node does not take them now; they are sent again with the next block.
    pub refused: usize,
    /// Nobody could say.
    pub unknown: usize,
}

/// Where one order stands.
enum Standing {
    Revealed,
    Failed,
    Waiting,
    Refused,
}

impl<P: Ports> Desk<P> {
    /// Follows orders until the future is dropped: at once, with every block, and every half minute without one.
    pub async fn watch_orders(&self) {
        let (mut seen, mut idle) = (None, 0);
        loop {
            let tip = self.ports.chain().tip().await.ok().map(|tip| tip.hash);
            idle += 1;
            if tip.is_some() && (tip != seen || idle >= ROUND_EVERY) {
                (seen, idle) = (tip, 0);
                if let Err(error) = self.follow_orders().await {
                    tracing::warn!(%error, "orders of transfer notes were not looked at");
                    seen = None;
                }
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Ends the orders whose time to be signed is over, and asks the chain about those that were sent: what it does not
    /// have is sent again. To be called at the start and with every block. One order that nobody can say anything about
    /// does not keep the others waiting.
    ///
    /// # Errors
    /// When the market takes nothing any more.
    pub async fn follow_orders(&self) -> Result<OrdersFollowed, Refusal> {
        self.market.lapse_orders().await?;
        let mut followed = OrdersFollowed::default();
        for order in self.market.committed_orders().await {
            let id = order.order.id;
            match self.follow_order(&order).await {
                Ok(Standing::Revealed) => {
                    self.market.order_revealed(id).await?;
                    followed.revealed += 1;
                }
                Ok(Standing::Failed) => {
                    self.market.order_failed(id).await?;
                    followed.failed += 1;
                }
                Ok(Standing::Waiting) => followed.waiting += 1,
                Ok(Standing::Refused) => followed.refused += 1,
                Err(error) => {
                    tracing::warn!(order = %id, %error, "nobody can say where an order stands");
                    followed.unknown += 1;
                }
            }
        }
        Ok(followed)
    }

    async fn follow_order(&self, order: &StandingOrder) -> Result<Standing, OrderError> {
        let OrderState::Committed { transactions, .. } = &order.state else { return Ok(Standing::Waiting) };
        let both = transactions_of(transactions)?;
        let chain = self.ports.chain();
        match chain.transaction(both[1].compute_txid()).await?.map(|seen| seen.presence) {
            Some(Presence::Waiting) => return Ok(Standing::Waiting),
            Some(Presence::Confirmed { height, .. }) => {
                // A tip that was asked for later is never older.
                let above = chain.tip().await?.height.saturating_sub(height);
                return Ok(if above.saturating_add(1) >= BURIED { Standing::Revealed } else { Standing::Waiting });
            }
            None => {}
        }
        match self.send_both(&both).await {
            Ok(()) => Ok(Standing::Waiting),
            Err(ChainError::Refused(refusal)) => {
                for input in &both[0].input {
                    if self.is_spent_for_good(input.previous_output, &both[0]).await? {
                        return Ok(Standing::Failed);
                    }
                }
                tracing::warn!(order = %order.order.id, %refusal, "an order is sent again later");
                Ok(Standing::Refused)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Sends commit and reveal, or the reveal alone once a block has the commit.
    pub(super) async fn send_both(&self, both: &[Transaction; 2]) -> Result<(), ChainError> {
        let chain = self.ports.chain();
        let commit = chain.transaction(both[0].compute_txid()).await?;
        let is_mined = commit.is_some_and(|seen| matches!(seen.presence, Presence::Confirmed { .. }));
        chain.broadcast(if is_mined { &both[1..] } else { both }).await
    }

    /// Whether a block that nobody will undo has spent a coin, by another transaction than this.
    async fn is_spent_for_good(&self, coin: OutPoint, own: &Transaction) -> Result<bool, ChainError> {
        let chain = self.ports.chain();
        let tip = chain.tip().await?.height;
        if chain.unspent_in_blocks(coin).await?.is_some() {
            return Ok(false);
        }
        // What a block no longer has may come back with the next one.
        let source = chain.transaction(coin.txid).await?;
        if !source.is_some_and(|seen| matches!(seen.presence, Presence::Confirmed { .. })) {
            return Ok(false);
        }
        let id = own.compute_txid();
        for height in tip.saturating_sub(BURIED.saturating_sub(2))..=tip {
            let Some(block) = chain.block_hash(height).await? else { return Ok(false) };
            let Some(transactions) = chain.transactions_of(block).await? else { return Ok(false) };
            let mut inputs = transactions.iter().flat_map(|transaction| &transaction.input);
            if inputs.any(|input| input.previous_output == coin) {
                return Ok(false);
            }
        }
        // Our own commit may be the one that is buried, and the reveal alone missing.
        Ok(chain.transaction(id).await?.is_none())
    }
}

/// Commit and reveal as they were written.
pub(super) fn transactions_of(written: &[String; 2]) -> Result<[Transaction; 2], RecordError> {
    let read = |text: &String| deserialize_hex(text).map_err(|error| RecordError::Malformed(error.to_string()));
    Ok([read(&written[0])?, read(&written[1])?])
}
