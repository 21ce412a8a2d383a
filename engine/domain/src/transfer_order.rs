//! Orders of BRC-20 transfer notes: prepared for a person to sign, committed, and followed until the chain has said.
//!
//! ```text
//! Prepared -> Committed -> Revealed
//!    |            '------> Failed    the chain has spent its coins elsewhere
//!    '-------------------> Lapsed    nobody signed in time, or a new order took its place
//! ```
//!
//! Both transactions are journaled with [`OrderEvent::Committed`], before anybody sends them: from then on the order can
//! always be sent again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{OrderId, Outpoint, UnixMs, UserId};

/// The most orders of one person that are open at a time.
pub const OPEN_PER_USER_MAX: usize = 10;
/// The longest record of an order, in bytes.
pub const RECORD_BYTES_MAX: usize = 64 * 1_024;
/// The most coins that pay for one order.
pub const COINS_MAX: usize = 100;
/// How long an order that has ended is remembered, so that a repeated question has the same answer.
pub const MEMORY_MS: u64 = 24 * 60 * 60 * 1_000;

/// A note that somebody wants to be inscribed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferOrder {
    /// Its number, random.
    pub id: OrderId,
    /// Who ordered it.
    pub user: UserId,
    /// The token, in lower case.
    pub ticker: String,
    /// How much, in raw units of 18 decimals.
    pub amount_raw: u128,
    /// The coins that pay for it: while it is open they are promised to nobody else.
    pub coins: Vec<Outpoint>,
    /// When it lapses unless it is signed.
    pub expires_at: UnixMs,
    /// What only Bitcoin knows of it, opaque here.
    pub record: String,
}

/// Something that happened to the orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderEvent {
    /// Somebody was handed a transaction to sign.
    Prepared(Box<TransferOrder>),
    /// It is signed; both transactions are about to be sent.
    Committed {
        /// Which order.
        order: OrderId,
        /// The id of the transaction that reveals the note, in internal byte order.
        reveal: [u8; 32],
        /// Commit and reveal in hexadecimal, in this order.
        transactions: [String; 2],
    },
    /// The note is on the chain.
    Revealed {
        /// Which order.
        order: OrderId,
    },
    /// The chain has spent its coins elsewhere.
    Failed {
        /// Which order.
        order: OrderId,
    },
    /// Nobody signed it in time, or another took its place.
    Lapsed {
        /// Which order.
        order: OrderId,
    },
}

/// Why an order is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderRejection {
    /// There is no such order of this person's.
    #[error("there is no order {0}")]
    Unknown(OrderId),
    /// Two orders have one number.
    #[error("the order {0} is there already")]
    IdTaken(OrderId),
    /// Its time is over before it began.
    #[error("the order would expire at once")]
    Expired,
    /// A record that nobody would keep.
    #[error("an order's record has {found} bytes, at most {RECORD_BYTES_MAX} are kept")]
    RecordTooLong {
        /// How many it has.
        found: usize,
    },
    /// Too many coins.
    #[error("{found} coins pay for an order, at most {COINS_MAX} can")]
    TooManyCoins {
        /// How many.
        found: usize,
    },
    /// A coin pays for something else.
    #[error("a coin pays for the order {order} already")]
    CoinPromised {
        /// Which coin.
        coin: Outpoint,
        /// To which order.
        order: OrderId,
    },
    /// The same note is on its way already.
    #[error("the order {0} of the same note waits for a block")]
    SameNotePending(OrderId),
    /// Too many at a time.
    #[error("{found} orders are open, at most {OPEN_PER_USER_MAX} can be")]
    TooManyOpen {
        /// How many are.
        found: usize,
    },
    /// It lapsed or failed.
    #[error("the order {0} has ended")]
    Ended(OrderId),
    /// It is committed, with other transactions.
    #[error("the order {0} is committed already")]
    Committed(OrderId),
    /// Nobody has signed it yet.
    #[error("the order {0} is not committed")]
    NotCommitted(OrderId),
}

/// Where an order stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderState {
    /// Waiting for the person's signature.
    Prepared,
    /// Both transactions are sent, or about to be.
    Committed {
        /// The id of the reveal, in internal byte order.
        reveal: [u8; 32],
        /// Commit and reveal in hexadecimal.
        transactions: [String; 2],
    },
    /// The note is on the chain.
    Revealed {
        /// The id of the reveal, in internal byte order.
        reveal: [u8; 32],
    },
    /// The chain has spent its coins elsewhere.
    Failed,
    /// It was not signed in time.
    Lapsed,
}

/// An order and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingOrder {
    /// What was ordered; its record and its coins are forgotten once it has ended.
    pub order: TransferOrder,
    /// Where it stands.
    pub state: OrderState,
}

/// All open orders, and those that ended a while ago.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferOrders {
    orders: HashMap<OrderId, StandingOrder>,
    open_of: BTreeMap<UserId, BTreeSet<OrderId>>,
    expiries: BTreeSet<(UnixMs, OrderId)>,
    committed: BTreeSet<OrderId>,
    /// What the coins of open orders pay for.
    promised: HashMap<Outpoint, OrderId>,
    /// Until when an order that has ended is remembered.
    ended: BTreeSet<(UnixMs, OrderId)>,
}

impl StandingOrder {
    /// Whether it still can become a note.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.state, OrderState::Prepared | OrderState::Committed { .. })
    }
}

impl TransferOrders {
    /// An order, open or lately ended.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<&StandingOrder> {
        self.orders.get(&order)
    }

    /// The open orders of a person, by number.
    pub fn open_of(&self, user: UserId) -> impl Iterator<Item = &StandingOrder> {
        self.open_of.get(&user).into_iter().flatten().filter_map(|order| self.orders.get(order))
    }

    /// Everybody's orders that the chain has yet to decide, by number.
    pub fn committed(&self) -> impl Iterator<Item = &StandingOrder> {
        self.committed.iter().filter_map(|order| self.orders.get(order))
    }

    /// Which open order a coin pays for.
    #[must_use]
    pub fn promised_to(&self, coin: &Outpoint) -> Option<OrderId> {
        self.promised.get(coin).copied()
    }

    /// Hands an order out. Unsigned orders of the same note lapse: it takes their place.
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
            |other: &StandingOrder| other.order.ticker == order.ticker && other.order.amount_raw == order.amount_raw;
        let (mut lapsing, mut left) = (Vec::new(), 0);
        for open in self.open_of(order.user) {
            let id = open.order.id;
            match open.state {
                OrderState::Prepared if is_same(open) || open.order.expires_at <= now => {
                    lapsing.push(id);
                }
                OrderState::Committed { .. } if is_same(open) => return Err(OrderRejection::SameNotePending(id)),
                _ => left += 1,
            }
        }
        if left >= OPEN_PER_USER_MAX {
            return Err(OrderRejection::TooManyOpen { found: left });
        }
        let mut promised = order.coins.iter().filter_map(|coin| Some((*coin, self.promised_to(coin)?)));
        if let Some((coin, other)) = promised.find(|(_, other)| !lapsing.contains(other)) {
            return Err(OrderRejection::CoinPromised { coin, order: other });
        }
        let mut events: Vec<OrderEvent> = lapsing.into_iter().map(|order| OrderEvent::Lapsed { order }).collect();
        events.push(OrderEvent::Prepared(Box::new(order)));
        Ok(events)
    }

    /// Takes the person's signature; no event when it was taken before.
    ///
    /// # Errors
    /// [`OrderRejection::Unknown`], also of somebody else's order, [`OrderRejection::Ended`], and
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
            StandingOrder { state: OrderState::Prepared, order: own } if own.expires_at > now => {
                Ok(Some(OrderEvent::Committed { order, reveal, transactions }))
            }
            StandingOrder { state: OrderState::Prepared | OrderState::Failed | OrderState::Lapsed, .. } => {
                Err(OrderRejection::Ended(order))
            }
            StandingOrder {
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

    /// The chain has the note for good; no event when that is known.
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

    /// The chain has spent the order's coins elsewhere for good; no event when that is known.
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

    /// Ends the unsigned orders whose time is over, at most so many.
    #[must_use]
    pub fn lapse(&self, now: UnixMs, most: usize) -> Vec<OrderEvent> {
        let over = self.expiries.iter().take_while(|(expires_at, _)| *expires_at <= now);
        over.take(most).map(|(_, order)| OrderEvent::Lapsed { order: *order }).collect()
    }

    /// Takes an event in. Orders that ended long before `at` are forgotten.
    pub fn apply(&mut self, event: &OrderEvent, at: UnixMs) {
        match event {
            OrderEvent::Prepared(order) => {
                self.open_of.entry(order.user).or_default().insert(order.id);
                self.expiries.insert((order.expires_at, order.id));
                self.promised.extend(order.coins.iter().map(|coin| (*coin, order.id)));
                let standing = StandingOrder { order: (**order).clone(), state: OrderState::Prepared };
                self.orders.insert(order.id, standing);
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
            self.promised.remove(&coin);
        }
        self.expiries.remove(&(known.order.expires_at, order));
        self.committed.remove(&order);
        self.ended.insert((at.plus_ms(MEMORY_MS), order));
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
