//! Randomized end-to-end tests of loans: no collateral is pledged and no coin spent twice, with thousands of random
//! actions of concurrent clients, on a server that crashes again and again, over a chain with reorgs; and the balances
//! agree at the end.
//!
//! `LIENBOOK_TEST_SEED` determines all of a run, byte by byte: everything is on one thread, in virtual time, and draws its
//! randomness from the seed. `LIENBOOK_TEST_ACTS` is the number of actions.
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
/// The number of actions of a run that is repeated.
const REPEATED: u64 = 1_500;

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
    tokio::time::pause();
    let mut simulation = Simulation::new(seed, acts).await;
    simulation.run().await;
    println!("{}", simulation.event_counts());
    let (faults, hours) = simulation.faults_and_hours();
    println!("{faults} failed calls in {hours} simulated hours, which took {:?}", began.elapsed());
    println!("fingerprint {}", simulation.fingerprint().await);
    if acts >= ENOUGH {
        simulation.assert_all_events_occurred();
    }
}

#[actix::test]
#[allow(clippy::print_stdout, reason = "a failed run is repeated with its seed")]
async fn a_run_is_repeated_by_its_seed_byte_by_byte() {
    tokio::time::pause();
    let seed = from_environment("LIENBOOK_TEST_SEED").unwrap_or_else(rand::random);
    println!("LIENBOOK_TEST_SEED={seed}");
    let mut fingerprints = Vec::new();
    for seed in [seed, seed, seed ^ 1] {
        let mut simulation = Simulation::new(seed, REPEATED).await;
        simulation.run().await;
        fingerprints.push(simulation.fingerprint().await);
    }
    assert_eq!(fingerprints[0], fingerprints[1]);
    assert_ne!(fingerprints[0], fingerprints[2]);
}
