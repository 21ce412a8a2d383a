//! What every implementation is asked to do.

use std::collections::BTreeMap;

use super::order_log::Order;

/// An order book, or one a ranking.
pub(super) trait Contender {
    /// Enters an order; orders of equal price keep the order in which they came.
    fn add(&mut self, order: &Order);

    /// Takes an order out.
    fn cancel(&mut self, order: &Order);

    /// Replaces an order by one that stands behind all others of its price.
    fn replace(&mut self, old: &Order, new: &Order);

    /// Takes the best order of a ranking: the highest price, then the earliest. Returns its number.
    fn take(&mut self, ranking: usize) -> u64;

    /// How many orders stand at each price of a ranking.
    fn levels(&self, ranking: usize) -> BTreeMap<u64, u64>;
}
