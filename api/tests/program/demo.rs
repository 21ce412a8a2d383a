//! The demo: a live market within seconds, which goes on after a restart.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::process::Served;

/// Starts the demo with three lenders; returns it and what it said until it told what to open.
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
async fn a_demo_says_what_it_does_fills_its_books_and_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (demo, said) = start(folder.path());
    assert!(said.contains("Opening the journal") && said.contains("Listing 40 collections"), "{said}");
    let mut standing = 0;
    for _ in 0..120 {
        standing = offers(&demo.base).await;
        if standing > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let picture = reqwest::Client::builder().no_proxy().build().unwrap();
    let picture = picture.get(format!("{}/collection-images/hollow-kings.svg", demo.base)).send().await.unwrap();
    assert_eq!(picture.headers()["content-type"], "image/svg+xml");
    demo.stop_by("-INT");
    assert!(standing > 0, "nobody quoted");

    let (demo, said) = start(folder.path());
    assert!(said.contains("Continuing the market of 40 collections"), "{said}");
    assert!(offers(&demo.base).await > 0);
    demo.stop_by("-INT");
}
