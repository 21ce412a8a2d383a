//! Simulated lenders who sign in and create, edit and cancel offers over HTTP, on persistent connections.

mod lender;
mod places;

use std::{
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::Client;
use tokio::task::JoinSet;

use self::{
    lender::{Deed, Diary, Lender},
    places::Places,
};
use crate::{
    durable::folder_on_disk,
    machine::Watch,
    number::{count, float, per_second, whole},
    report::{Section, Table, say},
    served::Served,
    served_market,
};

/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The number of concurrent sign-ins.
const SIGN_INS: usize = 16;

async fn all_lenders(url: String, clients: usize, seconds: u64, seed: u64) -> io::Result<(Diary, Duration)> {
    let http = Client::builder().timeout(PATIENCE).no_proxy().pool_max_idle_per_host(clients).build();
    let http = http.map_err(io::Error::other)?;
    let places = Arc::new(Places::ask(&http, &url).await.map_err(io::Error::other)?);
    let doors = Arc::new(tokio::sync::Semaphore::new(SIGN_INS));
    let mut tasks = JoinSet::new();
    let mut diary = Diary::default();
    for number in 0..clients {
        let (http, url, places, doors) = (http.clone(), url.clone(), places.clone(), doors.clone());
        tasks.spawn(async move {
            let _permit = doors.acquire_owned().await.map_err(|error| error.to_string())?;
            let mut diary = Diary::default();
            let lender = Lender::sign_in(http, url, places, seed, number, &mut diary).await?;
            Ok::<_, String>((lender, diary))
        });
    }
    let mut lenders = Vec::new();
    while let Some(signed_in) = tasks.join_next().await {
        let (lender, of_one) = signed_in.map_err(io::Error::other)?.map_err(io::Error::other)?;
        diary.add(&of_one);
        lenders.push(lender);
    }
    say(&format!("  {clients} lenders have signed in"));
    let start = Instant::now();
    let until = start + Duration::from_secs(seconds);
    let mut tasks: JoinSet<Diary> = lenders.into_iter().map(|lender| lender.live(until)).collect();
    while let Some(of_one) = tasks.join_next().await {
        diary.add(&of_one.map_err(io::Error::other)?);
    }
    Ok((diary, start.elapsed()))
}

/// Puts load on the server at `url`, or on one started here with its journal on disk.
///
/// # Errors
/// If the server cannot be reached, lists nothing to lend against, or the results cannot be written.
pub fn run(seed: u64, url: Option<String>, clients: usize, seconds: u64, chosen: Option<&Path>) -> io::Result<()> {
    lienbook::server::open_files::raise_limit();
    say(&format!("load: seed {seed}"));
    let folder = folder_on_disk(chosen)?;
    let watch = Watch::start();
    let own = if url.is_none() { Some(Served::start(served_market::SUBCOMMAND, folder.path())?) } else { None };
    let is_own = own.is_some();
    let url = own.as_ref().map(|own| format!("http://{}", own.address)).or(url).expect("one or the other is there");
    let url = url.trim_end_matches('/').to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (diary, elapsed) = runtime.block_on(all_lenders(url, clients, seconds, seed))?;
    drop(own);
    let mut section = Section::new("load", &watch);
    let columns: Vec<&str> = ["request", "answers", "refused", "too many requests", "answers/s"]
        .into_iter()
        .chain(crate::latency::Latencies::COLUMNS)
        .collect();
    let mut table = Table::new(&format!("{clients} lenders over HTTP, each with one request under way"), &columns);
    let mut answered = 0;
    for deed in Deed::ALL {
        let page = diary.page(deed);
        let answers = usize::try_from(page.latencies.len()).expect("few answers");
        // Sign-ins happen before the clock starts.
        let rate = if deed == Deed::SignIn { String::new() } else { whole(per_second(answers, elapsed)) };
        answered += if deed == Deed::SignIn { 0 } else { answers };
        let cells = [deed.to_string(), count(answers), page.refused.to_string(), page.too_many.to_string(), rate];
        let latencies = if page.latencies.is_empty() { Default::default() } else { page.latencies.cells() };
        table.row(cells.into_iter().chain(latencies));
        section.figure(format!("{deed}_p99_ns"), page.latencies.quantile(0.99));
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
