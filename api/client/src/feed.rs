//! The live feed: one socket, any number of channels, and a local copy of each.

mod book;
mod channel;
mod copy;
mod frame;
mod market;
mod ranking;
mod reader;
mod socket;
mod subscription;

pub use book::Book;
pub use channel::Channel;
pub use copy::Staleness;
pub use market::Market;
pub use ranking::Ranking;
pub use reader::{Event, Feed, FeedError};
