//! The live feed: sequenced channels, encoded once, into bounded queues.

mod channel;
mod client_frame;
mod counters;
mod frame;
mod market_hub;
mod me_hub;
mod outbox;
mod subscribers;
mod subscription;

pub use channel::Channel;
pub use client_frame::{ClientFrame, Topic};
pub use outbox::{CloseReason, Outbox, OutboxLimits, Outgoing};
pub use subscription::Subscription;

pub(crate) use counters::FeedCounters;
pub(crate) use frame::{BookChange, BookOp, Delta, MeOp, RowOp, Snapshot, Subject, encode};
pub(crate) use market_hub::MarketHub;
pub(crate) use me_hub::{MeHub, MeStart};
pub(crate) use subscribers::Subscribers;
pub(crate) use subscription::Subscriber;
