use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::test_client::test_client;
use crate::capability::UpstreamError;
use crate::http::scripted_server::{ScriptedResponse, start};
use crate::http::{HttpRequest, TimeoutClass};

/// Returns the result, and the number of requests to a server that fails this often before it answers.
async fn tries(status: u16, failures: usize, is_market: bool) -> (Result<Option<Value>, UpstreamError>, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let (url, _) = start(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        before if before < failures => ScriptedResponse::Body(status, String::new()),
        _ => ScriptedResponse::ok("{}"),
    })
    .await;
    let request = HttpRequest::get("/").with_timeout(if is_market { TimeoutClass::Long } else { TimeoutClass::Normal });
    let result = test_client(&url).read(request).await;
    (result, asked.load(Ordering::Relaxed))
}

#[tokio::test]
async fn temporary_failures_are_retried_three_times() {
    for status in [429, 502, 504] {
        assert_eq!(tries(status, 3, false).await, (Ok(Some(json!({}))), 4), "{status}");
        assert_eq!(tries(status, 9, false).await, (Err(UpstreamError::Status(status)), 4), "{status}");
    }
    assert_eq!(tries(503, 1, false).await, (Err(UpstreamError::Status(503)), 1), "an indexer is not retried");
    assert_eq!(tries(503, 1, true).await, (Ok(Some(json!({}))), 2), "a marketplace is busy");
    assert_eq!(tries(404, 9, false).await, (Ok(None), 1));
    assert_eq!(tries(403, 9, false).await, (Err(UpstreamError::Unauthorized), 1));
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let (url, _) = start(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        0 => ScriptedResponse::Bytes(b"HTTP/1.1 429 Busy\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n".to_vec()),
        1 => ScriptedResponse::ok("{}"),
        _ => ScriptedResponse::Bytes(b"HTTP/1.1 429 Busy\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n".to_vec()),
    })
    .await;
    let (site, began) = (test_client(&url), Instant::now());
    assert_eq!(site.read::<Value>(HttpRequest::get("/")).await, Ok(Some(json!({}))));
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(site.read::<Value>(HttpRequest::get("/")).await, Err(UpstreamError::Status(429)), "an hour is too long");
    assert_eq!(asked.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn the_circuit_breaker_opens_after_repeated_failures_and_then_probes() {
    let is_down = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let state = Arc::clone(&is_down);
    let (url, asked) = start(move |_| {
        if state.load(Ordering::Relaxed) {
            ScriptedResponse::Body(500, String::new())
        } else {
            ScriptedResponse::ok("{}")
        }
    })
    .await;
    let site = test_client(&url);
    let ask = async || site.read::<Value>(HttpRequest::get("/")).await;
    for _ in 0..3 {
        assert_eq!(ask().await, Err(UpstreamError::Status(500)));
    }
    assert!(matches!(ask().await, Err(UpstreamError::CircuitOpen { .. })));
    assert_eq!(asked.lock().unwrap().len(), 3, "it was not asked");
    is_down.store(false, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(ask().await, Ok(Some(json!({}))));
    assert_eq!(ask().await, Ok(Some(json!({}))));
}
