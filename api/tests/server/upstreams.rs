//! Tests of public price sources: the prices that marketplaces report, and the metrics of their use.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lienbook::config::price_settings::OneSource;
use lienbook::config::settings::Settings;
use lienbook::config::upstream_settings::{UpstreamKind, UpstreamSettings};
use serde_json::{Value, json};

use super::rig::{FLOOR_SATS, Rig};

/// The price that a marketplace reports for every token, in sats; `None` when it is down.
#[derive(Clone, Default)]
struct FakeMarketplace(Arc<Mutex<Option<u64>>>);

impl FakeMarketplace {
    fn of(sats: u64) -> Self {
        let marketplace = Self::default();
        marketplace.set(Some(sats));
        marketplace
    }

    fn set(&self, sats: Option<u64>) {
        *self.0.lock().unwrap() = sats;
    }

    /// Answers like both marketplaces, each on its own path.
    fn answer(&self, head: &str) -> (u16, Value) {
        let Some(sats) = *self.0.lock().unwrap() else { return (500, json!({})) };
        if head.starts_with("POST /v3/market/brc20/auction/brc20_types_specified ") {
            (200, json!({ "code": 0, "msg": "ok", "data": { "curPrice": sats } }))
        } else if head.starts_with("GET /brc20/market_info?ticker=newt ") {
            (200, json!({ "data": { "min_listed_unit_price": sats }, "block_height": 1 }))
        } else {
            (404, json!({}))
        }
    }

    /// Starts a server that reports the price, and returns its address.
    fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let marketplace = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let marketplace = marketplace.clone();
                std::thread::spawn(move || serve_connection(stream, &marketplace));
            }
        });
        url
    }
}

fn serve_connection(mut stream: TcpStream, marketplace: &FakeMarketplace) {
    let (mut request, mut part) = (Vec::new(), [0; 1_024]);
    loop {
        let text = String::from_utf8_lossy(&request).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                break;
            }
        }
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return,
            Ok(length) => request.extend_from_slice(&part[..length]),
        }
    }
    let (status, body) = marketplace.answer(&String::from_utf8_lossy(&request));
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn upstream(kind: UpstreamKind, url: String) -> UpstreamSettings {
    UpstreamSettings { kind, name: None, url: Some(url), key_variable: None, per_minute: 6_000.try_into().ok() }
}

/// A server whose prices come from these two, every second.
async fn rig(one: &FakeMarketplace, other: &FakeMarketplace) -> Rig {
    rig_with(one, other, OneSource::Hold).await
}

async fn rig_with(one: &FakeMarketplace, other: &FakeMarketplace, one_source: OneSource) -> Rig {
    let upstreams =
        vec![upstream(UpstreamKind::Unisat, one.serve()), upstream(UpstreamKind::BestInSlot, other.serve())];
    Rig::start_with(|settings: &mut Settings| {
        settings.upstreams = upstreams;
        settings.prices.every_s = 1;
        settings.prices.one_source = one_source;
        settings.prices.one_source_rounds = 4;
    })
    .await
}

/// Polls the source of the token's price until it is as wanted.
async fn until(rig: &Rig, wanted: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let source = rig.get("/api/v1/collections/newt/price-source").await.ok();
        if wanted(&source) {
            return source;
        }
        // Longer than a circuit breaker stays open, on a slow machine too.
        assert!(began.elapsed() < Duration::from_mins(2), "{source}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn price(source: &Value) -> u64 {
    source["price"].as_u64().unwrap()
}

/// The price that an operator set for the token before any marketplace was asked.
fn known(rig: &Rig) -> u64 {
    let row = rig.app().market.row(rig.app().market.group_named("newt").unwrap().id).unwrap();
    row.unit_price.unwrap().0.scaled() / 100_000_000
}

#[actix_web::test]
async fn a_price_needs_two_marketplaces_that_agree() {
    let (one, other) = (FakeMarketplace::default(), FakeMarketplace::default());
    let rig = rig(&one, &other).await;
    let before = known(&rig);
    assert_eq!(before, 20);
    until(&rig, |source| source["hold"]["reason"] == "noSource").await;
    // One of them is back, and reports a fall: nothing is paused for it.
    one.set(Some(before * 9 / 10));
    let source = until(&rig, |source| source["hold"]["reason"] == "tooFewSources").await;
    assert_eq!((price(&source), &source["hold"]["needed"]), (before, &json!(2)));
    assert_eq!(source["sources"].as_array().unwrap().len(), 2);
    assert_eq!((&source["isOneSource"], &source["believesOneSource"]), (&json!(true), &json!(false)));
    let page = rig.get_metrics("/operator").await.text().await.unwrap();
    for part in [
        "<th scope=\"row\">unisat</th>",
        "keep their last price",
        "too few marketplaces have reported a price recently (1 of 2 required)",
    ] {
        assert!(page.contains(part), "{part} is missing:\n{page}");
    }
    other.set(Some(before * 3));
    let source = until(&rig, |source| source["hold"]["reason"] == "disagreement").await;
    assert_eq!((price(&source), source["hold"]["high"].as_u64()), (before, Some(before * 3)));
    other.set(Some(before * 9 / 10));
    // The market applies a price a moment after it was accepted.
    let source = until(&rig, |source| source["hold"].is_null() && price(source) == before * 9 / 10).await;
    assert!(source["takenAt"].is_u64(), "{source}");
    assert_eq!(source["isOneSource"], json!(false));
    let page = rig.get_metrics("/metrics").await.text().await.unwrap();
    for line in
        ["lienbook_upstream_seconds_count{upstream=\"unisat\"}", "lienbook_upstream_breaker{upstream=\"bestinslot\"}"]
    {
        assert!(page.contains(line), "{page}");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_jump_is_accepted_when_it_is_reported_repeatedly() {
    let (one, other) = (FakeMarketplace::default(), FakeMarketplace::default());
    let rig = rig(&one, &other).await;
    let before = known(&rig);
    one.set(Some(before / 2));
    other.set(Some(before / 2));
    let source = until(&rig, |source| source["hold"]["reason"] == "jump").await;
    assert_eq!((price(&source), &source["hold"]["roundsNeeded"]), (before, &json!(3)));
    until(&rig, |source| source["hold"].is_null() && price(source) == before / 2).await;
    rig.server.stop().await;
}

#[actix_web::test]
async fn under_the_wider_guard_one_marketplace_is_accepted_near_the_last_price() {
    let (one, other) = (FakeMarketplace::default(), FakeMarketplace::default());
    let rig = rig_with(&one, &other, OneSource::WiderGuard).await;
    let before = known(&rig);
    one.set(Some(before * 9 / 10));
    let source = until(&rig, |source| price(source) == before * 9 / 10).await;
    assert_eq!((&source["isOneSource"], &source["believesOneSource"]), (&json!(true), &json!(true)));
    // A fall is counted from the operator's price, and not from the source's own earlier report.
    one.set(Some(before * 17 / 20));
    let source = until(&rig, |source| source["hold"]["reason"] == "jump").await;
    assert_eq!((price(&source), &source["hold"]["roundsNeeded"]), (before * 9 / 10, &json!(4)));
    // It is accepted when it is reported often enough.
    until(&rig, |source| source["hold"].is_null() && price(source) == before * 17 / 20).await;
    other.set(Some(before * 3));
    let source = until(&rig, |source| source["hold"]["reason"] == "disagreement").await;
    assert_eq!((price(&source), &source["isOneSource"]), (before * 17 / 20, &json!(false)));
    rig.server.stop().await;
}

#[actix_web::test]
async fn settings_with_a_closed_upstream_start_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let closed = UpstreamSettings {
        url: None,
        key_variable: Some("LIENBOOK_NO_SUCH_VARIABLE".to_owned()),
        ..upstream(UpstreamKind::MagicEden, String::new())
    };
    let settings = Settings { upstreams: vec![closed], ..super::rig::settings(&folder) };
    let lines = std::sync::Mutex::new(Vec::new());
    let tell = |line: &str| lines.lock().unwrap().push(line.to_owned());
    let server = Box::pin(lienbook::server::Server::builder(settings).progress(&tell).start()).await.unwrap();
    server.stop().await;
    let lines = lines.into_inner().unwrap();
    assert!(lines.iter().any(|line| line.starts_with("the upstream magiceden is not asked")), "{lines:?}");
}

#[actix_web::test]
async fn a_marketplace_is_asked_only_about_collections_with_a_name_there() {
    let rig = rig(&FakeMarketplace::of(100), &FakeMarketplace::of(100)).await;
    let source = rig.get("/api/v1/collections/paper-frogs/price-source").await.ok();
    assert_eq!((&source["askedAt"], &source["sources"]), (&json!(null), &json!([])));
    assert_eq!(price(&source), FLOOR_SATS);
    rig.get("/api/v1/collections/nothing/price-source").await.refused(404, "unknown_collection");
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_unusable_upstream_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    for (upstream, said) in [
        (upstream(UpstreamKind::Mempool, "http://example.com".to_owned()), "the upstream mempool is not accepted"),
        (
            UpstreamSettings {
                key_variable: Some("LIENBOOK_NO_SUCH_VARIABLE".to_owned()),
                ..upstream(UpstreamKind::Unisat, "http://127.0.0.1:1".to_owned())
            },
            "no key in the variable LIENBOOK_NO_SUCH_VARIABLE",
        ),
    ] {
        let settings = Settings { upstreams: vec![upstream], ..super::rig::settings(&folder) };
        let failure = Box::pin(lienbook::server::Server::builder(settings).start()).await.err().unwrap();
        assert!(failure.to_string().contains(said), "{failure}");
    }
}
