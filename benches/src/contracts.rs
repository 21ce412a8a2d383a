//! The cost of the contracts: preparing transactions, checking returned PSBTs, coin selection. One core, no I/O.

use std::{hint::black_box, io, time::Instant};

use crate::{
    coin_set::CoinSet,
    deal::{Deal, Pledged},
    latency::{Latencies, clock_cost},
    machine::Watch,
    number::{count, nanoseconds},
    report::{Section, Table, print},
};

/// The maximum time for building a transaction with its checks, in nanoseconds.
const PREPARE_MAX: f64 = 2e6;
/// The maximum time for verifying, merging and finishing, in nanoseconds.
const FINISH_MAX: f64 = 5e6;
/// The measured deals: the collateral, and the number of coins that the lender pays from.
pub const DEALS: [(&str, Pledged, u8); 3] = [
    ("an inscription, 3 coins of the lender", Pledged::Inscription, 3),
    ("runes of 3 coins, 3 coins of the lender", Pledged::Runes, 3),
    ("an inscription, 30 coins of the lender", Pledged::Inscription, 30),
];
/// The numbers of coins to select from.
pub const COIN_SET_SIZES: [u16; 3] = [10, 100, 1_000];

/// Runs a function once, records its time, and returns its result.
fn timed<T>(latencies: &mut Latencies, act: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let outcome = black_box(act());
    latencies.record(start.elapsed());
    outcome
}

/// The latencies of one deal.
#[derive(Default)]
struct Pass {
    prepare: Latencies,
    begin: Latencies,
    prepare_repayment: Latencies,
    end: Latencies,
}

impl Pass {
    /// Runs a whole loan `times` times; each time the same transactions must result.
    fn of(deal: &Deal, times: usize) -> Self {
        let mut pass = Self::default();
        let first = deal.prepare();
        let answers = deal.sign(&first);
        let (begun, pre_signatures) = deal.begin(&first, &answers);
        let loan = deal.loan(&first);
        let first_repayment = deal.prepare_repayment(&loan, &first, &pre_signatures);
        let answer = deal.sign_repayment(&first_repayment);
        let ended = deal.end(&loan, &first_repayment, &answer, &pre_signatures);
        for _ in 0..times {
            let prepared = timed(&mut pass.prepare, || deal.prepare());
            assert_eq!(prepared, first, "the same loan");
            let outcome = timed(&mut pass.begin, || deal.begin(&prepared, &answers));
            assert_eq!(outcome, (begun.clone(), pre_signatures.clone()), "the same origination");
            let repayment =
                timed(&mut pass.prepare_repayment, || deal.prepare_repayment(&loan, &prepared, &pre_signatures));
            assert_eq!(repayment, first_repayment, "the same repayment");
            let outcome = timed(&mut pass.end, || deal.end(&loan, &repayment, &answer, &pre_signatures));
            assert_eq!(outcome, ended, "the same ending");
        }
        pass
    }

    fn steps(&self) -> [(&'static str, &Latencies, f64); 4] {
        [
            ("origination: prepare", &self.prepare, PREPARE_MAX),
            ("origination: verify, merge, finish", &self.begin, FINISH_MAX),
            ("repayment: prepare", &self.prepare_repayment, PREPARE_MAX),
            ("repayment: verify, merge, finish", &self.end, FINISH_MAX),
        ]
    }
}

/// Measures every step of a loan, and coin selection, with the given number of repetitions.
///
/// # Errors
/// If the results cannot be written.
pub fn run(seed: u64, times: usize) -> io::Result<()> {
    print(&format!("contracts: seed {seed}"));
    let watch = Watch::start();
    let columns: Vec<&str> = ["loan", "step", "goal"].into_iter().chain(Latencies::COLUMNS).collect();
    let mut steps = Table::new("One loan on one core: from the request to the answer, without the wallets", &columns);
    let mut figures = Vec::new();
    for (name, pledged, coins) in DEALS {
        let pass = Pass::of(&Deal::new(pledged, coins), times);
        for (step, latencies, goal) in pass.steps() {
            let cells = [name.to_owned(), step.to_owned(), format!("{:.0} ms", goal / 1e6)];
            steps.row(cells.into_iter().chain(latencies.cells()));
            figures.push((format!("{step}, {name}, p99 ns"), latencies.quantile(0.99)));
        }
        print(&format!("  {name}: measured {} times", count(times)));
    }
    let columns: Vec<&str> = ["candidate coins", "selected"].into_iter().chain(Latencies::COLUMNS).collect();
    let mut choices = Table::new("One coin selection", &columns);
    for size in COIN_SET_SIZES {
        let coin_set = CoinSet::new(seed, size);
        let candidates = coin_set.candidates();
        let mut latencies = Latencies::default();
        let mut chosen = 0;
        for _ in 0..times / 10 {
            chosen = timed(&mut latencies, || coin_set.choose(&candidates));
        }
        choices.row([count(usize::from(size)), count(chosen)].into_iter().chain(latencies.cells()));
        figures.push((format!("choice among {size} coins, p99 ns"), latencies.quantile(0.99)));
    }
    let mut section = Section::new("contracts", &watch);
    section.table(steps);
    section.table(choices);
    section.note(format!(
        "Seed {seed}, {} times each step and {} times each selection, by the wall clock; one reading of the clock, {} here, is \
         in every figure.",
        count(times),
        count(times / 10),
        nanoseconds(clock_cost())
    ));
    section.note(
        "Preparing an origination includes the contract's scripts, the transaction, its final check of every sat and rune, both \
         repayments that the lender pre-signs, and all texts for the wallets. Finishing it includes the texts that \
         come back, every signature of both sides, the two pre-signatures, and each signature once more at the end.",
    );
    section.note("Every repetition gave the same transactions.");
    section.figures.extend(figures);
    section.publish()
}
