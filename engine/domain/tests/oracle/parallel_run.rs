//! A book and the naive one that execute the same random commands.

use std::sync::Arc;

use domain::{Limits, OrderBook, UnixMs};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::naive_book::NaiveBook;
use super::random_command::{groups, random_command};
use super::seed;

/// Lets twelve pairs of books execute this many commands, and looks at both after every fifth one.
pub(crate) fn run_in_parallel(steps: u64, mut look: impl FnMut(&OrderBook, &NaiveBook, UnixMs, &mut ChaCha8Rng)) {
    let seed = seed();
    for round in 0..12 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(round));
        let group = groups()[rng.random_range(0..3)].clone();
        let (mut book, mut naive) = (
            OrderBook::new(Arc::new(group.clone()), Arc::new(Limits::default())),
            NaiveBook::new(group, Limits::default()),
        );
        let (mut now, mut touched) = (UnixMs(1_000), Vec::new());
        for step in 0..steps {
            let command = random_command(&naive, &mut now, 40, &mut rng);
            for event in book.decide(&command, now).iter().flatten() {
                book.apply(event, now, &mut touched);
            }
            let _ = naive.execute(&command, now);
            if step % 5 == 0 {
                look(&book, &naive, now, &mut rng);
            }
        }
    }
}
