//! The market's cluster under faults: real processes on a network of their own, while lenders and borrowers act through
//! random nodes and feed clients keep copies of the book.
//!
//! `make faults` runs it for as long as it is told, and `cargo test` in a short form. Whatever is found is printed with
//! the seed and the times of all faults, and the logs are kept.
#![allow(missing_docs, clippy::unwrap_used, unreachable_pub, reason = "a test that panics has failed")]
#![allow(clippy::print_stdout, reason = "a run shows where it is, and its table")]

mod account;
mod audit;
mod borrower;
mod cluster;
mod databases;
mod enclosure;
mod epochs;
mod fault;
mod feed_client;
mod host_process;
mod injector;
mod market;
mod naive_vaults;
mod network;
mod oracles;
mod public_view;
mod quoter;
mod record;
mod replay;
mod report;
mod run;
mod vault_lender;

use std::env;

use fault::{Kind, Plan};
use run::{Length, Run};

/// The kinds of the short form: each once, in an order drawn from the seed.
const SHORT: [Kind; 12] = [
    Kind::KillWriter,
    Kind::FreezeWriter,
    Kind::StopWriter,
    Kind::KillFollower,
    Kind::KillNats,
    Kind::KillPrimary,
    Kind::KillStandby,
    Kind::PromoteStandby,
    Kind::CutWriterFromDatabases,
    Kind::CutDatabases,
    Kind::CutNodes,
    Kind::LossyLink,
];

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

#[test]
fn nothing_is_lost_doubled_or_shown_that_is_not_so_while_faults_come_and_go() {
    let seconds = number("LIENBOOK_FAULT_SECONDS");
    if !enclosure::is_inside() {
        let name = "nothing_is_lost_doubled_or_shown_that_is_not_so_while_faults_come_and_go";
        return enclosure::run(name, seconds.is_some());
    }
    let seed = number("LIENBOOK_FAULT_SEED").unwrap_or_else(rand::random);
    println!("seed: LIENBOOK_FAULT_SEED={seed}");
    let (plan, length) = match seconds {
        Some(seconds) => (Plan::endless(seed), Length::Seconds(seconds)),
        None => (Plan::once(seed, &SHORT), Length::Plan),
    };
    let mut run = Run::start(seed);
    run.writes_results = env::var_os("LIENBOOK_FAULT_WRITE").is_some();
    run.finish(plan, length);
}
