//! The follow-up of committed orders on the chain.

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

/// The interval at which the tip is polled.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The number of polls after which a round is run even without a new block.
const ROUND_EVERY: u32 = 30;

/// The result of one round over all orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrdersFollowed {
    /// Orders whose reveal is buried.
    pub revealed: usize,
    /// Orders whose coins are finally spent by another transaction.
    pub failed: usize,
    /// Orders in the mempool, or in a block that a reorg may still disconnect.
    pub waiting: usize,
    /// Orders that the node refuses at present; they are broadcast again with the next block.
    pub refused: usize,
    /// Orders of unknown status.
    pub unknown: usize,
}

/// The status of one order.
enum Standing {
    Revealed,
    Failed,
    Waiting,
    Refused,
}

impl<P: Ports> Desk<P> {
    /// Follows orders until the future is dropped: at once, at every block, and every half minute without one.
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

    /// Lapses the orders whose signing time is over, and queries the chain for committed ones: missing ones are
    /// broadcast again. To be called at startup and at every block. An order of unknown status does not delay the
    /// others.
    ///
    /// # Errors
    /// [`Refusal::Closed`] and other refusals of the market.
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
                // A later tip is never lower.
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

    /// Broadcasts commit and reveal, or only the reveal once the commit is confirmed.
    pub(super) async fn send_both(&self, both: &[Transaction; 2]) -> Result<(), ChainError> {
        let chain = self.ports.chain();
        let commit = chain.transaction(both[0].compute_txid()).await?;
        let is_mined = commit.is_some_and(|seen| matches!(seen.presence, Presence::Confirmed { .. }));
        chain.broadcast(if is_mined { &both[1..] } else { both }).await
    }

    /// Whether a coin was finally spent by another transaction than this, in a block that no reorg is expected to
    /// disconnect.
    async fn is_spent_for_good(&self, coin: OutPoint, own: &Transaction) -> Result<bool, ChainError> {
        let chain = self.ports.chain();
        let tip = chain.tip().await?.height;
        if chain.unspent_in_blocks(coin).await?.is_some() {
            return Ok(false);
        }
        // An output without a confirmed parent may be confirmed by the next block.
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
        // Our own commit may be the one that is buried, and only the reveal missing.
        Ok(chain.transaction(id).await?.is_none())
    }
}

/// Decodes commit and reveal.
pub(super) fn transactions_of(written: &[String; 2]) -> Result<[Transaction; 2], RecordError> {
    let read = |text: &String| deserialize_hex(text).map_err(|error| RecordError::Malformed(error.to_string()));
    Ok([read(&written[0])?, read(&written[1])?])
}
