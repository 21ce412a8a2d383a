//! The live feed: one socket, any number of channels, and a local copy of each.

mod book;
mod channel;
mod copy;
mod frame;
mod market;
mod me;
mod ranking;
mod reader;
mod requests;
mod socket;
mod subscription;

pub use book::Book;
pub use channel::Channel;
pub use copy::Staleness;
pub use market::Market;
pub use me::Me;
pub use ranking::Ranking;
pub use reader::{Event, Feed, FeedError};
pub use requests::Requests;
