//! The unit and property tests of the market maker's parts that send nothing.
#![allow(
    missing_docs,
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "the example uses what is not used here"
)]

#[path = "../examples/market_maker/config.rs"]
mod config;
#[path = "../examples/market_maker/decision.rs"]
mod decision;
#[path = "../examples/market_maker/plan.rs"]
mod plan;
#[path = "../examples/market_maker/volatility.rs"]
mod volatility;
