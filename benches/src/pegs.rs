//! Price ticks on a bare book of offers that follow the floor: those that move none, and those that reprice many.

use std::time::Instant;

use domain::{Command, Ltv, OfferDraft, OfferId, OrderBook, Sats, UnitPrice, UnixMs, UserId};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    machine::Watch,
    market::{self, FLOOR, RANKINGS, place_of},
    number::{count, float_len, median, nanoseconds, per_second, whole},
    report::{Section, Table, print},
};

/// The numbers of pegged offers in the measured books.
pub const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// The offers of one lender.
const OFFERS_PER_LENDER: usize = 500;
/// The ticks of a round that reprice offers.
const TICKS: usize = 400;
/// The ticks of a round that reprice none.
const IDLE_TICKS: usize = 1_000_000;

const NOW: UnixMs = UnixMs(1_800_000_000_000);

/// A manual offer of 30 to 80 % of the floor, within a third below and above its principal now.
fn draft(rng: &mut ChaCha8Rng) -> OfferDraft {
    let (sub_collection, process) = place_of(rng.random_range(0..RANKINGS / 2) * 2);
    let ltv = rng.random_range(3_000..8_000);
    let principal = FLOOR.get() * u64::from(ltv) / 10_000;
    OfferDraft {
        principal_min: Some(Sats::new(principal * 2 / 3)),
        max_ltv: Some(Ltv::from_basis_points(ltv)),
        ..OfferDraft::plain(sub_collection, process, Sats::new(principal * 4 / 3))
    }
}

fn execute(book: &mut OrderBook, command: &Command, touched: &mut Vec<OfferId>) {
    for event in book.decide(command, NOW).expect("the book accepts it") {
        book.apply(&event, NOW, touched);
    }
}

fn set_price(book: &mut OrderBook, price: UnitPrice, touched: &mut Vec<OfferId>) {
    execute(book, &Command::SetPrice { price, observed_at: NOW }, touched);
}

/// A book of `size` pegged offers at the floor.
fn filled(seed: u64, size: usize) -> OrderBook {
    let mut book = OrderBook::new(market::group(1), std::sync::Arc::default());
    let (mut rng, mut touched) = (ChaCha8Rng::seed_from_u64(seed), Vec::new());
    set_price(&mut book, market::floor_price(), &mut touched);
    for number in 0..size {
        touched.clear();
        let lender = UserId(u64::try_from(number / OFFERS_PER_LENDER).expect("few lenders") + 1);
        let command = Command::Create { lender, draft: draft(&mut rng), count: 1, usable: None };
        execute(&mut book, &command, &mut touched);
    }
    book
}

/// The mean cost of a tick that moves no peg, in nanoseconds.
fn idle_tick(book: &mut OrderBook) -> f64 {
    let floor = market::floor_price();
    let mut touched = Vec::new();
    let beside = UnitPrice::from_scaled(floor.scaled() + 1);
    set_price(book, beside, &mut touched);
    touched.clear();
    let start = Instant::now();
    for tick in 0..IDLE_TICKS {
        set_price(book, if tick % 2 == 0 { floor } else { beside }, &mut touched);
    }
    let elapsed = start.elapsed();
    assert!(touched.is_empty(), "a tick of a hundred-millionth of a sat moves no peg");
    set_price(book, floor, &mut touched);
    elapsed.as_secs_f64() * 1e9 / float_len(IDLE_TICKS)
}

/// The repriced offers of a round, and the time that its ticks took.
struct Repriced {
    offers: usize,
    elapsed: std::time::Duration,
}

/// A floor that wanders by up to a per mille at each tick.
fn reprice(book: &mut OrderBook, rng: &mut ChaCha8Rng) -> Repriced {
    let floor = market::floor_price().scaled();
    let mut prices = Vec::with_capacity(TICKS);
    let mut price = floor;
    for _ in 0..TICKS {
        let step = floor / 1_000_000 * rng.random_range(1..=1_000);
        price = if price > floor { price - step } else { price + step };
        prices.push(UnitPrice::from_scaled(price));
    }
    let (mut touched, mut offers) = (Vec::new(), 0);
    let start = Instant::now();
    for price in prices {
        touched.clear();
        set_price(book, price, &mut touched);
        offers += touched.len();
    }
    Repriced { offers, elapsed: start.elapsed() }
}

/// Measures ticks at every size, `rounds` times.
///
/// # Errors
/// If the results cannot be written.
pub fn run(seed: u64, sizes: &[usize], rounds: usize) -> std::io::Result<()> {
    print(&format!("pegs: seed {seed}"));
    let watch = Watch::start();
    let columns = ["pegged offers", "a tick that moves none", "offers that a tick reprices", "repricings/s", "each"];
    let mut table = Table::new("Price ticks on a bare book of pegged offers, one core: median of the rounds", &columns);
    let mut figures = Vec::new();
    for size in sizes {
        let mut book = filled(seed, *size);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut idle, mut rates, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        for round in 1..=rounds {
            idle.push(idle_tick(&mut book));
            let Repriced { offers, elapsed } = reprice(&mut book, &mut rng);
            rates.push(per_second(offers, elapsed));
            moved.push(float_len(offers) / float_len(TICKS));
            print(&format!("  {} offers, round {round}: {} repricings/s", count(*size), whole(median(&rates))));
        }
        let rate = median(&rates);
        figures.push((format!("idle_tick_ns_{size}"), median(&idle)));
        figures.push((format!("repricings_per_second_{size}"), rate));
        let cells = [nanoseconds(median(&idle)), whole(median(&moved)), whole(rate), nanoseconds(1e9 / rate)];
        table.row([count(*size)].into_iter().chain(cells));
    }
    let mut section = Section::new("pegs", &watch);
    section.table(table);
    section.note(format!(
        "Seed {seed}, {rounds} rounds of {TICKS} ticks of up to a per mille. A repricing moves an offer in its ranking, in \
         the totals, in its lender's list and in both indices of pegs."
    ));
    section.figures.extend(figures);
    section.publish()
}
