//! Orders for BRC-20 transfer inscriptions. They concern no book.

use domain::{
    AssetRejection, Outpoint, TrackedOrder, TransferOrder, TransferOrderEvent, TransferOrderId, UnixMs, UserId,
};

use super::Market;
use crate::{
    Refusal,
    ledger::{LedgerEvent, LedgerState},
};

/// The maximum number of orders that lapse in one batch.
const LAPSING_MAX: usize = 256;

impl Market {
    /// An order, open or recently ended.
    pub async fn order(&self, id: TransferOrderId) -> Option<TrackedOrder> {
        self.shared.ledger.order(id).await
    }

    /// The open orders of a user, by id.
    pub async fn open_orders(&self, user: UserId) -> Vec<TrackedOrder> {
        self.shared.ledger.orders(|state| state.orders().open_of(user).cloned().collect()).await
    }

    /// All users' orders that the chain has yet to decide, by id.
    pub async fn committed_orders(&self) -> Vec<TrackedOrder> {
        self.shared.ledger.orders(|state| state.orders().committed().cloned().collect()).await
    }

    /// Returns those of the outputs that must not be spent again: they are pledged for a loan, or pay for an open
    /// order.
    #[must_use]
    pub fn locked_outputs(&self, outpoints: impl IntoIterator<Item = Outpoint>) -> Vec<Outpoint> {
        let guard = self.shared.ledger.lock();
        outpoints.into_iter().filter(|outpoint| guard.state().is_locked(outpoint)).collect()
    }

    /// Stores an order for signing. Unsigned orders for the same transfer end with it.
    ///
    /// # Errors
    /// Those of [`domain::TransferOrders::prepare`]; [`AssetRejection::Pledged`] when a coin of it is pledged.
    pub async fn prepare_order(&self, order: TransferOrder) -> Result<(), Refusal> {
        self.on_orders(|ledger, now| {
            if let Some(reservation) = order.coins.iter().find_map(|coin| ledger.pledged_for(coin)) {
                return Err(AssetRejection::Pledged(reservation).into());
            }
            Ok(ledger.orders().prepare(order, now)?)
        })
        .await
    }

    /// Stores both finished transactions of an order, before they are broadcast. Repeating it with the same reveal
    /// changes nothing.
    ///
    /// # Errors
    /// Those of [`domain::TransferOrders::commit`].
    pub async fn commit_order(
        &self,
        user: UserId,
        order: TransferOrderId,
        reveal: [u8; 32],
        transactions: [String; 2],
    ) -> Result<(), Refusal> {
        let commit = |ledger: &LedgerState, now| {
            let event = ledger.orders().commit(user, order, reveal, transactions, now)?;
            Ok(event.into_iter().collect())
        };
        self.on_orders(commit).await
    }

    /// Records that the reveal of an order is final. Repeating it changes nothing.
    ///
    /// # Errors
    /// Those of [`domain::TransferOrders::reveal`].
    pub async fn order_revealed(&self, order: TransferOrderId) -> Result<(), Refusal> {
        self.on_orders(|ledger, _| Ok(ledger.orders().reveal(order)?.into_iter().collect())).await
    }

    /// Records that another transaction has spent the order's coins for good. Repeating it changes nothing.
    ///
    /// # Errors
    /// Those of [`domain::TransferOrders::fail`].
    pub async fn order_failed(&self, order: TransferOrderId) -> Result<(), Refusal> {
        self.on_orders(|ledger, _| Ok(ledger.orders().fail(order)?.into_iter().collect())).await
    }

    /// Ends the unsigned orders whose time is over.
    pub async fn lapse_orders(&self) -> Result<(), Refusal> {
        self.on_orders(|ledger, now| Ok(ledger.orders().lapse(now, LAPSING_MAX))).await
    }

    /// Decides on orders alone. A request that changes nothing repeats an earlier one, which is durable too once this
    /// returns.
    async fn on_orders(
        &self,
        decide: impl FnOnce(&LedgerState, UnixMs) -> Result<Vec<TransferOrderEvent>, Refusal>,
    ) -> Result<(), Refusal> {
        let decide = |ledger: &LedgerState, now| {
            let events = decide(ledger, now)?;
            let is_known = events.is_empty();
            Ok((events.into_iter().map(LedgerEvent::Order).collect(), is_known))
        };
        let (is_known, _) = self.on_ledger(decide).await?;
        if is_known && !self.shared.ledger.wait_all_durable().await {
            return Err(Refusal::Closed);
        }
        Ok(())
    }
}
