//! Nothing is pledged or spent twice: thousands of random acts of many people at once, on a server that dies again and
//! again, over a chain that changes its mind; and then the sums.
//!
//! `LIENBOOK_TEST_SEED` decides what people do and when the server dies (not which thread is faster), `LIENBOOK_TEST_ACTS`
//! how much they do.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../kit/kit.rs"]
#[allow(dead_code, reason = "every test binary uses another part of it")]
mod kit;

mod cast;
mod chain_walk;
mod checks;
mod clients;
mod crash;
mod memory;
mod money;
mod nature;
mod play;
mod request;
mod story;
mod tally;

use play::Play;

/// In so many acts everything happens that should.
const ENOUGH: u64 = 10_000;

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

#[actix::test]
#[allow(clippy::print_stdout, reason = "whoever sees it fail needs the seed")]
async fn nothing_is_pledged_or_spent_twice_whoever_asks_and_whenever_the_server_dies() {
    let seed = from_environment("LIENBOOK_TEST_SEED").unwrap_or_else(rand::random);
    let acts = from_environment("LIENBOOK_TEST_ACTS").unwrap_or(ENOUGH);
    println!("LIENBOOK_TEST_SEED={seed} LIENBOOK_TEST_ACTS={acts}");
    let began = std::time::Instant::now();
    let mut play = Play::new(seed, acts).await;
    play.run().await;
    println!("{}", play.tally());
    println!("{:?}", began.elapsed());
    if acts >= ENOUGH {
        play.assert_eventful();
    }
}
