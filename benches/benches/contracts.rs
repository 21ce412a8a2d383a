//! Criterion benchmarks of each step of a loan on the server, and of coin selection.

use std::hint::black_box;

use benches::{
    coin_set::CoinSet,
    contracts::{COIN_SET_SIZES, DEALS},
    deal::Deal,
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const SEED: u64 = 21;

fn loans(criterion: &mut Criterion) {
    for (name, pledged, coins) in DEALS {
        let deal = Deal::new(pledged, coins);
        let prepared = deal.prepare();
        let answers = deal.sign(&prepared);
        let (_, pre_signatures) = deal.begin(&prepared, &answers);
        let loan = deal.loan(&prepared);
        let repayment = deal.prepare_repayment(&loan, &prepared, &pre_signatures);
        let answer = deal.sign_repayment(&repayment);
        let mut group = criterion.benchmark_group("contracts");
        group.bench_function(BenchmarkId::new("prepare an origination", name), |bencher| {
            bencher.iter(|| deal.prepare());
        });
        group.bench_function(BenchmarkId::new("verify, merge and finish an origination", name), |bencher| {
            bencher.iter(|| deal.begin(black_box(&prepared), black_box(&answers)));
        });
        group.bench_function(BenchmarkId::new("prepare a repayment", name), |bencher| {
            bencher.iter(|| deal.prepare_repayment(black_box(&loan), black_box(&prepared), black_box(&pre_signatures)));
        });
        group.bench_function(BenchmarkId::new("verify, merge and finish a repayment", name), |bencher| {
            bencher.iter(|| {
                deal.end(black_box(&loan), black_box(&repayment), black_box(&answer), black_box(&pre_signatures))
            });
        });
        group.finish();
    }
}

fn choices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("choice of coins");
    for size in COIN_SET_SIZES {
        let coin_set = CoinSet::new(SEED, size);
        let candidates = coin_set.candidates();
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| coin_set.choose(black_box(&candidates)));
        });
    }
    group.finish();
}

criterion_group!(benches, loans, choices);
criterion_main!(benches);
