//! Criterion benchmarks of each command on the bare book: decide and apply.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use benches::{
    book::{SIZES, empty_like, execute},
    book_log::Step,
    market,
    planner::{Planner, lenders_for},
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use domain::OrderBook;

const SEED: u64 = 21;

type Act = fn(&mut Planner, &mut Vec<Step>);

const ACTS: [(&str, Act); 6] = [
    ("create", Planner::create),
    ("edit", Planner::edit),
    ("cancel", Planner::cancel),
    ("accept", Planner::accept),
    ("price tick", Planner::tick_price),
    ("vault tick", Planner::tick_vault),
];

/// Times `count` operations on a book of about `size` offers; the planner records them before the clock starts.
fn timed(planner: &mut Planner, book: &mut OrderBook, act: Act, count: u64, size: usize) -> Duration {
    let most = u64::try_from(size / 10).expect("small").max(200);
    let (mut elapsed, mut left, mut touched) = (Duration::ZERO, count, Vec::new());
    while left > 0 {
        let now = left.min(most);
        let mut steps = Vec::new();
        for _ in 0..now {
            act(planner, &mut steps);
        }
        let start = Instant::now();
        black_box(execute(book, &steps, &mut touched));
        elapsed += start.elapsed();
        // Outside the clock, the book is restored to its size.
        let mut restoring = planner.trim(size);
        while planner.size().offers < size {
            planner.create(&mut restoring);
        }
        execute(book, &restoring, &mut touched);
        left -= now;
    }
    elapsed
}

fn book(criterion: &mut Criterion) {
    for size in SIZES {
        let mut planner = Planner::new(SEED, market::group(1), lenders_for(size));
        let fill = planner.fill(size);
        let mut book = empty_like(&planner.book);
        execute(&mut book, &fill, &mut Vec::new());
        drop(fill);
        let mut group = criterion.benchmark_group("bare book");
        group.sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        for (name, act) in ACTS {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter_custom(|count| timed(&mut planner, &mut book, act, count, size));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, book);
criterion_main!(benches);
