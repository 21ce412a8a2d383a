use bitcoin::Network;
use engine::chain::{Chain as _, Tip};
use serde_json::{Value, json};

use super::*;
use crate::capability::{RecommendedFees, UpstreamError};
use crate::http::HttpRequest;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};
use crate::resilience::test_client::test_environment;

const GENESIS: &str = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";

/// The plan of one upstream.
fn upstream_config(name: &str, kind: ProviderKind, url: &str) -> UpstreamConfig {
    let per_minute = NonZeroU32::new(60_000).unwrap();
    UpstreamConfig { name: name.to_owned(), kind, url: url.to_owned(), key: None, per_minute }
}

fn fees(fastest: u32) -> Value {
    json!({ "fastestFee": fastest, "halfHourFee": 2, "hourFee": 1.5, "economyFee": 1, "minimumFee": 1 })
}

/// An explorer of our network whose fee responses are given by `respond`.
fn explorer(
    respond: impl Fn() -> ScriptedResponse + Send + Sync + 'static,
) -> impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static {
    move |asked| if asked.line == "GET /block-height/0" { ScriptedResponse::ok(GENESIS) } else { respond() }
}

type Script = Box<dyn Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync>;

async fn upstreams(servers: Vec<Script>) -> Upstreams {
    let mut plans = Vec::new();
    for (index, respond) in servers.into_iter().enumerate() {
        let (url, _) = start(respond).await;
        plans.push(upstream_config(&format!("number {index}"), ProviderKind::Mempool, &url));
    }
    Upstreams::new(SelfHosted::default(), plans, &test_environment()).unwrap()
}

fn fastest(advice: RecommendedFees) -> u64 {
    advice.fastest_milli
}

#[tokio::test]
async fn an_upstream_that_cannot_answer_is_replaced_by_the_next() {
    let responses: Vec<fn() -> ScriptedResponse> = vec![
        || ScriptedResponse::Body(500, "down".to_owned()),
        || ScriptedResponse::Body(401, "who are you".to_owned()),
        || ScriptedResponse::truncated("{\"fastestFee\": 1"),
        || ScriptedResponse::Endless,
        || ScriptedResponse::NoResponse,
        || ScriptedResponse::ok("[]"),
        || ScriptedResponse::ok(&json!({ "fastestFee": 1, "halfHourFee": 2, "hourFee": 3, "minimumFee": 1 })),
        || ScriptedResponse::ok(&json!({ "fastestFee": 1e9, "halfHourFee": 2, "hourFee": 1, "minimumFee": 1 })),
    ];
    for (index, response) in responses.into_iter().enumerate() {
        let all =
            upstreams(vec![Box::new(explorer(response)), Box::new(explorer(|| ScriptedResponse::ok(&fees(7))))]).await;
        let found = all.fees.first(|member| member.fees()).await;
        assert_eq!(found.map(fastest), Ok(7_000), "response {index}");
    }
}

#[tokio::test]
async fn when_every_upstream_fails_the_error_names_each_failure() {
    let down: Script = Box::new(explorer(|| ScriptedResponse::Body(500, String::new())));
    let all = upstreams(vec![down, Box::new(explorer(|| ScriptedResponse::ok("{}")))]).await;
    let error = all.fees.first(|member| member.fees()).await.unwrap_err().to_string();
    assert!(
        error.starts_with("all upstreams for fees failed: number 0: it answers 500; number 1: invalid response"),
        "{error}"
    );
    let none = Upstreams::new(SelfHosted::default(), Vec::new(), &test_environment()).unwrap();
    let error = none.fees.first(|member: &dyn Fees| member.fees()).await.unwrap_err().to_string();
    assert_eq!(error, "no upstream for fees is configured");
}

#[tokio::test]
async fn a_server_of_another_network_is_skipped() {
    let other =
        |_: &ReceivedRequest| ScriptedResponse::ok("000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
    let all = upstreams(vec![Box::new(other), Box::new(explorer(|| ScriptedResponse::ok(&fees(7))))]).await;
    assert_eq!(all.fees.first(|member| member.fees()).await.map(fastest), Ok(7_000));
}

#[tokio::test]
async fn a_slow_or_inconsistent_explorer_is_replaced_by_the_next() {
    let honest = |asked: &ReceivedRequest| match asked.line.strip_prefix("GET ").unwrap_or_default() {
        "/blocks/tip/hash" | "/block-height/0" => ScriptedResponse::ok(GENESIS),
        "/blocks/tip/height" => ScriptedResponse::ok("0"),
        _ => ScriptedResponse::ok(&format!("{{\"id\":\"{GENESIS}\",\"height\":0,\"mediantime\":7}}")),
    };
    let expected = Tip { height: 0, hash: GENESIS.parse().unwrap(), median_time_seconds: 7 };
    let wrong = "4".repeat(64);
    let bad_responses: [ScriptedResponse; 5] = [
        ScriptedResponse::NoResponse,
        ScriptedResponse::Endless,
        ScriptedResponse::Body(500, String::new()),
        ScriptedResponse::ok(&wrong),
        ScriptedResponse::ok("<html>"),
    ];
    for bad_response in bad_responses {
        let shown = format!("{bad_response:?}");
        let (first, _) = start(move |asked| match asked.line.as_str() {
            "GET /block-height/0" => ScriptedResponse::ok(GENESIS),
            _ => bad_response.clone(),
        })
        .await;
        let (second, _) = start(honest).await;
        let plans = vec![
            upstream_config("first", ProviderKind::Esplora, &first),
            upstream_config("second", ProviderKind::Mempool, &second),
        ];
        let chain = Upstreams::new(SelfHosted::default(), plans, &test_environment()).unwrap().chain;
        assert_eq!(chain.names().collect::<Vec<_>>(), ["first", "second"]);
        assert_eq!(chain.tip().await, Ok(expected), "{shown}");
    }
}

#[tokio::test]
async fn an_upstream_is_not_asked_more_often_than_its_rate_limit() {
    let (url, asked) = start(|_| ScriptedResponse::ok("{}")).await;
    let plan = UpstreamConfig {
        per_minute: NonZeroU32::new(1).unwrap(),
        ..upstream_config("slow", ProviderKind::Mempool, &url)
    };
    let site = upstream_client(plan, &test_environment()).unwrap();
    assert_eq!(site.read::<Value>(HttpRequest::get("/")).await, Ok(Some(json!({}))));
    assert_eq!(site.read::<Value>(HttpRequest::get("/")).await, Err(UpstreamError::RateLimited));
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_goes_into_its_header_and_into_no_error() {
    let (url, asked) = start(|_| ScriptedResponse::Body(403, "the key is wrong".to_owned())).await;
    for (kind, header) in
        [(ProviderKind::Unisat, "authorization: bearer sesame"), (ProviderKind::BestInSlot, "x-api-key: sesame")]
    {
        let key = Some(SecretString::from("sesame\n"));
        let site =
            upstream_client(UpstreamConfig { key, ..upstream_config("it", kind, &url) }, &test_environment()).unwrap();
        let error = site.read::<Value>(HttpRequest::get("/")).await.unwrap_err();
        assert_eq!(error, UpstreamError::Unauthorized);
        let headers = asked.lock().unwrap().pop().unwrap().headers;
        assert!(headers.contains(header), "{headers}");
    }
}

#[tokio::test]
async fn requests_and_failures_are_counted() {
    let (url, _) = start(explorer(|| ScriptedResponse::Body(500, String::new()))).await;
    let environment = test_environment();
    let upstreams =
        Upstreams::new(SelfHosted::default(), vec![upstream_config("it", ProviderKind::Mempool, &url)], &environment)
            .unwrap();
    for _ in 0..3 {
        assert!(upstreams.fees.first(|member| member.fees()).await.is_err());
    }
    let registry = prometheus::Registry::new();
    for collector in environment.metrics.collectors() {
        registry.register(collector).unwrap();
    }
    let mut page = Vec::new();
    prometheus::Encoder::encode(&prometheus::TextEncoder::new(), &registry.gather(), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    for line in [
        "lienbook_upstream_seconds_count{upstream=\"it\"} 4",
        "lienbook_upstream_failures_total{reason=\"status\",upstream=\"it\"} 3",
        "lienbook_upstream_fallbacks_total{capability=\"fees\",upstream=\"it\"} 3",
        "lienbook_upstream_breaker{upstream=\"it\"} 2",
        "lienbook_upstream_up{upstream=\"it\"} 0",
        "lienbook_upstream_last_success_timestamp_seconds{upstream=\"it\"} ",
        "lienbook_upstream_serves{capability=\"fees\",upstream=\"it\"} 1",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
    assert_eq!(environment.network, Network::Regtest);
}
