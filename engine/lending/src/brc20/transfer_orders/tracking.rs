//! The follow-up of committed orders on the chain.

use std::time::Duration;

use bitcoin::consensus::encode::deserialize_hex;
use bitcoin::{OutPoint, Transaction};
use domain::{TrackedOrder, TransferOrderState};
use engine::Refusal;
use engine::chain::{Chain as _, ChainError, ChainPosition, Tip};

use super::TransferOrderError;
use super::record::RecordError;
use crate::lookups::confirmations::{EXPECTED_REORG_MAX, SETTLEMENT_CONFIRMATIONS};
use crate::lookups::ports::Ports;
use crate::service::loan_service::LoanService;

/// The interval at which the tip is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The number of polls after which a round is run even without a new block.
const POLLS_PER_ROUND: u32 = 30;

/// The result of one round over all orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferOrdersTracked {
    /// Orders whose reveal is settled.
    pub revealed: usize,
    /// Orders whose coins are finally spent by another transaction.
    pub failed: usize,
    /// Orders in the mempool, or in a block that a reorg may still disconnect.
    pub unconfirmed: usize,
    /// Orders that the node refuses at present; they are broadcast again with the next block.
    pub refused: usize,
    /// Orders of unknown status.
    pub unknown: usize,
}

/// The status of one order.
enum TransferOrderStatus {
    Revealed,
    Failed,
    Unconfirmed,
    Refused,
}

impl<P: Ports> LoanService<P> {
    /// Follows orders until the future is dropped: at once, at every block, and every half minute without one.
    pub async fn watch_orders(&self) {
        let (mut seen, mut idle) = (None, 0);
        loop {
            let tip = self.ports.chain().tip().await.ok().map(|tip| tip.hash);
            idle += 1;
            if tip.is_some() && (tip != seen || idle >= POLLS_PER_ROUND) {
                (seen, idle) = (tip, 0);
                if let Err(error) = self.track_orders().await {
                    tracing::warn!(%error, "orders of transfer notes could not be checked");
                    seen = None;
                }
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Lapses the orders whose signing time is over, and queries the chain for committed ones: missing ones are
    /// broadcast again. To be called at startup and at every block. An order of unknown status does not delay the
    /// others.
    ///
    /// # Errors
    /// [`Refusal::Closed`] and other refusals of the market.
    pub async fn track_orders(&self) -> Result<TransferOrdersTracked, Refusal> {
        self.market.lapse_orders().await?;
        let mut tracked = TransferOrdersTracked::default();
        for order in self.market.committed_orders().await {
            let id = order.order.id;
            match self.track_order(&order).await {
                Ok(TransferOrderStatus::Revealed) => {
                    self.market.order_revealed(id).await?;
                    tracked.revealed += 1;
                }
                Ok(TransferOrderStatus::Failed) => {
                    self.market.order_failed(id).await?;
                    tracked.failed += 1;
                }
                Ok(TransferOrderStatus::Unconfirmed) => tracked.unconfirmed += 1,
                Ok(TransferOrderStatus::Refused) => tracked.refused += 1,
                Err(error) => {
                    tracing::warn!(order = %id, %error, "the status of an order is unknown");
                    tracked.unknown += 1;
                }
            }
        }
        Ok(tracked)
    }

    async fn track_order(&self, order: &TrackedOrder) -> Result<TransferOrderStatus, TransferOrderError> {
        let TransferOrderState::Committed { transactions, .. } = &order.state else {
            return Ok(TransferOrderStatus::Unconfirmed);
        };
        let both = decode_transactions(transactions)?;
        let chain = self.ports.chain();
        let tip = chain.tip().await?;
        match chain.transaction(both[1].compute_txid()).await?.map(|seen| seen.position) {
            Some(ChainPosition::InMempool) => return Ok(TransferOrderStatus::Unconfirmed),
            Some(ChainPosition::Confirmed { height, .. }) => {
                let confirmations = tip.height.saturating_sub(height).saturating_add(1);
                let is_settled = confirmations >= SETTLEMENT_CONFIRMATIONS && self.is_still_tip(tip).await?;
                return Ok(if is_settled { TransferOrderStatus::Revealed } else { TransferOrderStatus::Unconfirmed });
            }
            None => {}
        }
        match self.broadcast_both(&both).await {
            Ok(()) => Ok(TransferOrderStatus::Unconfirmed),
            Err(ChainError::Rejected(refusal)) => {
                for input in &both[0].input {
                    let is_spent = self.is_finally_spent(input.previous_output, &both[0], tip.height).await?;
                    if is_spent && self.is_still_tip(tip).await? {
                        return Ok(TransferOrderStatus::Failed);
                    }
                }
                tracing::warn!(order = %order.order.id, %refusal, "the node refused an order; it is repeated");
                Ok(TransferOrderStatus::Refused)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Broadcasts commit and reveal, or only the reveal once the commit is confirmed.
    pub(super) async fn broadcast_both(&self, both: &[Transaction; 2]) -> Result<(), ChainError> {
        let chain = self.ports.chain();
        let commit = chain.transaction(both[0].compute_txid()).await?;
        let is_mined = commit.is_some_and(|seen| matches!(seen.position, ChainPosition::Confirmed { .. }));
        chain.broadcast(if is_mined { &both[1..] } else { both }).await
    }

    /// Whether the best block is still the one that was read before the answers which lead to a final state. Otherwise they may
    /// be of different chains, and the next round decides.
    async fn is_still_tip(&self, tip: Tip) -> Result<bool, ChainError> {
        Ok(self.ports.chain().tip().await?.hash == tip.hash)
    }

    /// Whether a coin was finally spent by another transaction than this, in a block that no reorg is expected to
    /// disconnect while the tip has this height.
    async fn is_finally_spent(&self, coin: OutPoint, own: &Transaction, tip: u32) -> Result<bool, ChainError> {
        let chain = self.ports.chain();
        if chain.confirmed_unspent(coin).await?.is_some() {
            return Ok(false);
        }
        // An output without a confirmed parent may be confirmed by the next block.
        let source = chain.transaction(coin.txid).await?;
        if !source.is_some_and(|seen| matches!(seen.position, ChainPosition::Confirmed { .. })) {
            return Ok(false);
        }
        let id = own.compute_txid();
        for height in tip.saturating_sub(EXPECTED_REORG_MAX - 1)..=tip {
            let Some(block) = chain.block_hash(height).await? else { return Ok(false) };
            let Some(transactions) = chain.block_transactions(block).await? else { return Ok(false) };
            let mut inputs = transactions.iter().flat_map(|transaction| &transaction.input);
            if inputs.any(|input| input.previous_output == coin) {
                return Ok(false);
            }
        }
        // Our own commit may be the one that has settled, and only the reveal missing.
        Ok(chain.transaction(id).await?.is_none())
    }
}

/// Decodes commit and reveal.
pub(super) fn decode_transactions(written: &[String; 2]) -> Result<[Transaction; 2], RecordError> {
    let read = |text: &String| deserialize_hex(text).map_err(|error| RecordError::Malformed(error.to_string()));
    Ok([read(&written[0])?, read(&written[1])?])
}
