//! Simulated lenders who sign in and create, edit and cancel offers over HTTP, on persistent connections.

mod lender;
mod markets;

use std::{
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::Client;
use tokio::task::JoinSet;

use self::{
    lender::{Lender, LoadStats, RequestKind},
    markets::Markets,
};
use crate::{
    durable::folder_on_disk,
    machine::Watch,
    number::{count, float, per_second, whole},
    report::{Section, Table, print},
    served_market,
    server_process::ServerProcess,
};

/// The duration in seconds.
pub const SECONDS: u64 = 15;
/// The timeout of an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of concurrent sign-ins.
const SIGN_INS: usize = 16;

async fn all_lenders(url: String, clients: usize, seconds: u64, seed: u64) -> io::Result<(LoadStats, Duration)> {
    let http = Client::builder().timeout(ANSWER_TIMEOUT).no_proxy().pool_max_idle_per_host(clients).build();
    let http = http.map_err(io::Error::other)?;
    let markets = Arc::new(Markets::ask(&http, &url).await.map_err(io::Error::other)?);
    let permits = Arc::new(tokio::sync::Semaphore::new(SIGN_INS));
    let mut tasks = JoinSet::new();
    let mut stats = LoadStats::default();
    for number in 0..clients {
        let (http, url, markets, permits) = (http.clone(), url.clone(), markets.clone(), permits.clone());
        tasks.spawn(async move {
            let _permit = permits.acquire_owned().await.map_err(|error| error.to_string())?;
            let mut stats = LoadStats::default();
            let lender = Lender::sign_in(http, url, markets, seed, number, &mut stats).await?;
            Ok::<_, String>((lender, stats))
        });
    }
    let mut lenders = Vec::new();
    while let Some(signed_in) = tasks.join_next().await {
        let (lender, of_one) = signed_in.map_err(io::Error::other)?.map_err(io::Error::other)?;
        stats.add(&of_one);
        lenders.push(lender);
    }
    print(&format!("  {clients} lenders have signed in"));
    let start = Instant::now();
    let until = start + Duration::from_secs(seconds);
    let mut tasks: JoinSet<LoadStats> = lenders.into_iter().map(|lender| lender.run(until)).collect();
    while let Some(of_one) = tasks.join_next().await {
        stats.add(&of_one.map_err(io::Error::other)?);
    }
    Ok((stats, start.elapsed()))
}

/// Puts load on the server at `url`, or on one started here with its journal on disk.
///
/// # Errors
/// If the server cannot be reached, lists nothing to lend against, or the results cannot be written.
pub fn run(seed: u64, url: Option<String>, clients: usize, seconds: u64, chosen: Option<&Path>) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    print(&format!("load: seed {seed}"));
    let folder = folder_on_disk(chosen)?;
    let watch = Watch::start();
    let own = if url.is_none() { Some(ServerProcess::start(served_market::SUBCOMMAND, folder.path())?) } else { None };
    let is_own = own.is_some();
    let url =
        own.as_ref().map(|own| format!("http://{}", own.address)).or(url).expect("there is a URL or a server process");
    let url = url.trim_end_matches('/').to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (stats, elapsed) = runtime.block_on(all_lenders(url, clients, seconds, seed))?;
    drop(own);
    let mut section = Section::new("load", &watch);
    let columns: Vec<&str> = ["request", "answers", "refused", "too many requests", "answers/s"]
        .into_iter()
        .chain(crate::latency::Latencies::COLUMNS)
        .collect();
    let mut table = Table::new(&format!("{clients} lenders over HTTP, each with one request under way"), &columns);
    let mut answered = 0;
    for kind in RequestKind::ALL {
        let of_kind = stats.of_kind(kind);
        let answers = usize::try_from(of_kind.latencies.len()).expect("few answers");
        // Sign-ins happen before the clock starts.
        let rate = if kind == RequestKind::SignIn { String::new() } else { whole(per_second(answers, elapsed)) };
        answered += if kind == RequestKind::SignIn { 0 } else { answers };
        let cells = [kind.to_string(), count(answers), of_kind.refused.to_string(), of_kind.too_many.to_string(), rate];
        let latencies = if of_kind.latencies.is_empty() { Default::default() } else { of_kind.latencies.cells() };
        table.row(cells.into_iter().chain(latencies));
        section.figure(format!("{kind}_p99_ns"), of_kind.latencies.quantile(0.99));
    }
    section.table(table);
    section.figure("writes_per_second", per_second(answered, elapsed));
    section.note(format!(
        "{} accepted writes a second over {:.0} s, seed {seed}; an answer means that the write is durable.",
        whole(per_second(answered, elapsed)),
        elapsed.as_secs_f64()
    ));
    section.note(if is_own {
        "The server is a process of its own on the same cores, without rate limits, with its journal on the disk."
    } else {
        "The server was running already, with limits and a journal of its own."
    });
    section.figure("seconds", float(elapsed.as_secs()));
    section.publish()
}
