//! The bare book on one core: decide and apply only.

use std::{hint::black_box, time::Instant};

use domain::{BookEvent, Command, OfferId, OrderBook, UnitPrice, UnixMs};

use crate::{
    book_log::{Kind, Log, Step},
    latency::{Latencies, clock_cost},
    machine::Watch,
    market::{RANKINGS, place_of},
    number::{count, float, float_len, median, nanoseconds, per_second, spread, whole},
    planner::{Mix, mixed_log},
    report::{Section, Table, print},
    stopwatch::{Spent, Stopwatch},
};

/// The numbers of live offers in the measured books.
pub const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

/// The number of commands laid out for the book at a time.
pub const MAILBOX: usize = 512;

/// The result of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replay {
    /// The time of the mix, without filling and trimming.
    pub spent: Spent,
    /// The number of events of the mix.
    pub events: usize,
}

/// Carries out steps on a book; returns the number of their events.
///
/// # Panics
/// If the book refuses one, because the measurement would be invalid.
pub fn execute(book: &mut OrderBook, steps: &[Step], touched: &mut Vec<OfferId>) -> usize {
    let mut events = 0;
    for step in steps {
        events += execute_one(book, step, touched);
    }
    events
}

/// Carries out one step, and returns the number of its events.
pub(crate) fn execute_one(book: &mut OrderBook, step: &Step, touched: &mut Vec<OfferId>) -> usize {
    match book.decide(&step.command, step.at) {
        Ok(events) => {
            touched.clear();
            for event in &events {
                book.apply(event, step.at, touched);
            }
            events.len()
        }
        Err(rejection) => panic!("{:?} is refused: {rejection}", step.command),
    }
}

/// An empty book of the same group.
#[must_use]
pub fn empty_like(book: &OrderBook) -> OrderBook {
    OrderBook::new(book.group().clone(), std::sync::Arc::default())
}

/// Replays a log on an empty book, with the mix under the clock.
///
/// An actor finds its commands in a mailbox, just written; reading a log of megabytes would measure memory as well. So
/// the clock stops while the next commands are copied into a mailbox.
pub fn replay(book: &mut OrderBook, log: &Log) -> Replay {
    let mut touched = Vec::new();
    let mut mailbox = Vec::with_capacity(MAILBOX);
    let mut replay = Replay::default();
    execute(book, &log.fill, &mut touched);
    for window in &log.windows {
        for steps in window.mixed.chunks(MAILBOX) {
            mailbox.clear();
            mailbox.extend_from_slice(steps);
            let watch = Stopwatch::start();
            replay.events += execute(book, &mailbox, &mut touched);
            replay.spent += watch.stop();
        }
        execute(book, &window.trim, &mut touched);
    }
    replay
}

/// Latencies by kind, and the mean number of offers that a tick touched.
struct Pass {
    by_kind: Vec<Latencies>,
    touched_by_price: f64,
    touched_by_vault: f64,
}

impl Pass {
    /// The share of a kind in the mix's time, without the cost of reading the clock.
    fn share(&self, kind: Kind, clock: f64) -> f64 {
        let time = |of: &Latencies| (of.usual_mean() - clock).max(0.0) * float(of.len());
        time(&self.by_kind[kind.index()]) / self.by_kind.iter().map(time).sum::<f64>()
    }
}

/// The number of offers that the commands of one kind touched.
#[derive(Default)]
struct Touched {
    commands: usize,
    offers: usize,
}

impl Touched {
    fn mean(&self) -> f64 {
        float_len(self.offers) / float_len(self.commands.max(1))
    }
}

fn latency_pass(book: &mut OrderBook, log: &Log) -> Pass {
    let mut touched = Vec::new();
    let mut by_kind = vec![Latencies::default(); Kind::ALL.len()];
    let mut touched_by: Vec<Touched> = Kind::ALL.iter().map(|_| Touched::default()).collect();
    execute(book, &log.fill, &mut touched);
    for window in &log.windows {
        for step in &window.mixed {
            let start = Instant::now();
            execute_one(book, step, &mut touched);
            by_kind[step.kind.index()].record(start.elapsed());
            let of_kind = &mut touched_by[step.kind.index()];
            of_kind.commands += 1;
            of_kind.offers += touched.len();
        }
        execute(book, &window.trim, &mut touched);
    }
    let mean = |kind: Kind| touched_by[kind.index()].mean();
    Pass { by_kind, touched_by_price: mean(Kind::PriceTick), touched_by_vault: mean(Kind::VaultTick) }
}

/// The mean cost of a price tick that crosses no offer's threshold, in nanoseconds.
fn idle_tick(book: &mut OrderBook) -> f64 {
    const TICKS: u32 = 1_000_000;
    let price = book.price().expect("the log sets a price");
    let now = UnixMs(1_800_000_000_000);
    let mut touched = Vec::new();
    // The largest step that touches nothing; one hundred-millionth of a sat always does.
    let steps = [1_000, 100, 10, 1].map(|sats| sats * UnitPrice::ONE_SAT).into_iter().chain([1]);
    let other = steps.map(|step| UnitPrice::from_scaled(price.scaled() + step)).find(|other| {
        touched.clear();
        for price in [*other, price] {
            book.apply(&BookEvent::PriceMoved { price, observed_at: now }, now, &mut touched);
        }
        touched.is_empty()
    });
    let prices = [other.expect("some step touches nothing"), price];
    let start = Instant::now();
    for tick in 0..TICKS {
        let price = prices[usize::from(tick % 2 == 1)];
        let command = Command::SetPrice { price, observed_at: now };
        for event in book.decide(black_box(&command), now).expect("a price in range") {
            book.apply(&event, now, &mut touched);
        }
    }
    let elapsed = start.elapsed();
    assert!(touched.is_empty(), "the tick crosses no threshold");
    elapsed.as_secs_f64() * 1e9 / f64::from(TICKS)
}

/// Asserts that both books hold and rank the same.
///
/// # Panics
/// If they differ.
pub fn assert_same_book(one: &OrderBook, other: &OrderBook) {
    assert_eq!(one.offers().count(), other.offers().count(), "offers");
    assert_eq!(one.total_loans(), other.total_loans(), "loans");
    assert_eq!(one.instant_liquidity(), other.instant_liquidity(), "instant liquidity");
    assert_eq!(one.manual_liquidity(), other.manual_liquidity(), "manual liquidity");
    for (sub_collection, process) in (0..RANKINGS).map(place_of) {
        let ids = |book: &OrderBook| book.ranked(sub_collection, process).map(|offer| offer.id).collect::<Vec<_>>();
        assert_eq!(ids(one), ids(other), "the ranking of {sub_collection:?} {process:?}");
    }
}

/// The name of a figure; that of the mix of offers alone is as it was before there was another.
fn figure(name: &str, size: usize, mix: Mix) -> String {
    match mix {
        Mix::Offers => format!("{name}_{size}"),
        Mix::TwoSided => format!("{name}_two_sided_{size}"),
    }
}

/// The tables of this measurement.
struct Findings {
    rates: Table,
    latencies: Table,
    ticks: Table,
    figures: Vec<(String, f64)>,
    /// The cost of reading the clock, in nanoseconds.
    clock: f64,
}

impl Findings {
    fn new() -> Self {
        let columns = [
            "live offers",
            "mix",
            "operations/s",
            "least",
            "most",
            "by the wall clock",
            "events/s",
            "in the book",
            "live",
        ];
        let rates = Table::new("The mix on the bare book, one core: median of the rounds", &columns);
        let columns: Vec<&str> = ["live offers", "mix", "command", "commands", "share of the time"]
            .into_iter()
            .chain(Latencies::COLUMNS)
            .collect();
        let latencies = Table::new("One command, decide and apply, in a pass of its own", &columns);
        let columns = [
            "live offers",
            "mix",
            "offers a price tick touches",
            "offers a vault tick touches",
            "a price tick that touches none",
        ];
        let ticks = Table::new("Ticks, on average", &columns);
        Self { rates, latencies, ticks, figures: Vec::new(), clock: clock_cost() }
    }

    /// Replays the log `rounds` times, each time on an empty book.
    fn measure_rates(&mut self, size: usize, mix: Mix, (log, planned): &(Log, OrderBook), rounds: usize) {
        let (mut of_rounds, mut by_wall, mut events) = (Vec::new(), Vec::new(), 0);
        for round in 1..=rounds {
            let mut book = empty_like(planned);
            let replay = replay(&mut book, log);
            assert_same_book(&book, planned);
            events = replay.events;
            let rate = per_second(log.operations(), replay.spent.processor);
            of_rounds.push(rate);
            by_wall.push(per_second(log.operations(), replay.spent.wall));
            print(&format!(
                "  {} offers, {} mix, round {round}: {} operations/s",
                count(size),
                mix.name(),
                whole(rate)
            ));
        }
        let rate = median(&of_rounds);
        let (least, most) = spread(&of_rounds);
        self.figures.push((figure("operations_per_second", size, mix), rate));
        self.figures.push((figure("operations_per_wall_second", size, mix), median(&by_wall)));
        self.rates.row([
            count(size),
            mix.name().to_owned(),
            whole(rate),
            whole(least),
            whole(most),
            whole(median(&by_wall)),
            whole(rate * float_len(events) / float_len(log.operations())),
            format!("{} to {}", count(log.start.offers), count(log.end.offers)),
            format!("{} to {}", count(log.start.live), count(log.end.live)),
        ]);
    }

    fn measure_latencies(&mut self, size: usize, mix: Mix, (log, planned): &(Log, OrderBook)) {
        let mut book = empty_like(planned);
        let pass = latency_pass(&mut book, log);
        assert_same_book(&book, planned);
        for kind in Kind::ALL.into_iter().filter(|kind| !pass.by_kind[kind.index()].is_empty()) {
            let of_kind = &pass.by_kind[kind.index()];
            let share = format!("{:.0} %", pass.share(kind, self.clock) * 100.0);
            let cells = [count(size), mix.name().to_owned(), kind.to_string(), whole(float(of_kind.len())), share];
            self.latencies.row(cells.into_iter().chain(of_kind.cells()));
            self.figures.push((figure(&format!("{kind}_p99_ns"), size, mix), of_kind.quantile(0.99)));
        }
        let idle = idle_tick(&mut book);
        self.figures.push((figure("idle_tick_ns", size, mix), idle));
        let touched = [pass.touched_by_price, pass.touched_by_vault].map(|mean| format!("{mean:.2}"));
        self.ticks.row([count(size), mix.name().to_owned()].into_iter().chain(touched).chain([nanoseconds(idle)]));
    }
}

/// Measures both mixes at every size, `rounds` times, with at least `operations` per round.
///
/// # Errors
/// If the results cannot be written.
pub fn run(seed: u64, sizes: &[usize], operations: usize, rounds: usize) -> std::io::Result<()> {
    print(&format!("book: seed {seed}"));
    let watch = Watch::start();
    let mut findings = Findings::new();
    for size in sizes {
        for mix in Mix::ALL {
            let planned = mixed_log(seed, *size, operations, mix);
            findings.measure_rates(*size, mix, &planned, rounds);
            findings.measure_latencies(*size, mix, &planned);
        }
    }
    let Findings { rates, latencies, ticks, figures, clock } = findings;
    let mut section = Section::new("book", &watch);
    section.table(rates);
    section.table(latencies);
    section.table(ticks);
    section.note(format!(
        "The clock of the mix runs while the book works off a mailbox of {MAILBOX} commands, and stands while the next \
         ones are laid into it."
    ));
    section
        .note(format!("Every latency contains one reading of the clock, {} here; shares do not.", nanoseconds(clock)));
    section.note(format!(
        "Seed {seed}, {rounds} rounds of at least {} operations; every command was accepted, every replay ended in the \
         planned book.",
        count(operations)
    ));
    section.note(
        "Rates are by the measuring thread's processor time; latencies by the wall clock, other programs' turns included.",
    );
    section.figures.extend(figures);
    section.publish()
}
