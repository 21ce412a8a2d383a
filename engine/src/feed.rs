//! The live feed: sequenced channels, encoded once, into bounded queues.

mod channel;
mod client_frame;
mod outbox;
mod subscription;

pub use channel::Channel;
pub use client_frame::{ClientFrame, Topic};
pub use outbox::{CloseReason, Outbox, OutboxLimits, Outgoing};
pub use subscription::Subscription;
