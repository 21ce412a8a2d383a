//! Lienbook's book compared with two published order books: the same orders, on the same machine, with the same
//! outcome.
//!
//! Only operations that all of them support are used: add an order, cancel it, replace it, take the best. Offers are
//! bids of one unit whose price is the principal, and taking the best is a market order of one unit; in the other
//! implementations each ranking is a book of its own. Lienbook does more for each (it checks LTV, LTV limit, vault,
//! ownership and limits, maintains ranks, price thresholds and liquidity, and reserves an offer before it is lent);
//! none of that is left out.

mod contender;
mod lienbook;
mod lobster_book;
mod order_log;
mod orderbook_rs_book;

use std::{collections::BTreeMap, io};

use self::{
    contender::Contender,
    lienbook::Lienbook,
    lobster_book::LobsterBook,
    order_log::{Action, OrderLog, order_log},
    orderbook_rs_book::OrderbookRsBook,
};
use crate::{
    machine::Watch,
    market::RANKINGS,
    number::{count, median, per_second, whole},
    report::{Section, Table, print, ratio},
    stopwatch::{Spent, Stopwatch},
};

/// The result of a contender. All contenders must agree on everything but the time.
#[derive(Debug)]
struct Outcome {
    spent: Spent,
    /// The numbers of the orders taken, in order.
    taken: Vec<u64>,
    /// For each ranking, the number of orders at each price.
    levels: Vec<BTreeMap<u64, u64>>,
}

impl Outcome {
    fn live(&self) -> u64 {
        self.levels.iter().flat_map(BTreeMap::values).sum()
    }
}

fn act<C: Contender>(contender: &mut C, actions: &[Action], taken: &mut Vec<u64>) {
    for action in actions {
        match action {
            Action::Add(order) => contender.add(order),
            Action::Cancel(order) => contender.cancel(order),
            Action::Replace { old, new } => contender.replace(old, new),
            Action::Take { ranking } => taken.push(contender.take(*ranking)),
        }
    }
}

/// Runs the log; filling and trimming are outside the clock.
fn run_log<C: Contender>(mut contender: C, log: &OrderLog) -> Outcome {
    let mut taken = Vec::with_capacity(log.taken.len());
    let mut spent = Spent::default();
    act(&mut contender, &log.fill, &mut taken);
    for window in &log.windows {
        let watch = Stopwatch::start();
        act(&mut contender, &window.mixed, &mut taken);
        spent += watch.stop();
        act(&mut contender, &window.trim, &mut taken);
    }
    Outcome { spent, taken, levels: (0..RANKINGS).map(|ranking| contender.levels(ranking)).collect() }
}

/// Asserts that the contender took and holds the orders that the log predicts.
fn assert_as_expected(name: &str, outcome: &Outcome, log: &OrderLog) {
    assert_eq!(outcome.taken, log.taken, "{name}: the orders taken, in order");
    assert_eq!(outcome.levels, log.levels, "{name}: the number of resting orders at each price of each ranking");
}

/// Measures every size, alternating between the implementations.
///
/// # Errors
/// If the results cannot be written.
pub fn run(seed: u64, sizes: &[usize], operations: usize, rounds: usize) -> io::Result<()> {
    const NAMES: [&str; 3] = ["lienbook", "orderbook-rs", "lobster"];
    print(&format!("side-by-side: seed {seed}"));
    let watch = Watch::start();
    let columns =
        ["live orders", "lienbook, op/s", "orderbook-rs, op/s", "lobster, op/s", "to orderbook-rs", "to lobster"];
    let mut table = Table::new("Add, cancel, replace, take the best: medians of the rounds, one core", &columns);
    let mut figures = Vec::new();
    let mut taken = 0;
    for size in sizes {
        let log = order_log(seed, *size, operations);
        taken += log.taken.len();
        let mut rates = [Vec::new(), Vec::new(), Vec::new()];
        for round in 1..=rounds {
            let outcomes = [
                run_log(Lienbook::new(*size), &log),
                run_log(OrderbookRsBook::default(), &log),
                run_log(LobsterBook::new(*size), &log),
            ];
            for ((name, outcome), rates) in NAMES.iter().zip(&outcomes).zip(&mut rates) {
                assert_as_expected(name, outcome, &log);
                rates.push(per_second(log.operations(), outcome.spent.processor));
            }
            let [ours, first, second] = &rates;
            let last = |rates: &[f64]| rates.last().map_or_else(String::new, |rate| whole(*rate));
            print(&format!(
                "  {} orders (now {}), round {round}: lienbook {}, orderbook-rs {}, lobster {} op/s",
                count(*size),
                outcomes[0].live(),
                last(ours),
                last(first),
                last(second)
            ));
        }
        let [ours, first, second] = rates.each_ref().map(|rates| median(rates));
        let to = |other: usize| {
            median(&rates[0].iter().zip(&rates[other]).map(|(one, other)| one / other).collect::<Vec<_>>())
        };
        table.row([count(*size), whole(ours), whole(first), whole(second), ratio(to(1), 1.0), ratio(to(2), 1.0)]);
        figures.push((format!("lienbook_operations_per_second_{size}"), ours));
        figures.push((format!("ratio_to_orderbook_rs_{size}"), to(1)));
        figures.push((format!("ratio_to_lobster_{size}"), to(2)));
    }
    let mut section = Section::new("side-by-side", &watch);
    section.table(table);
    section.note(format!(
        "Seed {seed}, {rounds} rounds, in each the implementations one after the other, by the measuring thread's processor time; ratios are medians of the rounds' own ratios. \
         All three took the same {} orders in the same order and held the same number of orders at every price of every ranking at the \
         end, as predicted by a sorted set when the log was written.",
        count(taken)
    ));
    section.figures.extend(figures);
    section.publish()
}
