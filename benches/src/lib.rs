//! What the market costs: criterion benches, load generators and the raw figures beside them.

#![allow(
    clippy::missing_panics_doc,
    reason = "a measurement that cannot go on says why and stops; nobody recovers from it"
)]

pub mod book;
pub mod book_log;
pub mod latency;
pub mod machine;
pub mod market;
pub mod number;
pub mod planner;
pub mod report;
pub mod side_by_side;
pub mod stopwatch;
