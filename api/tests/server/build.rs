//! Tests of the report of what the running server was built from.

use std::fmt::Write as _;
use std::time::Duration;

use bitcoin::hashes::{Hash as _, sha256};
use reqwest::Method;
use serde_json::Value;

use super::rig::Rig;

async fn report(rig: &Rig) -> Value {
    rig.get("/api/v1/build").await.ok()
}

#[actix_web::test]
async fn the_report_has_the_hash_of_each_file_that_is_served() {
    let rig = Rig::start().await;
    let build = report(&rig).await;
    let mut lines = String::new();
    let mut paths = Vec::new();
    for file in build["webFiles"].as_array().unwrap() {
        let (path, sha256) = (file["path"].as_str().unwrap(), file["sha256"].as_str().unwrap());
        let served = rig.request(Method::GET, &format!("/{path}")).send().await.unwrap();
        assert_eq!(served.status(), 200, "{path}");
        let body = served.bytes().await.unwrap();
        assert_eq!(sha256::Hash::hash(&body).to_string(), sha256, "{path}");
        assert_eq!(Value::from(body.len()), file["bytes"], "{path}");
        writeln!(lines, "{sha256}  {path}").unwrap();
        paths.push(path);
    }
    assert!(paths.is_sorted() && paths.contains(&"index.html"), "{paths:?}");
    assert_eq!(build["webSha256"], sha256::Hash::hash(lines.as_bytes()).to_string());
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_report_names_version_and_program() {
    let rig = Rig::start().await;
    let mut build = report(&rig).await;
    assert_eq!(build["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(build["commit"], lienbook::source::COMMIT.map_or(Value::Null, Value::from));
    for _ in 0..600 {
        if !build["binarySha256"].is_null() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        build = report(&rig).await;
    }
    // The program is the one of these tests.
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert_eq!(build["binarySha256"], sha256::Hash::hash(&program).to_string());
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_report_is_public_not_cached_and_counted_as_a_read() {
    let rig = Rig::start_with(|settings| settings.quotas.reads_per_minute = 2).await;
    let answer = rig.get("/api/v1/build").await;
    assert_eq!(answer.headers["cache-control"], "no-store");
    answer.ok();
    report(&rig).await;
    rig.get("/api/v1/build").await.refused(429, "rate_limited");
    rig.server.stop().await;
}
