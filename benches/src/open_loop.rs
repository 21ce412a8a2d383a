//! Latencies at steady rates: commands are sent on a schedule, whether or not earlier ones are answered, and the latency of
//! each counts from the time at which it was due. So a pause counts for all commands that it delays, which a client that
//! waits for answers would not have sent (coordinated omission).

mod actor;
mod book;
mod served;
mod step;

use std::{io, path::Path};

use domain::OrderBook;
use serde::Serialize;

use self::{served::Served, step::Step};
use crate::{
    book_log::Log,
    drive::funded_vaults,
    durable::folder_on_disk,
    machine::Watch,
    number::{count, median, nanoseconds, whole},
    picture::{Curve, Picture},
    planner::{Mix, funded_log, lenders_for, mixed_log},
    report::{Section, Table, print},
    served_market,
    server_process::ServerProcess,
};

/// The rates as percentages of the maximum.
const PER_CENTS: [u32; 9] = [10, 20, 30, 40, 50, 60, 70, 80, 90];
/// The number of times that the maximum is looked for; the median counts.
const TRIES: usize = 3;
/// The live offers of the bare book and the actor's, and the offers of the server's.
const OFFERS: usize = 100_000;
const SERVED_OFFERS: usize = 10_000;

/// The sizes of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Rounds.
    pub rounds: usize,
    /// The duration of a step in seconds, at most.
    pub seconds: f64,
    /// The operations of the logs, which end a step earlier.
    pub operations: usize,
}

/// The receiver of the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Book,
    Actor,
    Http,
    Socket,
}

impl System {
    const ALL: [Self; 4] = [Self::Book, Self::Actor, Self::Http, Self::Socket];

    const fn name(self) -> &'static str {
        match self {
            Self::Book => "bare book",
            Self::Actor => "actor",
            Self::Http => "HTTP, durable",
            Self::Socket => "socket, durable",
        }
    }
}

/// Everything that is needed for a step.
struct Setting {
    book: (Log, OrderBook),
    actor: Log,
    served: Served,
    runtime: tokio::runtime::Runtime,
    seconds: f64,
}

impl Setting {
    fn step(&mut self, system: System, rate: f64) -> io::Result<Step> {
        let seconds = self.seconds;
        match system {
            System::Book => Ok(book::step(&self.book.1, &self.book.0, rate, seconds)),
            System::Actor => {
                Ok(actix::System::new().block_on(actor::step(&self.actor, lenders_for(OFFERS), rate, seconds)))
            }
            System::Http => self.runtime.block_on(self.served.http_step(rate, seconds)),
            System::Socket => self.runtime.block_on(self.served.socket_step(rate, seconds)),
        }
    }

    /// The most commands in a second: all due at once, or each user waiting for answers.
    fn maximum(&mut self, system: System) -> io::Result<f64> {
        match system {
            System::Book | System::Actor => Ok(self.step(system, f64::INFINITY)?.rate()),
            System::Http => self.runtime.block_on(self.served.http_maximum(self.seconds)),
            System::Socket => self.runtime.block_on(self.served.socket_maximum(self.seconds)),
        }
    }
}

/// The figures of one rate.
#[derive(Clone, Debug, Serialize)]
struct Point {
    system: &'static str,
    per_cent_of_maximum: u32,
    maximum_per_second: f64,
    commands_per_second: f64,
    p50_ns: f64,
    p99_ns: f64,
    p999_ns: f64,
    /// Of all rounds.
    refused: usize,
}

impl Point {
    fn of_rounds(system: System, per_cent: u32, maximum: f64, rounds: &[Step]) -> Self {
        let of = |figure: &dyn Fn(&Step) -> f64| median(&rounds.iter().map(figure).collect::<Vec<_>>());
        Self {
            system: system.name(),
            per_cent_of_maximum: per_cent,
            maximum_per_second: maximum,
            commands_per_second: of(&Step::rate),
            p50_ns: of(&|step| step.latencies.quantile(0.5)),
            p99_ns: of(&|step| step.latencies.quantile(0.99)),
            p999_ns: of(&|step| step.latencies.quantile(0.999)),
            refused: rounds.iter().map(|step| step.refused).sum(),
        }
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.system.to_owned(),
            format!("{} %", self.per_cent_of_maximum),
            whole(self.maximum_per_second * f64::from(self.per_cent_of_maximum) / 100.0),
            whole(self.commands_per_second),
            nanoseconds(self.p50_ns),
            nanoseconds(self.p99_ns),
            nanoseconds(self.p999_ns),
            count(self.refused),
        ]
    }
}

/// Two curves of each system: the median and the 99th percentile.
fn picture(points: &[Point]) -> Picture {
    let curve = |colour: usize, system: System, name: &str, is_dashed: bool, figure: fn(&Point) -> f64| {
        let of_system = points.iter().filter(|point| point.system == system.name());
        Curve {
            name: format!("{}, {name}", system.name()),
            colour,
            is_dashed,
            points: of_system.map(|point| (point.commands_per_second, figure(point))).collect(),
        }
    };
    let curves = System::ALL.into_iter().enumerate().flat_map(|(colour, system)| {
        [
            curve(colour, system, "p99", false, |point| point.p99_ns),
            curve(colour, system, "p50", true, |point| point.p50_ns),
        ]
    });
    Picture {
        title: "Latency at 10 to 90 % of the maximum, counted from the scheduled time".to_owned(),
        x_label: "commands a second".to_owned(),
        y_label: "latency".to_owned(),
        curves: curves.collect(),
    }
}

fn measure(setting: &mut Setting, rounds: usize) -> io::Result<Vec<Point>> {
    let mut maxima = Vec::new();
    for system in System::ALL {
        let tries = (0..TRIES).map(|_| setting.maximum(system)).collect::<io::Result<Vec<_>>>()?;
        maxima.push(median(&tries));
        print(&format!("  {}: at most {} commands/s", system.name(), whole(median(&tries))));
    }
    let plan = || System::ALL.into_iter().zip(maxima.clone()).flat_map(|of| PER_CENTS.map(|per_cent| (of, per_cent)));
    let mut steps: Vec<Vec<Step>> = plan().map(|_| Vec::new()).collect();
    for round in 1..=rounds {
        for (((system, maximum), per_cent), steps) in plan().zip(&mut steps) {
            let step = setting.step(system, maximum * f64::from(per_cent) / 100.0)?;
            print(&format!(
                "  round {round}: {}, {per_cent} %: {} commands/s, p99 {}",
                system.name(),
                whole(step.rate()),
                nanoseconds(step.latencies.quantile(0.99))
            ));
            steps.push(step);
        }
    }
    let of_plan = plan().zip(&steps);
    Ok(of_plan
        .map(|(((system, maximum), per_cent), steps)| Point::of_rounds(system, per_cent, maximum, steps))
        .collect())
}

/// Looks for the maximum of each system, then measures it at shares of that.
///
/// # Errors
/// If the server refuses an order, or the results cannot be written.
pub fn run(seed: u64, sizes: Sizes, chosen: Option<&Path>) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    print(&format!("open-loop: seed {seed}"));
    let folder = folder_on_disk(chosen)?;
    let watch = Watch::start();
    let flags = ["--offers", &SERVED_OFFERS.to_string()];
    let server = ServerProcess::start_with(served_market::SUBCOMMAND, folder.path(), &flags, &[])?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let users = runtime.block_on(Served::connect(&server, seed))?;
    let (actor, _) = funded_log(seed, OFFERS, sizes.operations, funded_vaults(lenders_for(OFFERS)));
    let book = mixed_log(seed, OFFERS, sizes.operations, Mix::Offers);
    let mut setting = Setting { book, actor, served: users, runtime, seconds: sizes.seconds };
    let points = measure(&mut setting, sizes.rounds)?;
    let mut section = Section::new("open-loop", &watch);
    let columns = ["what", "of the maximum", "scheduled/s", "answered/s", "p50", "p99", "p99.9", "refused"];
    let mut table = Table::new("Latency from the scheduled time; medians of the rounds", &columns);
    for point in &points {
        table.row(point.cells());
        let name = format!("{}, {} %", point.system, point.per_cent_of_maximum);
        section.figure(format!("{name}, p99 ns"), point.p99_ns);
        section.figure(format!("{name}, commands/s"), point.commands_per_second);
    }
    section.table(table);
    section.note(format!(
        "Seed {seed}, {} rounds, each step for {} s, or as long as a log of {} operations lasts. The maximum is the median of {TRIES} \
         tries in the same run: with all commands due at once, over HTTP and the socket with users who wait for answers. Each \
         command is due at a fixed time, and its latency counts from then, also while it waits for its turn to be sent.",
        sizes.rounds,
        sizes.seconds,
        count(sizes.operations)
    ));
    section.note(format!(
        "The bare book and the actor: the planner's mix at {} offers, without a disk; the thread that sends spins. HTTP and socket: \
         {} users, new, replaced and cancelled offers as in `instead`, on a book of {} offers, durable; the thread that keeps the \
         time sleeps, so that up to a tenth of a millisecond of their latencies is the timer's. Server and clients share the cores.",
        count(OFFERS),
        served::USERS,
        count(SERVED_OFFERS)
    ));
    section.raw_data(&points)?;
    section.picture(&picture(&points))?;
    section.publish()
}
