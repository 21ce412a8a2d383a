//! Tests of the web app, the API description, health and counters; and of the headers of all responses.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use lienbook::openapi::Description;
use reqwest::Method;
use serde_json::Value;
use utoipa::OpenApi as _;

use super::lender::TestUser;
use super::rig::Rig;

#[actix_web::test]
async fn paths_of_the_app_get_the_page_and_missing_files_do_not() {
    let rig = Rig::start().await;
    for path in ["/", "/lend/ordinals?filters=favorites", "/portfolio/pending"] {
        let response = rig.request(Method::GET, path).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/html"), "{path}");
        assert_eq!(response.headers()["cache-control"], "no-cache");
        let tag = response.headers()["etag"].clone();
        let again = rig.request(Method::GET, path).header("if-none-match", tag).send().await.unwrap();
        assert_eq!(again.status(), 304);
    }
    for path in [
        "/assets/missing.js",
        "/favicon.ico",
        "/api/nothing",
        "/api",
        "/api/v1",
        "/api/v1/nothing",
        "/../etc/passwd.txt",
    ] {
        rig.get(path).await.refused(404, "not_found");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_unsupported_method_is_answered_with_the_supported_ones() {
    let rig = Rig::start().await;
    for (method, path, taken) in [
        (Method::POST, "/portfolio", "GET, HEAD"),
        (Method::PUT, "/api/v1/collections", "GET, HEAD"),
        (Method::DELETE, "/api/v1/config", "GET, HEAD"),
        (Method::GET, "/api/v1/feed/ticket", "POST"),
        (Method::PATCH, "/api/v1/session", "POST, GET, HEAD, DELETE"),
        (Method::OPTIONS, "/api/v1/offers/manual/of_1", "PATCH"),
        (Method::POST, "/api/docs", "GET, HEAD"),
        (Method::POST, "/api/docs/index.html", "GET"),
        (Method::POST, "/api/openapi.json", "GET, HEAD"),
    ] {
        let answer = rig.send(rig.request(method.clone(), path)).await;
        answer.refused(405, "method_not_allowed");
        assert_eq!(answer.headers["allow"], taken, "{method} {path}");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn errors_of_libraries_have_a_code_and_a_title_too() {
    let rig = Rig::start().await;
    rig.get("/api/docs/nothing.js").await.refused(404, "not_found");
    for path in ["/api/v1/collections", "/", "/api/v1/nothing"] {
        let request = rig.request(Method::GET, path).header("accept-encoding", "identity;q=0, *;q=0");
        let answer = rig.send(request.header("x-request-id", "my-request-2")).await;
        answer.refused(406, "not_acceptable");
        assert_eq!(answer.body["requestId"], "my-request-2");
        assert_eq!(answer.headers["x-request-id"], "my-request-2");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    let compressed = rig.request(Method::GET, "/api/docs/nothing.js").header("accept-encoding", "gzip");
    rig.send(compressed).await.refused(404, "not_found");
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_counters_are_rate_limited() {
    let rig = Rig::start().await;
    // Two are granted anew in each second, so a slow machine gets more than 120.
    let mut granted = 0;
    let refused = loop {
        let answer = rig.get_metrics("/metrics").await;
        if answer.status() != 200 {
            break answer;
        }
        granted += 1;
        assert!(granted < 1_200, "nothing is refused");
    };
    assert!(granted >= 120, "{granted}");
    assert_eq!(refused.status(), 429);
    assert!(refused.text().await.unwrap().contains("rate_limited"));
    assert_eq!(rig.get("/health/live").await.status, 200);
    rig.server.stop().await;
}

#[actix_web::test]
async fn every_response_has_security_headers_and_a_request_id() {
    let rig = Rig::start().await;
    for path in ["/", "/api/v1/config", "/api/v1/nothing", "/health/live", "/api/docs/", "/api/v1/offers"] {
        let response = rig.request(Method::GET, path).send().await.unwrap();
        let headers = response.headers();
        let policy = headers["content-security-policy"].to_str().unwrap();
        // The app may compile WebAssembly, which its second verifier is.
        let scripts = if path == "/api/docs/" { "script-src 'self';" } else { "script-src 'self' 'wasm-unsafe-eval';" };
        assert!(policy.contains(scripts) && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        let styles = if path == "/api/docs/" { "style-src 'self' 'sha256-" } else { "style-src 'self';" };
        assert!(policy.contains(styles) && !policy.contains("unsafe-inline"), "{path}: {policy}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        assert_eq!(headers["cross-origin-resource-policy"], "same-origin", "{path}");
        // Browsers accept it only over TLS, and would then refuse an operator's plain HTTP test server.
        assert!(!headers.contains_key("strict-transport-security"), "{path}");
        assert!(headers.contains_key("x-request-id"), "{path}");
        assert!(!headers.contains_key("access-control-allow-origin"), "{path}");
        if path.starts_with("/api/v1") {
            assert_eq!(headers["cache-control"], "no-store", "{path}");
        }
    }
    let given = rig.request(Method::GET, "/api/v1/nothing").header("x-request-id", "my-request-1");
    let answer = rig.send(given).await;
    assert_eq!(
        (answer.headers["x-request-id"].as_bytes(), &answer.body["requestId"]),
        (&b"my-request-1"[..], &Value::from("my-request-1"))
    );
    for odd in ["short", "with space in it", &"x".repeat(65), "<script>alert(1)"] {
        let answer = rig.send(rig.request(Method::GET, "/health/live").header("x-request-id", odd)).await;
        assert_ne!(answer.headers["x-request-id"], odd);
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_openapi_document_describes_every_resource() {
    let rig = Rig::start().await;
    let description = rig.get("/api/openapi.json").await.ok();
    let paths = description["paths"].as_object().unwrap();
    let (outside, version_one) = include_str!("../../src/routes.rs").split_once("fn version_one").unwrap();
    let resources = [
        version_one,
        include_str!("../../src/routes/brc20.rs"),
        include_str!("../../src/routes/collections.rs"),
        include_str!("../../src/routes/delegations.rs"),
        include_str!("../../src/routes/loans.rs"),
        include_str!("../../src/routes/me.rs"),
        include_str!("../../src/routes/negotiations.rs"),
        include_str!("../../src/routes/offers.rs"),
        include_str!("../../src/routes/requests.rs"),
        include_str!("../../src/routes/session.rs"),
        include_str!("../../src/routes/vaults.rs"),
    ];
    let with_paths = version_one.matches("::configure)").count();
    assert_eq!(resources.len(), with_paths + 1, "a resource with paths of its own is missing here");
    let operation = include_str!("../../src/routes/operation.rs");
    let demo = include_str!("../../src/demo/routes.rs");
    let named = |text: &str, prefix: &str| -> Vec<String> {
        let parts = text.split("at(\"").skip(1);
        parts.map(|part| format!("{prefix}{}", part.split('"').next().unwrap())).collect()
    };
    let mut all: Vec<_> = resources.iter().flat_map(|text| named(text, "/api/v1")).collect();
    all.extend([named(outside, ""), named(operation, ""), named(demo, "/api/v1/devnet")].concat());
    assert!(all.len() > 80, "{all:?}");
    for path in all {
        // Images, the socket and the operator's listener are not for clients that are generated from this document.
        let is_apart = ["/api/v1/feed", "/metrics", "/operator"].contains(&path.as_str());
        if !path.contains("-images/") && !is_apart {
            assert!(paths.contains_key(&path), "{path} is not described");
        }
    }
    let operations = paths.values().flat_map(|path| path.as_object().unwrap().values());
    let ids: Vec<_> = operations.clone().map(|it| it["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), ids.len(), "{ids:?}");
    for operation in operations {
        let text = operation["description"].as_str().unwrap_or_default();
        assert!(!text.contains("ErrorCode") && !text.contains("crate::"), "{text}");
    }
    for schema in ["Row", "BookOffer", "MyOffer", "Problem", "SessionView", "VaultView"] {
        assert!(description["components"]["schemas"][schema].is_object(), "{schema} is not described");
    }
    let page = rig.request(Method::GET, "/api/docs/").send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("swagger"));
    let redirect = rig.request(Method::GET, "/api/docs").send().await.unwrap();
    assert!(redirect.url().path().ends_with("/api/docs/"));
    rig.server.stop().await;
}

#[test]
fn the_openapi_document_is_the_one_that_clients_are_generated_from() {
    let text = format!("{}\n", Description::openapi().to_pretty_json().unwrap());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
        fs::write(&golden, &text).unwrap();
    }
    let known = fs::read_to_string(&golden).unwrap();
    assert!(known == text, "api/openapi.json is not what the code describes: if that is meant, run `make schema`");
}

#[actix_web::test]
async fn health_and_counters_are_for_operators() {
    let rig = Rig::start().await;
    assert_eq!(rig.get("/health/live").await.ok()["status"], "live");
    assert_eq!(rig.get("/health/ready").await.ok()["collections"], 3);
    rig.app().readiness.set(false);
    let answer = rig.get("/health/ready").await;
    answer.refused(503, "not_ready");
    assert!(answer.headers.contains_key("retry-after"));
    rig.app().readiness.set(true);
    let page = rig.get_metrics("/metrics").await.text().await.unwrap();
    for name in [
        "lienbook_http_requests_total{method=\"GET\",resource=\"/health/ready\",status=\"503\"} 1",
        "lienbook_journal_events_total ",
    ] {
        assert!(page.contains(name), "{name} is missing:\n{page}");
    }
    for path in ["/health/live", "/api/v1/collections", "/"] {
        let head = rig.request(Method::HEAD, path).send().await.unwrap();
        assert_eq!((head.status().as_u16(), head.bytes().await.unwrap().len()), (200, 0), "{path}");
    }
    rig.get("/collection-images/paper-frogs.svg").await.refused(404, "not_found");
    rig.server.stop().await;
}

#[actix_web::test]
async fn operators_have_a_page() {
    let rig = Rig::start().await;
    let response = rig.get_metrics("/operator").await;
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(response.headers()["cache-control"], "no-store");
    let page = response.text().await.unwrap();
    for part in ["Lienbook on regtest", ">Ready<", "No upstream is asked", "<dt>Events made durable</dt>"] {
        assert!(page.contains(part), "{part} is missing:\n{page}");
    }
    rig.app().readiness.set(false);
    let page = rig.get_metrics("/operator").await.text().await.unwrap();
    assert!(page.contains("Starting or stopping"), "{page}");
    rig.server.stop().await;
}

#[actix_web::test]
async fn responses_are_compressed_on_request() {
    let rig = Rig::start().await;
    let request = rig.request(Method::GET, "/api/v1/collections").header("accept-encoding", "gzip");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-encoding"], "gzip");
    let refused = rig.request(Method::GET, "/api/v1/nothing").header("accept-encoding", "gzip").send().await.unwrap();
    let is_gzip = refused.headers().get("content-encoding").is_some_and(|encoding| encoding == "gzip");
    let bytes = refused.bytes().await.unwrap();
    assert_eq!(bytes.starts_with(&[0x1f, 0x8b]), is_gzip);
    rig.server.stop().await;
}

#[actix_web::test]
async fn metrics_are_not_on_the_public_port_and_the_app_is_not_on_the_metrics_port() {
    let rig = Rig::start().await;
    assert!(rig.server.metrics_address.ip().is_loopback());
    for path in ["/metrics", "/operator"] {
        let public = rig.request(Method::GET, path).send().await.unwrap().text().await.unwrap();
        assert!(!public.contains("lienbook_") && !public.contains("Events made durable"), "{path}: {public}");
        let figures = rig.get_metrics(path).await;
        assert_eq!(figures.status(), 200, "{path}");
        assert!(figures.headers()["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
    }
    for path in ["/", "/api/v1/config", "/health/live"] {
        assert_eq!(rig.get_metrics(path).await.status(), 404, "{path}");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn over_tls_hsts_is_sent_and_the_cookie_has_the_host_prefix() {
    let rig = Rig::start_with(|settings| settings.public_url = Some("https://lienbook.example".parse().unwrap())).await;
    for path in ["/", "/api/v1/config", "/api/v1/nothing"] {
        let response = rig.request(Method::GET, path).send().await.unwrap();
        let policy = response.headers()["strict-transport-security"].to_str().unwrap();
        assert_eq!(policy, "max-age=31536000; includeSubDomains", "{path}");
    }
    let user = TestUser::sign_in(&rig, 1).await;
    assert!(user.cookie.starts_with("__Host-lienbook_refresh="), "{}", user.cookie);
    let renewal = || rig.request(Method::POST, "/api/v1/session/refresh");
    rig.send(renewal().header("cookie", &user.cookie)).await.ok();
    let planted = user.cookie.replace("__Host-", "");
    rig.send(renewal().header("cookie", planted)).await.refused(401, "unauthenticated");
    rig.server.stop().await;
}

/// A client that requests much and reads nothing would otherwise keep its connection, and the responses for it,
/// forever.
#[actix_web::test]
async fn a_connection_whose_client_reads_nothing_is_closed() {
    let rig = Rig::start_with(|settings| settings.quotas.unread_seconds = 1).await;
    let mut slow = std::net::TcpStream::connect(rig.server.address).unwrap();
    let request = format!("GET /api/openapi.json HTTP/1.1\r\nhost: {}\r\n\r\n", rig.server.address);
    // More than the kernel's buffers of both sides hold.
    slow.write_all(request.repeat(100).as_bytes()).unwrap();
    tokio::time::sleep(Duration::from_secs(8)).await;
    slow.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let whole = rig.http.get(format!("{}/api/openapi.json", rig.base)).send().await.unwrap();
    let length = whole.bytes().await.unwrap().len();
    let mut read = Vec::new();
    // The content of the buffers still arrives, and then the end or a reset.
    let _ = slow.read_to_end(&mut read);
    assert!(read.len() < 100 * length, "all {} bytes came", read.len());
    rig.server.stop().await;
}

/// Reverse proxies send the next request on a connection that was idle for as long as a minute. If the server closes it
/// before that, the request may cross the closing and fail.
#[actix_web::test]
async fn a_connection_that_was_idle_for_seconds_takes_the_next_request() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let rig = Rig::start().await;
    let mut connection = tokio::net::TcpStream::connect(rig.server.address).await.unwrap();
    let request = |close: &str| format!("GET /health/ready HTTP/1.1\r\nhost: {}\r\n{close}\r\n", rig.server.address);
    connection.write_all(request("").as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(7)).await;
    connection.write_all(request("connection: close\r\n").as_bytes()).await.unwrap();
    let mut answers = String::new();
    connection.read_to_string(&mut answers).await.unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 2, "{answers}");
    rig.server.stop().await;
}
