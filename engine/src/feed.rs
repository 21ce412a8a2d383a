//! The live feed: sequenced channels, encoded once, into bounded queues.

mod channel;
mod client_frame;
mod counters;
mod encoding;
mod frame;
mod list_hub;
mod me_hub;
mod schemas;
mod socket_queue;
mod subscribers;
mod subscription;

pub use channel::Channel;
pub use client_frame::{ClientFrame, FeedPosition, Topic};
pub use encoding::{BinaryError, Encoded, Encoding};
pub use schemas::{ChannelSchemas, channel_schemas, components_of, constant};
pub use socket_queue::{CloseReason, Outgoing, SocketQueue, SocketQueueLimits};
pub use subscription::Subscription;

pub(crate) use counters::FeedCounters;
pub(crate) use encoding::{CachedFrame, SharedFrame};
pub(crate) use frame::{BookChange, BookData, BookOp, Delta, MeOp, RowOp, Snapshot, Subject};
pub(crate) use list_hub::ListHub;
pub(crate) use me_hub::{MeHub, MeSnapshot};
pub(crate) use subscribers::Subscribers;
pub(crate) use subscription::Subscriber;
