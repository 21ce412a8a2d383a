//! Randomized end-to-end tests of loans: no collateral is pledged and no coin spent twice, with thousands of random
//! actions of concurrent clients, on a server that crashes again and again, over a chain with reorgs; and the balances
//! agree at the end.
//!
//! `LIENBOOK_TEST_SEED` determines the actions and the crashes (not the scheduling of threads), `LIENBOOK_TEST_ACTS`
//! the number of actions.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use lending_testkit as kit;

mod chain_walk;
mod checks;
mod clients;
mod crash;
mod environment;
mod event_counts;
mod journal_history;
mod memory;
mod money;
mod participants;
mod request;
mod simulation;

use simulation::Simulation;

/// The number of actions in which every kind of event is expected.
const ENOUGH: u64 = 10_000;

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

#[actix::test]
#[allow(clippy::print_stdout, reason = "a failed run is repeated with its seed")]
async fn nothing_is_pledged_or_spent_twice_under_random_requests_and_crashes() {
    let seed = from_environment("LIENBOOK_TEST_SEED").unwrap_or_else(rand::random);
    let acts = from_environment("LIENBOOK_TEST_ACTS").unwrap_or(ENOUGH);
    println!("LIENBOOK_TEST_SEED={seed} LIENBOOK_TEST_ACTS={acts}");
    let began = std::time::Instant::now();
    let mut simulation = Simulation::new(seed, acts).await;
    simulation.run().await;
    println!("{}", simulation.event_counts());
    println!("{:?}", began.elapsed());
    if acts >= ENOUGH {
        simulation.assert_all_events_occurred();
    }
}
