//! The operations of every implementation.

use std::collections::BTreeMap;

use super::order_log::Order;

/// An order book, or one per ranking.
pub(super) trait Contender {
    /// Adds an order; orders of equal price keep their order of arrival.
    fn add(&mut self, order: &Order);

    /// Cancels an order.
    fn cancel(&mut self, order: &Order);

    /// Replaces an order by one that ranks behind all others of its price.
    fn replace(&mut self, old: &Order, new: &Order);

    /// Takes the best order of a ranking: the highest price, then the earliest. Returns its number.
    fn take(&mut self, ranking: usize) -> u64;

    /// The number of orders at each price of a ranking.
    fn levels(&self, ranking: usize) -> BTreeMap<u64, u64>;
}
