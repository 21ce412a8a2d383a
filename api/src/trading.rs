//! Trading over the WebSocket of the feed: commands about manual offers, pipelined and answered in the order of arrival.
//!
//! ```text
//! socket actor -> queue of the connection -> executor: rounds -> books, together
//!      ^                                        |
//!      +--- frames of answers, with permits ----+
//! ```
//!
//! - All commands that arrived during a round make up the next one: they reach the books in their order and without waiting
//!   for each other, so the journal writes them together.
//! - What a command may do is decided by the functions that the routes use.
//! - A connection has a limited number of commands that are not answered, and of frames of answers that are not read. Beyond
//!   either it is not read further.

pub mod answer;
pub mod client_frame;
mod connection_offers;
mod connection_receipts;
mod deadline;
mod executor;
mod order_run;
mod received;
pub mod trading_connection;
