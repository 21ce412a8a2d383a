//! Orders for BRC-20 transfer inscriptions: prepared for a user to sign, committed, and followed until the chain has
//! decided.
//!
//! ```text
//! Prepared -> Committed -> Revealed
//!    |            '------> Failed    another transaction has spent its coins
//!    '-------------------> Lapsed    not signed in time, or replaced by a new order
//! ```
//!
//! Both transactions are journaled with [`TransferOrderEvent::Committed`], before they are broadcast: from then on the order
//! can always be broadcast again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Outpoint, TransferOrderId, UnixMs, UserId};

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
    pub id: TransferOrderId,
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
pub enum TransferOrderEvent {
    /// A transaction was returned to the user to sign.
    Prepared(Box<TransferOrder>),
    /// It is signed; both transactions are about to be broadcast.
    Committed {
        /// The order.
        order: TransferOrderId,
        /// The id of the reveal transaction, in internal byte order.
        reveal: [u8; 32],
        /// Commit and reveal in hexadecimal, in this order.
        transactions: [String; 2],
    },
    /// The transfer inscription is on the chain.
    Revealed {
        /// The order.
        order: TransferOrderId,
    },
    /// Another transaction has spent its coins.
    Failed {
        /// The order.
        order: TransferOrderId,
    },
    /// It was not signed in time, or a new order replaced it.
    Lapsed {
        /// The order.
        order: TransferOrderId,
    },
}

/// The reason why an order command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransferOrderRejection {
    /// The user has no such order.
    #[error("there is no order {0}")]
    Unknown(TransferOrderId),
    /// There is an order with this id already.
    #[error("the order {0} exists already")]
    IdTaken(TransferOrderId),
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
        order: TransferOrderId,
    },
    /// The same transfer is being inscribed already.
    #[error("the order {0} for the same transfer is unconfirmed")]
    DuplicateTransfer(TransferOrderId),
    /// The user has too many open orders.
    #[error("{found} orders are open, at most {OPEN_PER_USER_MAX} can be")]
    TooManyOpen {
        /// Their number.
        found: usize,
    },
    /// It lapsed or failed.
    #[error("the order {0} has ended")]
    Ended(TransferOrderId),
    /// It is committed, with other transactions.
    #[error("the order {0} is committed already")]
    Committed(TransferOrderId),
    /// It is not signed yet.
    #[error("the order {0} is not committed")]
    NotCommitted(TransferOrderId),
}

/// The state of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferOrderState {
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
    pub state: TransferOrderState,
}

/// All open orders, and those that ended recently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferOrders {
    orders: HashMap<TransferOrderId, TrackedOrder>,
    open_of: BTreeMap<UserId, BTreeSet<TransferOrderId>>,
    expiries: BTreeSet<(UnixMs, TransferOrderId)>,
    committed: BTreeSet<TransferOrderId>,
    /// The open order that each coin pays for.
    reserved: HashMap<Outpoint, TransferOrderId>,
    /// The times until which ended orders are remembered.
    ended: BTreeSet<(UnixMs, TransferOrderId)>,
}

impl TrackedOrder {
    /// Whether it can still result in a transfer inscription.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.state, TransferOrderState::Prepared | TransferOrderState::Committed { .. })
    }
}

impl TransferOrders {
    /// An order, open or recently ended.
    #[must_use]
    pub fn get(&self, order: TransferOrderId) -> Option<&TrackedOrder> {
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
    pub fn reserved_for(&self, coin: &Outpoint) -> Option<TransferOrderId> {
        self.reserved.get(coin).copied()
    }

    /// Prepares an order. Unsigned orders of the user for the same transfer lapse: it replaces them.
    ///
    /// # Errors
    /// The first of [`TransferOrderRejection`] that applies.
    pub fn prepare(
        &self,
        order: TransferOrder,
        now: UnixMs,
    ) -> Result<Vec<TransferOrderEvent>, TransferOrderRejection> {
        if self.orders.contains_key(&order.id) {
            return Err(TransferOrderRejection::IdTaken(order.id));
        }
        if order.expires_at <= now {
            return Err(TransferOrderRejection::Expired);
        }
        if order.record.len() > RECORD_BYTES_MAX {
            return Err(TransferOrderRejection::RecordTooLong { found: order.record.len() });
        }
        if order.coins.len() > COINS_MAX {
            return Err(TransferOrderRejection::TooManyCoins { found: order.coins.len() });
        }
        let is_same =
            |other: &TrackedOrder| other.order.ticker == order.ticker && other.order.amount_raw == order.amount_raw;
        let (mut lapsing, mut still_open) = (Vec::new(), 0);
        for open in self.open_of(order.user) {
            let id = open.order.id;
            match open.state {
                TransferOrderState::Prepared if is_same(open) || open.order.expires_at <= now => {
                    lapsing.push(id);
                }
                TransferOrderState::Committed { .. } if is_same(open) => {
                    return Err(TransferOrderRejection::DuplicateTransfer(id));
                }
                _ => still_open += 1,
            }
        }
        if still_open >= OPEN_PER_USER_MAX {
            return Err(TransferOrderRejection::TooManyOpen { found: still_open });
        }
        let mut reserved = order.coins.iter().filter_map(|coin| Some((*coin, self.reserved_for(coin)?)));
        if let Some((coin, other)) = reserved.find(|(_, other)| !lapsing.contains(other)) {
            return Err(TransferOrderRejection::CoinReserved { coin, order: other });
        }
        let mut events: Vec<TransferOrderEvent> =
            lapsing.into_iter().map(|order| TransferOrderEvent::Lapsed { order }).collect();
        events.push(TransferOrderEvent::Prepared(Box::new(order)));
        Ok(events)
    }

    /// Commits a signed order; no event if it is committed already.
    ///
    /// # Errors
    /// [`TransferOrderRejection::Unknown`], also for another user's order, [`TransferOrderRejection::Ended`], and
    /// [`TransferOrderRejection::Committed`] with another reveal.
    pub fn commit(
        &self,
        user: UserId,
        order: TransferOrderId,
        reveal: [u8; 32],
        transactions: [String; 2],
        now: UnixMs,
    ) -> Result<Option<TransferOrderEvent>, TransferOrderRejection> {
        let known = self.get(order).filter(|known| known.order.user == user);
        match known.ok_or(TransferOrderRejection::Unknown(order))? {
            TrackedOrder { state: TransferOrderState::Prepared, order: own } if own.expires_at > now => {
                Ok(Some(TransferOrderEvent::Committed { order, reveal, transactions }))
            }
            TrackedOrder {
                state: TransferOrderState::Prepared | TransferOrderState::Failed | TransferOrderState::Lapsed,
                ..
            } => Err(TransferOrderRejection::Ended(order)),
            TrackedOrder {
                state: TransferOrderState::Committed { reveal: own, .. } | TransferOrderState::Revealed { reveal: own },
                ..
            } => {
                if *own == reveal {
                    Ok(None)
                } else {
                    Err(TransferOrderRejection::Committed(order))
                }
            }
        }
    }

    /// Records that the reveal is final; no event if that is recorded already.
    ///
    /// # Errors
    /// [`TransferOrderRejection::Unknown`], [`TransferOrderRejection::NotCommitted`], [`TransferOrderRejection::Ended`].
    pub fn reveal(&self, order: TransferOrderId) -> Result<Option<TransferOrderEvent>, TransferOrderRejection> {
        match self.get(order).ok_or(TransferOrderRejection::Unknown(order))?.state {
            TransferOrderState::Committed { .. } => Ok(Some(TransferOrderEvent::Revealed { order })),
            TransferOrderState::Revealed { .. } => Ok(None),
            TransferOrderState::Prepared => Err(TransferOrderRejection::NotCommitted(order)),
            TransferOrderState::Failed | TransferOrderState::Lapsed => Err(TransferOrderRejection::Ended(order)),
        }
    }

    /// Records that another transaction has spent the order's coins for good; no event if that is recorded already.
    ///
    /// # Errors
    /// [`TransferOrderRejection::Unknown`], [`TransferOrderRejection::NotCommitted`], [`TransferOrderRejection::Ended`].
    pub fn fail(&self, order: TransferOrderId) -> Result<Option<TransferOrderEvent>, TransferOrderRejection> {
        match self.get(order).ok_or(TransferOrderRejection::Unknown(order))?.state {
            TransferOrderState::Committed { .. } => Ok(Some(TransferOrderEvent::Failed { order })),
            TransferOrderState::Failed => Ok(None),
            TransferOrderState::Prepared => Err(TransferOrderRejection::NotCommitted(order)),
            TransferOrderState::Revealed { .. } | TransferOrderState::Lapsed => {
                Err(TransferOrderRejection::Ended(order))
            }
        }
    }

    /// Ends the unsigned orders whose time is over, at most `limit` of them.
    #[must_use]
    pub fn lapse(&self, now: UnixMs, limit: usize) -> Vec<TransferOrderEvent> {
        let due = self.expiries.iter().take_while(|(expires_at, _)| *expires_at <= now);
        due.take(limit).map(|(_, order)| TransferOrderEvent::Lapsed { order: *order }).collect()
    }

    /// Applies an event. Orders that ended long before `at` are dropped.
    pub fn apply(&mut self, event: &TransferOrderEvent, at: UnixMs) {
        match event {
            TransferOrderEvent::Prepared(order) => {
                self.open_of.entry(order.user).or_default().insert(order.id);
                self.expiries.insert((order.expires_at, order.id));
                self.reserved.extend(order.coins.iter().map(|coin| (*coin, order.id)));
                let tracked = TrackedOrder { order: (**order).clone(), state: TransferOrderState::Prepared };
                self.orders.insert(order.id, tracked);
            }
            TransferOrderEvent::Committed { order, reveal, transactions } => {
                if let Some(known) = self.orders.get_mut(order) {
                    known.state = TransferOrderState::Committed { reveal: *reveal, transactions: transactions.clone() };
                    self.expiries.remove(&(known.order.expires_at, *order));
                    self.committed.insert(*order);
                }
            }
            TransferOrderEvent::Revealed { order } => self.end(*order, at, |reveal| match reveal {
                Some(reveal) => TransferOrderState::Revealed { reveal },
                None => TransferOrderState::Failed,
            }),
            TransferOrderEvent::Failed { order } => self.end(*order, at, |_| TransferOrderState::Failed),
            TransferOrderEvent::Lapsed { order } => self.end(*order, at, |_| TransferOrderState::Lapsed),
        }
        while let Some(&(until, order)) = self.ended.first()
            && until <= at
        {
            self.ended.pop_first();
            self.orders.remove(&order);
        }
    }

    fn end(&mut self, order: TransferOrderId, at: UnixMs, state: impl FnOnce(Option<[u8; 32]>) -> TransferOrderState) {
        let Some(known) = self.orders.get_mut(&order) else { return };
        let reveal = match known.state {
            TransferOrderState::Committed { reveal, .. } => Some(reveal),
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
