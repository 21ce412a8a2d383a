//! Benchmarks of the market: Criterion benches, load generators, and the raw figures to compare with.

#![allow(
    clippy::missing_panics_doc,
    reason = "a measurement that cannot continue prints the reason and stops; no caller recovers from it"
)]

pub mod actor;
pub mod book;
pub mod book_events;
pub mod book_log;
pub mod closed_loop;
pub mod coin_set;
pub mod contracts;
pub mod database;
pub mod deal;
pub mod drive;
pub mod durable;
pub mod fanout;
pub mod fanout_peers;
pub mod feed;
pub mod followers;
pub mod http_trader;
pub mod instant;
pub mod instead;
pub mod latency;
pub mod load;
pub mod load_socket;
pub mod machine;
pub mod market;
pub mod memory;
pub mod memory_journal;
pub mod nats_server;
pub mod number;
pub mod open_loop;
pub mod orders;
pub mod pegs;
pub mod picture;
pub mod planner;
pub mod raw_data;
pub mod raw_disk;
pub mod recovery;
pub mod report;
pub mod served_lending;
pub mod served_market;
pub mod server_process;
pub mod side_by_side;
pub mod stages;
pub mod stopwatch;
pub mod trading_socket;
pub mod wallet_client;
