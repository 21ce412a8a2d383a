//! Randomized end-to-end tests of loans: no collateral is pledged and no coin spent twice, with thousands of random
//! actions of concurrent clients, on a server that crashes again and again, over a chain with reorgs; and the balances
//! agree at the end.
//!
//! `LIENBOOK_TEST_SEED` determines all of a run, byte by byte: everything is on one thread, in virtual time, and draws its
//! randomness from the seed. `LIENBOOK_TEST_ACTS` is the number of actions, and `LIENBOOK_TEST_FLAKY_PER_MILLE` of a thousand
//! calls those that fail in the worst phases. A run that fails is shrunk for `LIENBOOK_TEST_SHRINK_SECONDS`, and what is left
//! of it is repeated by `LIENBOOK_TEST_PLAN`.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use lending_testkit as kit;

mod chain_walk;
mod checks;
mod clients;
mod crash;
mod endings;
mod environment;
mod event_counts;
mod journal_history;
mod memory;
mod money;
mod participants;
mod plan;
mod request;
mod shrink;
mod simulation;

use std::rc::Rc;
use std::time::{Duration, Instant};

use plan::Plan;
use shrink::PLAN_VARIABLE;
use simulation::Simulation;

/// The number of actions in which every kind of event is expected.
const ENOUGH: u64 = 10_000;
/// The number of actions of a run that is repeated.
const REPEATED: u64 = 1_500;
/// Of a thousand calls, those that fail in the worst phases, where it is not set.
const FLAKY_PER_MILLE: u64 = 200;
/// The time for shrinking a run that failed, where it is not set.
const SHRINK_SECONDS: u64 = 120;

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Reads the plan of the environment; without one a random run is whole.
fn plan(acts: u64) -> Plan {
    if let Some(path) = std::env::var_os(PLAN_VARIABLE) {
        return Plan::read(path.as_ref());
    }
    let seed = from_environment("LIENBOOK_TEST_SEED").unwrap_or_else(rand::random);
    let flaky = from_environment("LIENBOOK_TEST_FLAKY_PER_MILLE").unwrap_or(FLAKY_PER_MILLE);
    Plan::whole(seed, acts, u16::try_from(flaky).unwrap())
}

#[actix::test]
#[allow(clippy::print_stdout, reason = "a failed run is repeated with its seed")]
async fn nothing_is_pledged_or_spent_twice_under_random_requests_and_crashes() {
    let plan = Rc::new(plan(from_environment("LIENBOOK_TEST_ACTS").unwrap_or(ENOUGH)));
    let Plan { seed, acts, flaky_per_mille, .. } = *plan;
    println!("LIENBOOK_TEST_SEED={seed} LIENBOOK_TEST_ACTS={acts} LIENBOOK_TEST_FLAKY_PER_MILLE={flaky_per_mille}");
    shrink::watch_panics();
    let began = Instant::now();
    tokio::time::pause();
    let mut simulation = Simulation::new(Rc::clone(&plan)).await;
    let shared = Rc::clone(&simulation.shared);
    let run = actix::spawn(async move {
        simulation.run().await;
        simulation
    });
    let simulation = match run.await {
        Ok(simulation) => simulation,
        Err(failure) => {
            let at_most = from_environment("LIENBOOK_TEST_SHRINK_SECONDS").unwrap_or(SHRINK_SECONDS);
            if !plan.is_part() && at_most > 0 {
                let test = "nothing_is_pledged_or_spent_twice_under_random_requests_and_crashes";
                shrink::shrink(test, &plan, shared.done(), began.elapsed(), Duration::from_secs(at_most));
            }
            std::panic::resume_unwind(failure.into_panic());
        }
    };
    println!("{}", simulation.event_counts());
    let (faults, hours) = simulation.faults_and_hours();
    println!("{faults} failed calls in {hours} simulated hours, which took {:?}", began.elapsed());
    println!("fingerprint {}", simulation.fingerprint().await);
    if acts >= ENOUGH && u64::from(flaky_per_mille) <= FLAKY_PER_MILLE && !plan.is_part() {
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
        let plan = Plan::whole(seed, REPEATED, u16::try_from(FLAKY_PER_MILLE).unwrap());
        let mut simulation = Simulation::new(Rc::new(plan)).await;
        simulation.run().await;
        fingerprints.push(simulation.fingerprint().await);
    }
    assert_eq!(fingerprints[0], fingerprints[1]);
    assert_ne!(fingerprints[0], fingerprints[2]);
}
