//! Instant loans at a steady rate: the time from the borrower's submission to the answer, and to the delta on the
//! sockets of the lender and of another client.
//!
//! The load is open: every submission has its scheduled time, whatever the result of the earlier ones, and latencies
//! count from that time. Everything up to the signature is done in advance.

mod listener;
mod setup;

use std::{
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::Client;
use tokio::task::JoinSet;

use self::{
    listener::{Listener, LoanArrivals},
    setup::{Setup, Submission},
};
use crate::{
    durable::folder_on_disk,
    latency::Latencies,
    machine::Watch,
    number::{count, float, float_len, nanoseconds, per_second, whole},
    report::{Section, Table, print},
    served_lending,
    server_process::ServerProcess,
    stages::Durations,
    stopwatch::monotonic_nanoseconds,
};

/// The timeout of an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// The time allowed for the last deltas.
const SETTLE: Duration = Duration::from_secs(2);
/// The quantiles reported of the latencies.
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 1.0];
const QUANTILE_NAMES: [&str; 4] = ["p50", "p90", "p99", "max"];

/// The size of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The number of loans.
    pub loans: usize,
    /// The number of submissions per second.
    pub rate: u32,
    /// The number of lenders, each with a vault and a socket.
    pub lenders: usize,
    /// The number of borrowers.
    pub borrowers: usize,
    /// The number of signers that share the vaults, more than half of which sign.
    pub signers: usize,
}

/// The results.
struct Results {
    answers: Latencies,
    lenders: Latencies,
    book_channel: Latencies,
    refused: Vec<String>,
    missing: usize,
    elapsed: Duration,
    server_seconds: f64,
    stages: Durations,
}

/// The due time of a submission, and the time and result of its answer; in nanoseconds of the machine's monotonic
/// clock.
struct Answered {
    loan: String,
    due: u64,
    at: u64,
    refusal: Option<String>,
}

async fn submit_all(setup: &Setup, submissions: Vec<Submission>, rate: u32) -> io::Result<(Vec<Answered>, Duration)> {
    let mut tasks = JoinSet::new();
    // The clocks are read together, so that times of one can be converted to the other.
    let (start, zero) = (tokio::time::Instant::now(), monotonic_nanoseconds());
    for (number, submission) in (0_u32..).zip(submissions) {
        let since = Duration::from_secs(1) * number / rate;
        tokio::time::sleep_until(start + since).await;
        let due = zero + u64::try_from(since.as_nanos()).map_err(io::Error::other)?;
        let borrower = Arc::clone(&setup.borrowers[submission.borrower]);
        tasks.spawn(async move {
            let answer = borrower.post_json(&submission.path, submission.body).await;
            let at = monotonic_nanoseconds();
            let refusal = match answer {
                Ok((status, _)) if status.is_success() => None,
                Ok((status, text)) => Some(format!("{status}: {text}")),
                Err(error) => Some(error),
            };
            Answered { loan: submission.loan, due, at, refusal }
        });
    }
    let mut all = Vec::new();
    while let Some(answered) = tasks.join_next().await {
        all.push(answered.map_err(io::Error::other)?);
    }
    Ok((all, start.elapsed()))
}

async fn run_once(mut server: ServerProcess, seed: u64, sizes: Sizes) -> io::Result<Results> {
    let http = Client::builder().timeout(ANSWER_TIMEOUT).no_proxy().build().map_err(io::Error::other)?;
    let begun = Instant::now();
    let mut setup = Setup::new(http, &mut server, seed, sizes).await?;
    let submissions = std::mem::take(&mut setup.submissions);
    print(&format!(
        "  {} loans are prepared and signed after {:.0} s",
        count(sizes.loans),
        begun.elapsed().as_secs_f64()
    ));
    let mut listeners = vec![Listener::of_book(&server.address).await?];
    for lender in &setup.lenders {
        listeners.push(Listener::of_user(&server.address, lender).await?);
    }
    drop(served_lending::stages(&mut server)?);
    let cpu = server.cpu_seconds();
    let (answered, elapsed) = submit_all(&setup, submissions, sizes.rate).await?;
    let server_seconds = server.cpu_seconds() - cpu;
    tokio::time::sleep(SETTLE).await;
    let stages = served_lending::stages(&mut server)?;
    let mut arrived = LoanArrivals::default();
    for listener in listeners {
        arrived.add(listener.stop().await?);
    }
    let mut results = Results {
        answers: Latencies::default(),
        lenders: Latencies::default(),
        book_channel: Latencies::default(),
        refused: Vec::new(),
        missing: 0,
        elapsed,
        server_seconds,
        stages,
    };
    results.record(&answered, &arrived);
    Ok(results)
}

impl Results {
    fn record(&mut self, answered: &[Answered], arrived: &LoanArrivals) {
        for Answered { loan, due, at, refusal } in answered {
            if let Some(refusal) = refusal {
                self.refused.push(refusal.clone());
                continue;
            }
            self.answers.record_nanoseconds(at.saturating_sub(*due));
            for (arrivals, latencies) in
                [(&arrived.on_lender_channels, &mut self.lenders), (&arrived.on_book_channel, &mut self.book_channel)]
            {
                match arrivals.get(loan) {
                    Some(time) => latencies.record_nanoseconds(time.saturating_sub(*due)),
                    None => self.missing += 1,
                }
            }
        }
    }

    fn of_stage(&self, name: &str) -> Latencies {
        let mut latencies = Latencies::default();
        for nanoseconds in self.stages.get(name).into_iter().flatten() {
            latencies.record_nanoseconds(*nanoseconds);
        }
        latencies
    }
}

fn cells(latencies: &Latencies) -> impl Iterator<Item = String> {
    QUANTILES.map(|quantile| nanoseconds(latencies.quantile(quantile))).into_iter()
}

/// The stages within the server, in their order, with their descriptions.
const STAGES: [(&str, &str); 7] = [
    ("check_signatures", "the borrower's signatures are checked"),
    ("look_up", "the node and the indexer are queried"),
    ("vault_signatures", "the vault's signers check, log and sign"),
    ("finish", "the transaction is finalized, every signature verified once more"),
    ("test", "the mempool acceptance test of the node"),
    ("journal", "the loan is durable and published"),
    ("broadcast", "the broadcast"),
];

/// Runs the measurement.
///
/// # Errors
/// If the server does not start, refuses anything, or the results cannot be written.
pub fn run(seed: u64, sizes: Sizes, chosen: Option<&Path>) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    print(&format!("instant: seed {seed}"));
    let folder = folder_on_disk(chosen)?;
    let watch = Watch::start();
    let signers = sizes.signers.to_string();
    let server =
        ServerProcess::start_with(served_lending::SUBCOMMAND, folder.path(), &["--signers", signers.as_str()], &[])?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let results = runtime.block_on(run_once(server, seed, sizes))?;
    if let Some(refusal) = results.refused.first() {
        let count = results.refused.len();
        return Err(io::Error::other(format!("{count} submissions were refused, one of them: {refusal}")));
    }
    let name = if sizes.signers == 1 { "instant" } else { "instant-shared" };
    results.publish(Section::new(name, &watch), seed, sizes)
}

impl Results {
    fn publish(&self, mut section: Section, seed: u64, sizes: Sizes) -> io::Result<()> {
        let columns: Vec<&str> = ["from the submission", "loans"].into_iter().chain(QUANTILE_NAMES).collect();
        let Sizes { rate, signers, .. } = sizes;
        let signing =
            if signers == 1 { "one signer".to_owned() } else { format!("{} of {signers} signers", signers / 2 + 1) };
        let mut table = Table::new(&format!("Instant accepts, {rate} a second, {signing}"), &columns);
        for (name, what, latencies) in [
            ("lender", "to the loan's delta on the lender's private channel", &self.lenders),
            ("book_channel", "to the loan's delta on the book's channel, another client's socket", &self.book_channel),
            ("answer", "to the borrower's answer, after the broadcast", &self.answers),
        ] {
            let loans = whole(float(latencies.len()));
            table.row([what.to_owned(), loans].into_iter().chain(cells(latencies)));
            section.figure(format!("{name}_p99_ns"), latencies.quantile(0.99));
        }
        section.table(table);
        let columns: Vec<&str> = std::iter::once("stage").chain(QUANTILE_NAMES).collect();
        let mut table = Table::new("The same within the server, one stage after the other", &columns);
        for (name, what) in STAGES {
            let latencies = self.of_stage(name);
            table.row(std::iter::once(what.to_owned()).chain(cells(&latencies)));
            section.figure(format!("{name}_p99_ns"), latencies.quantile(0.99));
        }
        section.table(table);
        section.note(format!(
            "Every submission has its time, one every {} µs, and its latency counts from then, whatever the result of those \
             before it. {} loans over {:.1} s, {} a second; {} deltas are missing. {} lenders with a vault and a socket \
             each, {} borrowers; everything up to the borrower's signature is done before. Seed {seed}.",
            1_000_000 / sizes.rate,
            count(sizes.loans),
            self.elapsed.as_secs_f64(),
            whole(per_second(sizes.loans, self.elapsed)),
            self.missing,
            sizes.lenders,
            sizes.borrowers,
        ));
        section.note(format!(
            "A delta leaves when the loan is durable, before the broadcast. The server is a process of its own on the same \
             cores and took {:.2} ms of processor time a loan, with its node (the embedded chain, which runs every script \
             twice) and its signers in it, and journal and signing logs on the disk. No block came meanwhile.",
            self.server_seconds * 1_000.0 / float_len(sizes.loans),
        ));
        section.publish()
    }
}
