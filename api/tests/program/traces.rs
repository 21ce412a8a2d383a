//! Tests of traces: from a request to the feed, continued from the proxy alone, and never at the cost of a request.

use std::collections::BTreeSet;
use std::time::Duration;

use opentelemetry_proto::tonic::trace::v1::Span;

use super::process::Served;
use super::trace_collector::{TraceCollectorDouble, attribute};

/// The attributes that spans may have.
const ATTRIBUTES: [&str; 5] = ["error.type", "group", "http.request.method", "http.response.status_code", "http.route"];

/// A request and the spans below it.
struct Trace {
    request: Span,
    turn: Span,
    commit: Span,
    publish: Span,
}

/// Finds a traced request whose command went all the way.
fn whole_trace(spans: &[Span]) -> Option<Trace> {
    let child = |name: &str, parent: &Span| {
        let is_child = |span: &&Span| {
            span.name == name && span.trace_id == parent.trace_id && span.parent_span_id == parent.span_id
        };
        spans.iter().find(is_child).cloned()
    };
    spans.iter().filter(|span| span.name.starts_with("POST /api/v1/")).find_map(|request| {
        let turn = child("turn", request)?;
        let commit = child("commit", &turn)?;
        Some(Trace { publish: child("publish", request)?, request: request.clone(), turn, commit })
    })
}

#[test]
fn a_trace_spans_a_request_the_books_actor_the_journal_and_the_feed() {
    let collector = TraceCollectorDouble::start();
    let (folder, url) = (tempfile::tempdir().unwrap(), collector.url());
    let data = folder.path().to_str().unwrap();
    let arguments = ["demo", "--data", data, "--listen", "127.0.0.1:0", "--seed", "7", "--log", "warn"];
    let traced = ["--traces-otlp", &url, "--set", "traces.requests_per_thousand=1000", "--set", "demo_lenders=3"];
    let (demo, _) = Served::launch(&[&arguments[..], &traced].concat(), "Open ");
    let Trace { request, turn, commit, publish } = collector.wait_for("a whole trace", whole_trace);
    demo.stop_by("-INT");
    assert_eq!(request.parent_span_id, [0_u8; 0], "the trace begins here");
    assert_eq!(request.trace_id.len(), 16);
    for inner in [&turn, &commit, &publish] {
        assert!(inner.start_time_unix_nano >= request.start_time_unix_nano, "{} is earlier", inner.name);
        assert!(inner.end_time_unix_nano <= request.end_time_unix_nano, "{} ends after the answer", inner.name);
    }
    assert!(publish.start_time_unix_nano >= commit.end_time_unix_nano, "published before it was durable");
    let spans = collector.spans();
    let attributes: Vec<_> = spans.iter().flat_map(|span| span.attributes.iter().map(attribute)).collect();
    let names: BTreeSet<&str> = attributes.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.is_subset(&ATTRIBUTES.into()), "{names:?}");
    assert!(!attributes.iter().any(|(_, value)| value.contains("bcrt1")), "an address is exported");
    assert!(spans.iter().all(|span| span.events.is_empty()), "lines of the log are exported");
    let resources: BTreeSet<_> = collector.resources().into_iter().collect();
    assert_eq!(resources, [("service.name".to_owned(), "lienbook".to_owned())].into());
}

/// Requests a page of a server with this header and the flag of a sampled trace or the other; returns the spans.
async fn requested(collector: &TraceCollectorDouble, more: &[&str], flags: &[&str]) -> Vec<Span> {
    let (folder, url) = (tempfile::tempdir().unwrap(), collector.url());
    let served = Served::start(folder.path(), &[&["--traces-otlp", &url], more].concat());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for flag in flags {
        let parent = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-{flag}");
        let request = http.get(format!("{}/api/v1/collections", served.base));
        let request = request.header("traceparent", parent).header("tracestate", "vendor=secret");
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    // Exports what is left.
    served.terminate();
    collector.spans()
}

#[actix_web::test]
async fn a_trace_is_continued_from_the_proxy_alone() {
    let from_proxy = TraceCollectorDouble::start();
    let none = "traces.requests_per_thousand=0";
    let spans = requested(&from_proxy, &["--set", none, "--set", "behind_proxy=true"], &["01", "00"]).await;
    let [span] = &spans[..] else { panic!("the sampled request is traced, and no other: {spans:?}") };
    assert_eq!(span.name, "GET /api/v1/collections");
    assert_eq!(span.trace_id, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes());
    assert_eq!(span.parent_span_id, 0x00f0_67aa_0ba9_02b7_u64.to_be_bytes());
    assert_eq!(span.trace_state, "");

    let of_client = TraceCollectorDouble::start();
    assert_eq!(requested(&of_client, &["--set", none], &["01"]).await, [], "a client cannot choose to be traced");

    let own = TraceCollectorDouble::start();
    let all = "traces.requests_per_thousand=1000";
    let spans = requested(&own, &["--set", all], &["00"]).await;
    let [span] = &spans[..] else { panic!("one request is traced: {spans:?}") };
    assert_ne!(span.trace_id, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes());
    assert_eq!(span.parent_span_id, [0_u8; 0]);
}

#[actix_web::test]
async fn no_request_waits_for_a_collector_that_does_not_answer() {
    /// More than the queue of spans takes.
    const REQUESTS: usize = 5_000;
    let silent = TraceCollectorDouble::start_silent();
    let (folder, url) = (tempfile::tempdir().unwrap(), silent.url());
    let all = ["--traces-otlp", &url, "--set", "traces.requests_per_thousand=1000"];
    let served = Served::start(folder.path(), &all);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let live = format!("{}/health/live", served.base);
    for _ in 0..REQUESTS {
        // Far below what the exporter waits for an answer.
        let request = http.get(&live).timeout(Duration::from_secs(3));
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    served.terminate();
    assert!(silent.spans().is_empty());
}
