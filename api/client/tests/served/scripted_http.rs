//! Retries, against a scripted HTTP server.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lienbook_client::types::{ErrorCode, OfferIds};
use lienbook_client::{CallError, Client, IdempotencyKey};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Serves one answer for each connection, in order; an empty one closes the connection without an answer. The requests that
/// were read are in the list.
async fn serve(answers: Vec<String>) -> (Client, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&requests);
    actix_web::rt::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut request, mut part) = (String::new(), [0; 4_096]);
            while !request.contains("\r\n\r\n") || (request.starts_with("POST") && !request.ends_with('}')) {
                let length = stream.read(&mut part).await.unwrap();
                request.push_str(std::str::from_utf8(&part[..length]).unwrap());
            }
            heard.lock().unwrap().push(request);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (Client::new(url.parse().unwrap(), Some("lbk_1_secret".parse().unwrap())).unwrap(), requests)
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn problem(code: &str) -> String {
    format!(r#"{{"type":"/errors/{code}","title":"","status":0,"detail":"","code":"{code}","requestId":null}}"#)
}

fn offers() -> OfferIds {
    OfferIds { offer_ids: vec!["of_1".to_owned()] }
}

const DONE: &str = r#"{"results":[]}"#;

#[actix_web::test]
async fn a_write_is_repeated_with_its_key_until_it_is_answered() {
    let busy = answer("503 Service Unavailable", "retry-after: 0\r\n", &problem("no_writer"));
    let (client, requests) = serve(vec![busy, String::new(), answer("200 OK", "", DONE)]).await;
    let key: IdempotencyKey = "once".parse().unwrap();
    assert!(client.cancel_manual_offers(&offers(), &key).await.unwrap().results.is_empty());
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.contains("idempotency-key: once\r\n")), "{requests:?}");
    assert!(requests.iter().all(|request| request.contains("authorization: Bearer lbk_1_secret\r\n")));
}

#[actix_web::test]
async fn a_write_without_a_key_is_not_sent_twice() {
    let (client, requests) = serve(vec![String::new(), answer("204 No Content", "", "")]).await;
    let body = lienbook_client::types::NonceRequest { address: "a".to_owned() };
    let error = client.issue_message_nonce(&body).await.unwrap_err();
    assert!(matches!(error, CallError::Unknown(_)) && error.may_have_happened(), "{error:?}");
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[actix_web::test]
async fn the_server_is_given_the_time_that_it_asks_for() {
    let limited = answer("429 Too Many Requests", "retry-after: 1\r\n", &problem("rate_limited"));
    let (client, requests) = serve(vec![limited, answer("200 OK", "", DONE)]).await;
    let began = Instant::now();
    client.cancel_manual_offers(&offers(), &IdempotencyKey::random()).await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(requests.lock().unwrap().len(), 2);

    let (client, _) =
        serve(vec![answer("429 Too Many Requests", "retry-after: 3600\r\n", &problem("rate_limited"))]).await;
    let error = client.cancel_manual_offers(&offers(), &IdempotencyKey::random()).await.unwrap_err();
    assert!(matches!(error, CallError::Busy(wait) if wait >= Duration::from_hours(1)), "{error:?}");
}

#[actix_web::test]
async fn a_spent_quota_is_waited_for_before_the_next_request() {
    let spent = "ratelimit-policy: \"writes\";q=120;w=60\r\nratelimit: \"writes\";r=0;t=60\r\n";
    let (client, _) = serve(vec![answer("200 OK", spent, DONE), answer("200 OK", "", DONE)]).await;
    let began = Instant::now();
    client.cancel_manual_offers(&offers(), &IdempotencyKey::random()).await.unwrap();
    client.cancel_manual_offers(&offers(), &IdempotencyKey::random()).await.unwrap();
    assert!(began.elapsed() >= Duration::from_millis(450), "one of 120 a minute is back after half a second");
}

#[actix_web::test]
async fn answers_that_no_server_of_this_api_gives_are_errors() {
    let (client, _) = serve(vec![
        answer("200 OK", "", "[]"),
        answer("500 Internal Server Error", "", "oops"),
        answer("409 Conflict", "", &problem("a_code_of_the_future")),
    ])
    .await;
    let error = async || client.cancel_manual_offers(&offers(), &IdempotencyKey::random()).await.unwrap_err();
    assert!(matches!(error().await, CallError::Unreadable(_)));
    assert!(matches!(error().await, CallError::Unknown(_)));
    assert_eq!(error().await.code(), Some(ErrorCode::Unknown));
}
