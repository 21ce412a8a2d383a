//! Orders for BRC-20 transfer inscriptions: prepared for a user to sign, committed, and followed until the chain has
//! decided.
//!
//! ```text
//! Prepared -> Committed -> Revealed
//!    |            '------> Failed    another transaction has spent its coins
//!    '-------------------> Lapsed    not signed in time, or replaced by a new order
//! ```
//!
//! Both transactions are journaled with [`OrderEvent::Committed`], before they are broadcast: from then on the order
//! can always be broadcast again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{OrderId, Outpoint, UnixMs, UserId};

/// The maximum number of open orders of one user.
pub const OPEN_PER_USER_MAX: usize = 10;
/// The maximum size of an order's record, in bytes.
pub const RECORD_BYTES_MAX: usize = 64 * 1_024;
/// The maximum number of coins that pay for one order.
pub const COINS_MAX: usize = 100;
/// The time for which an ended order is remembered, so that a repeated request gets the same answer, in milliseconds.
pub const ENDED_KEPT_MS: u64 = 24 * 60 * 60 * 1_000;

/// A request to inscribe a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferOrder {
    /// Its id, random.
    pub id: OrderId,
    /// The user who ordered it.
    pub user: UserId,
    /// The token, in lower case.
    pub ticker: String,
    /// The amount, in raw units of 18 decimals.
    pub amount_raw: u128,
    /// The coins that pay for it: while it is open they are reserved for it.
    pub coins: Vec<Outpoint>,
    /// The time at which it lapses unless it is signed.
    pub expires_at: UnixMs,
    /// The Bitcoin-specific data, opaque here.
    pub record: String,
}

/// An event of the orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderEvent {
    /// A transaction was returned to the user to sign.
    Prepared(Box<TransferOrder>),
    /// It is signed; both transactions are about to be broadcast.
    Committed {
        /// The order.
        order: OrderId,
        /// The id of the reveal transaction, in internal byte order.
        reveal: [u8; 32],
        /// Commit and reveal in hexadecimal, in this order.
        transactions: [String; 2],
    },
    /// The transfer inscription is on the chain.
    Revealed {
        /// The order.
        order: OrderId,
    },
    /// Another transaction has spent its coins.
    Failed {
        /// The order.
        order: OrderId,
    },
    /// It was not signed in time, or a new order replaced it.
    Lapsed {
        /// The order.
        order: OrderId,
    },
}

/// The reason why an order command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderRejection {
    /// The user has no such order.
    #[error("there is no order {0}")]
    Unknown(OrderId),
    /// There is an order with this id already.
    #[error("the order {0} exists already")]
    IdTaken(OrderId),
    /// It would expire before it begins.
    #[error("the order would expire at once")]
    Expired,
    /// The record is too large.
    #[error("an order's record has {found} bytes, at most {RECORD_BYTES_MAX} are kept")]
    RecordTooLong {
        /// Its size.
        found: usize,
    },
    /// Too many coins pay for it.
    #[error("{found} coins pay for an order, at most {COINS_MAX} can")]
    TooManyCoins {
        /// Their number.
        found: usize,
    },
    /// A coin is reserved for another order.
    #[error("a coin is reserved for the order {order} already")]
    CoinReserved {
        /// The coin.
        coin: Outpoint,
        /// The other order.
        order: OrderId,
    },
    /// The same transfer is being inscribed already.
    #[error("the order {0} for the same transfer is unconfirmed")]
    DuplicateTransfer(OrderId),
    /// The user has too many open orders.
    #[error("{found} orders are open, at most {OPEN_PER_USER_MAX} can be")]
    TooManyOpen {
        /// Their number.
        found: usize,
    },
    /// It lapsed or failed.
    #[error("the order {0} has ended")]
    Ended(OrderId),
    /// It is committed, with other transactions.
    #[error("the order {0} is committed already")]
    Committed(OrderId),
    /// It is not signed yet.
    #[error("the order {0} is not committed")]
    NotCommitted(OrderId),
}

/// The state of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderState {
    /// Waiting for the user's signature.
    Prepared,
    /// Both transactions are broadcast, or about to be.
    Committed {
        /// The id of the reveal, in internal byte order.
        reveal: [u8; 32],
        /// Commit and reveal in hexadecimal.
        transactions: [String; 2],
    },
    /// The transfer inscription is on the chain.
    Revealed {
        /// The id of the reveal, in internal byte order.
        reveal: [u8; 32],
    },
    /// Another transaction has spent its coins.
    Failed,
    /// It was not signed in time.
    Lapsed,
}

/// An order with its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedOrder {
    /// The order; its record and its coins are cleared once it has ended.
    pub order: TransferOrder,
    /// Its state.
    pub state: OrderState,
}

/// All open orders, and those that ended recently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferOrders {
    orders: HashMap<OrderId, TrackedOrder>,
    open_of: BTreeMap<UserId, BTreeSet<OrderId>>,
    expiries: BTreeSet<(UnixMs, OrderId)>,
    committed: BTreeSet<OrderId>,
    /// The open order that each coin pays for.
    reserved: HashMap<Outpoint, OrderId>,
    /// The times until which ended orders are remembered.
    ended: BTreeSet<(UnixMs, OrderId)>,
}

impl TrackedOrder {
    /// Whether it can still result in a transfer inscription.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.state, OrderState::Prepared | OrderState::Committed { .. })
    }
}

impl TransferOrders {
    /// An order, open or recently ended.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<&TrackedOrder> {
        self.orders.get(&order)
    }

    /// The open orders of a user, by id.
    pub fn open_of(&self, user: UserId) -> impl Iterator<Item = &TrackedOrder> {
        self.open_of.get(&user).into_iter().flatten().filter_map(|order| self.orders.get(order))
    }

    /// All users' orders that the chain has yet to decide, by id.
    pub fn committed(&self) -> impl Iterator<Item = &TrackedOrder> {
        self.committed.iter().filter_map(|order| self.orders.get(order))
    }

    /// The open order that a coin pays for.
    #[must_use]
    pub fn reserved_for(&self, coin: &Outpoint) -> Option<OrderId> {
        self.reserved.get(coin).copied()
    }

    /// Prepares an order. Unsigned orders of the user for the same transfer lapse: it replaces them.
    ///
    /// # Errors
    /// The first of [`OrderRejection`] that applies.
    pub fn prepare(&self, order: TransferOrder, now: UnixMs) -> Result<Vec<OrderEvent>, OrderRejection> {
        if self.orders.contains_key(&order.id) {
            return Err(OrderRejection::IdTaken(order.id));
        }
        if order.expires_at <= now {
            return Err(OrderRejection::Expired);
        }
        if order.record.len() > RECORD_BYTES_MAX {
            return Err(OrderRejection::RecordTooLong { found: order.record.len() });
        }
        if order.coins.len() > COINS_MAX {
            return Err(OrderRejection::TooManyCoins { found: order.coins.len() });
        }
        let is_same =
            |other: &TrackedOrder| other.order.ticker == order.ticker && other.order.amount_raw == order.amount_raw;
        let (mut lapsing, mut still_open) = (Vec::new(), 0);
        for open in self.open_of(order.user) {
            let id = open.order.id;
            match open.state {
                OrderState::Prepared if is_same(open) || open.order.expires_at <= now => {
                    lapsing.push(id);
                }
                OrderState::Committed { .. } if is_same(open) => return Err(OrderRejection::DuplicateTransfer(id)),
                _ => still_open += 1,
            }
        }
        if still_open >= OPEN_PER_USER_MAX {
            return Err(OrderRejection::TooManyOpen { found: still_open });
        }
        let mut reserved = order.coins.iter().filter_map(|coin| Some((*coin, self.reserved_for(coin)?)));
        if let Some((coin, other)) = reserved.find(|(_, other)| !lapsing.contains(other)) {
            return Err(OrderRejection::CoinReserved { coin, order: other });
        }
        let mut events: Vec<OrderEvent> = lapsing.into_iter().map(|order| OrderEvent::Lapsed { order }).collect();
        events.push(OrderEvent::Prepared(Box::new(order)));
        Ok(events)
    }

    /// Commits a signed order; no event if it is committed already.
    ///
    /// # Errors
    /// [`OrderRejection::Unknown`], also for another user's order, [`OrderRejection::Ended`], and
    /// [`OrderRejection::Committed`] with another reveal.
    pub fn commit(
        &self,
        user: UserId,
        order: OrderId,
        reveal: [u8; 32],
        transactions: [String; 2],
        now: UnixMs,
    ) -> Result<Option<OrderEvent>, OrderRejection> {
        let known = self.get(order).filter(|known| known.order.user == user);
        match known.ok_or(OrderRejection::Unknown(order))? {
            TrackedOrder { state: OrderState::Prepared, order: own } if own.expires_at > now => {
                Ok(Some(OrderEvent::Committed { order, reveal, transactions }))
            }
            TrackedOrder { state: OrderState::Prepared | OrderState::Failed | OrderState::Lapsed, .. } => {
                Err(OrderRejection::Ended(order))
            }
            TrackedOrder {
                state: OrderState::Committed { reveal: own, .. } | OrderState::Revealed { reveal: own },
                ..
            } => {
                if *own == reveal {
                    Ok(None)
                } else {
                    Err(OrderRejection::Committed(order))
                }
            }
        }
    }

    /// Records that the reveal is final; no event if that is recorded already.
    ///
    /// # Errors
    /// [`OrderRejection::Unknown`], [`OrderRejection::NotCommitted`], [`OrderRejection::Ended`].
    pub fn reveal(&self, order: OrderId) -> Result<Option<OrderEvent>, OrderRejection> {
        match self.get(order).ok_or(OrderRejection::Unknown(order))?.state {
            OrderState::Committed { .. } => Ok(Some(OrderEvent::Revealed { order })),
            OrderState::Revealed { .. } => Ok(None),
            OrderState::Prepared => Err(OrderRejection::NotCommitted(order)),
            OrderState::Failed | OrderState::Lapsed => Err(OrderRejection::Ended(order)),
        }
    }

    /// Records that another transaction has spent the order's coins for good; no event if that is recorded already.
    ///
    /// # Errors
    /// [`OrderRejection::Unknown`], [`OrderRejection::NotCommitted`], [`OrderRejection::Ended`].
    pub fn fail(&self, order: OrderId) -> Result<Option<OrderEvent>, OrderRejection> {
        match self.get(order).ok_or(OrderRejection::Unknown(order))?.state {
            OrderState::Committed { .. } => Ok(Some(OrderEvent::Failed { order })),
            OrderState::Failed => Ok(None),
            OrderState::Prepared => Err(OrderRejection::NotCommitted(order)),
            OrderState::Revealed { .. } | OrderState::Lapsed => Err(OrderRejection::Ended(order)),
        }
    }

    /// Ends the unsigned orders whose time is over, at most `limit` of them.
    #[must_use]
    pub fn lapse(&self, now: UnixMs, limit: usize) -> Vec<OrderEvent> {
        let over = self.expiries.iter().take_while(|(expires_at, _)| *expires_at <= now);
        over.take(limit).map(|(_, order)| OrderEvent::Lapsed { order: *order }).collect()
    }

    /// Applies an event. Orders that ended long before `at` are dropped.
    pub fn apply(&mut self, event: &OrderEvent, at: UnixMs) {
        match event {
            OrderEvent::Prepared(order) => {
                self.open_of.entry(order.user).or_default().insert(order.id);
                self.expiries.insert((order.expires_at, order.id));
                self.reserved.extend(order.coins.iter().map(|coin| (*coin, order.id)));
                let tracked = TrackedOrder { order: (**order).clone(), state: OrderState::Prepared };
                self.orders.insert(order.id, tracked);
            }
            OrderEvent::Committed { order, reveal, transactions } => {
                if let Some(known) = self.orders.get_mut(order) {
                    known.state = OrderState::Committed { reveal: *reveal, transactions: transactions.clone() };
                    self.expiries.remove(&(known.order.expires_at, *order));
                    self.committed.insert(*order);
                }
            }
            OrderEvent::Revealed { order } => self.end(*order, at, |reveal| match reveal {
                Some(reveal) => OrderState::Revealed { reveal },
                None => OrderState::Failed,
            }),
            OrderEvent::Failed { order } => self.end(*order, at, |_| OrderState::Failed),
            OrderEvent::Lapsed { order } => self.end(*order, at, |_| OrderState::Lapsed),
        }
        while let Some(&(until, order)) = self.ended.first()
            && until <= at
        {
            self.ended.pop_first();
            self.orders.remove(&order);
        }
    }

    fn end(&mut self, order: OrderId, at: UnixMs, state: impl FnOnce(Option<[u8; 32]>) -> OrderState) {
        let Some(known) = self.orders.get_mut(&order) else { return };
        let reveal = match known.state {
            OrderState::Committed { reveal, .. } => Some(reveal),
            _ => None,
        };
        known.state = state(reveal);
        known.order.record = String::new();
        for coin in std::mem::take(&mut known.order.coins) {
            self.reserved.remove(&coin);
        }
        self.expiries.remove(&(known.order.expires_at, order));
        self.committed.remove(&order);
        self.ended.insert((at.plus_ms(ENDED_KEPT_MS), order));
        let user = known.order.user;
        if let Some(open) = self.open_of.get_mut(&user) {
            open.remove(&order);
            if open.is_empty() {
                self.open_of.remove(&user);
            }
        }
    }
}

#[cfg(test)]
mod tests;
