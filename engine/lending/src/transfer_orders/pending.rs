//! Notes that are on their way.

use bitcoin::Txid;
use bitcoin::hashes::Hash as _;
use domain::{OrderId, OrderState, UserId};

use super::OrderError;
use crate::desk::Desk;
use crate::ports::Ports;

/// A note that was sent and cannot be used yet (SPEC section 3, pending order).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingOrder {
    /// Which order.
    pub order: OrderId,
    /// Its token, lower case.
    pub ticker: String,
    /// In raw units of 18 decimals.
    pub amount_raw: u128,
    /// The transaction that reveals it.
    pub reveal: Txid,
}

impl<P: Ports> Desk<P> {
    /// A person's notes that were sent and that the indexer has not read yet, by order.
    pub async fn pending_orders(&self, user: UserId) -> Result<Vec<PendingOrder>, OrderError> {
        let mut pending = Vec::new();
        for standing in self.market.open_orders(user).await {
            let OrderState::Committed { reveal, .. } = standing.state else { continue };
            if !self.is_indexed(reveal).await? {
                let (order, ticker, amount_raw) = (standing.order.id, standing.order.ticker, standing.order.amount_raw);
                pending.push(PendingOrder { order, ticker, amount_raw, reveal: Txid::from_byte_array(reveal) });
            }
        }
        Ok(pending)
    }
}
