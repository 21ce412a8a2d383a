//! Tests of the demo: a live market within seconds, which continues after a restart.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use devchain::EmbeddedChain;
use domain::{GroupId, UnitPrice};
use engine::Market;
use lienbook::config::settings::Settings;
use lienbook::server::Server;
use serde_json::Value;
use simulator::{DemoMarket, Pace};

use super::process::{Served, failure, run};

/// The limit of every wait. Reaching it fails the test.
const WAIT_MAX: Duration = Duration::from_secs(90);

/// Starts the demo with three lenders; returns it and its output up to the address to open.
fn start(data: &Path) -> (Served, String) {
    let data = data.to_str().unwrap();
    let arguments = ["demo", "--data", data, "--listen", "127.0.0.1:0", "--seed", "7", "--set", "demo_lenders=3"];
    Served::launch(&arguments, "Open ")
}

async fn offers(url: &str) -> u64 {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let page: Value = http.get(format!("{url}/api/v1/collections")).send().await.unwrap().json().await.unwrap();
    let rows = page["data"].as_array().unwrap();
    let count = |row: &Value, process: &str| row[process]["offerCount"].as_u64().unwrap_or(0);
    rows.iter().map(|row| count(row, "manual") + count(row, "instant")).sum()
}

#[actix_web::test]
async fn a_demo_reports_its_steps_fills_its_books_and_continues_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (demo, said) = start(folder.path());
    assert!(said.contains("Opening the journal") && said.contains("Listing 40 collections"), "{said}");
    let began = Instant::now();
    while offers(&demo.base).await == 0 {
        assert!(began.elapsed() < WAIT_MAX, "no offers were made");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let picture = reqwest::Client::builder().no_proxy().build().unwrap();
    let picture = picture.get(format!("{}/collection-images/hollow-kings.svg", demo.base)).send().await.unwrap();
    assert_eq!(picture.headers()["content-type"], "image/svg+xml");
    demo.stop_by("-INT");

    let data = folder.path().to_str().unwrap();
    let line = failure(&run(&["demo", "--data", data, "--listen", "127.0.0.1:0", "--seed", "8"]));
    assert!(line.contains("grew from seed 7, not 8"), "{line}");

    let (demo, said) = start(folder.path());
    assert!(said.contains("Continuing the market of 40 collections"), "{said}");
    assert!(offers(&demo.base).await > 0);
    demo.stop_by("-INT");
}

#[actix_web::test]
async fn a_killed_demo_loses_no_published_block() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let arguments = ["demo", "--data", data, "--listen", "127.0.0.1:0", "--log", "warn", "--set", "demo_lenders=0"];
    let start = |seconds| Served::launch(&[&arguments[..], &["--demo-block-seconds", seconds]].concat(), "Open ").0;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let tip = async |demo: &Served| -> (u32, String) {
        let shown = http.get(format!("{}/api/v1/chain", demo.base)).send().await.unwrap();
        let shown: Value = shown.json().await.unwrap();
        let height = u32::try_from(shown["height"].as_u64().unwrap()).unwrap();
        (height, shown["blockHash"].as_str().unwrap().to_owned())
    };
    let demo = start("1");
    let (first, mut seen) = (tip(&demo).await, tip(&demo).await);
    let began = Instant::now();
    while seen.0 < first.0 + 2 {
        assert!(began.elapsed() < WAIT_MAX, "no blocks are mined: {seen:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
        seen = tip(&demo).await;
    }
    demo.kill();
    let file = folder.path().join("demo.chain");
    let kept = EmbeddedChain::open(&file).unwrap().unwrap();
    assert_eq!(kept.block(seen.0).unwrap().block_hash().to_string(), seen.1);
    // Half a record, as a power failure may leave it.
    let mut torn = std::fs::read(&file).unwrap();
    torn.extend_from_within(..200);
    std::fs::write(&file, torn).unwrap();
    let demo = start("3600");
    assert!(tip(&demo).await.0 >= seen.0);
    demo.stop_by("-INT");
}

/// Serves the folder in this process, with the demo's collections and without simulated lenders.
async fn serve(data: &Path, demo: Option<DemoMarket>) -> Server {
    let listen = "127.0.0.1:0".parse().unwrap();
    let settings = Settings { listen, data: data.to_owned(), workers: 1, ..Settings::default() };
    let demo = demo.map(|demo| demo.with_lenders(0, Pace::LIVELY));
    Server::builder(settings).demo(demo).start().await.unwrap()
}

fn prices(market: &Market) -> BTreeMap<GroupId, UnitPrice> {
    market.groups().iter().map(|group| (group.id, market.row(group.id).unwrap().unit_price.unwrap().0)).collect()
}

#[actix_web::test]
async fn prices_continue_from_their_last_values() {
    const MOVED_MIN: usize = 5;
    let folder = tempfile::tempdir().unwrap();
    serve(folder.path(), Some(DemoMarket::new(7))).await.stop().await;
    // Without the simulation the prices stay where they are set: far from the walk of the seed alone.
    let server = serve(folder.path(), None).await;
    let mut left = BTreeMap::new();
    for (group, price) in prices(&server.app().market) {
        let doubled = UnitPrice::from_scaled(price.scaled() * 2);
        server.app().market.move_price(group, doubled, server.app().now()).await.unwrap();
        left.insert(group, doubled);
    }
    server.stop().await;

    let server = serve(folder.path(), Some(DemoMarket::new(7))).await;
    let began = Instant::now();
    let moved = loop {
        let now = prices(&server.app().market).into_iter();
        let changed = now.map(|(group, price)| (group, left[&group], price)).filter(|(_, left, now)| left != now);
        let moved: Vec<_> = changed.collect();
        if moved.len() >= MOVED_MIN {
            break moved;
        }
        assert!(began.elapsed() < WAIT_MAX, "{} prices moved", moved.len());
        tokio::time::sleep(Duration::from_millis(250)).await;
    };
    server.stop().await;
    for (group, left, now) in moved {
        // A jump is 12 percent at most; the seed's own walk is at half the price.
        let percent = now.scaled() * 100 / left.scaled();
        assert!((75..135).contains(&percent), "{group} jumped to {percent} % of {left}");
    }
}
