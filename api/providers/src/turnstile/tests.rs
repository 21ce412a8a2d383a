use std::net::Ipv4Addr;
use std::time::Instant;

use serde_json::Value;

use super::*;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};

const VISITOR: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9));

async fn provider(respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static) -> Turnstile {
    let (url, _) = start(respond).await;
    let hosts = vec!["lienbook.example".to_owned(), "localhost".to_owned()];
    let url = format!("{url}/siteverify");
    Turnstile::within(Duration::from_secs(2), &url, SecretString::from("the secret"), hosts, "offer").unwrap()
}

async fn verify(response: ScriptedResponse) -> Result<(), TurnstileError> {
    provider(move |_| response.clone()).await.verify("a token", VISITOR).await
}

fn good() -> Value {
    json!({ "success": true, "error-codes": [], "challenge_ts": "2026-11-01T12:00:00Z", "hostname": "lienbook.example",
        "action": "offer", "cdata": "", "metadata": { "interactive": false } })
}

fn refused(codes: &[&str]) -> Value {
    json!({ "success": false, "error-codes": codes })
}

/// A check that an error is the expected one.
type Check = Box<dyn Fn(&TurnstileError) -> bool>;

#[tokio::test]
async fn a_token_is_verified_with_the_secret_and_the_address_of_the_visitor() {
    let (url, asked) = start(|_| ScriptedResponse::ok(&good())).await;
    let hosts = vec!["LIENBOOK.example".to_owned()];
    let turnstile = Turnstile::new(&format!("{url}/v0/siteverify"), SecretString::from("s"), hosts, "offer").unwrap();
    assert_eq!(turnstile.verify("the token", VISITOR).await, Ok(()));
    let asked = asked.lock().unwrap().pop().unwrap();
    assert_eq!(asked.line, "POST /v0/siteverify");
    assert!(asked.headers.contains("content-type: application/json"), "{}", asked.headers);
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(body, json!({ "secret": "s", "response": "the token", "remoteip": "203.0.113.9" }));
}

#[tokio::test]
async fn an_invalid_response_admits_no_visitor() {
    let with = |field: &str, value: Value| {
        let mut answer = good();
        answer[field] = value;
        ScriptedResponse::ok(&answer)
    };
    let without = |field: &str| {
        let mut answer = good();
        answer.as_object_mut().unwrap().remove(field);
        ScriptedResponse::ok(&answer)
    };
    let is_invalid = |error: &TurnstileError| matches!(error, TurnstileError::InvalidResponse(_));
    let is_unreachable = |error: &TurnstileError| matches!(error, TurnstileError::Unreachable(_));
    let is = |wanted: TurnstileError| move |error: &TurnstileError| *error == wanted;
    let cases: Vec<(&str, ScriptedResponse, Check)> = vec![
        (
            "forged",
            ScriptedResponse::ok(&refused(&[NOT_A_TOKEN])),
            Box::new(is(TurnstileError::InvalidToken(NOT_A_TOKEN.to_owned()))),
        ),
        ("replayed", ScriptedResponse::ok(&refused(&[SPENT])), Box::new(is(TurnstileError::TimeoutOrDuplicate))),
        (
            "spent and forged",
            ScriptedResponse::ok(&refused(&[NOT_A_TOKEN, SPENT])),
            Box::new(is(TurnstileError::TimeoutOrDuplicate)),
        ),
        (
            "our secret",
            ScriptedResponse::ok(&refused(&["invalid-input-secret", NOT_A_TOKEN])),
            Box::new(is(TurnstileError::InvalidSecret)),
        ),
        (
            "our secret, as 400",
            ScriptedResponse::Body(400, refused(&["missing-input-secret"]).to_string()),
            Box::new(is(TurnstileError::InvalidSecret)),
        ),
        (
            "another host",
            with("hostname", json!("evil.example")),
            Box::new(is(TurnstileError::WrongHostname("evil.example".to_owned()))),
        ),
        (
            "a longer host",
            with("hostname", json!("lienbook.example.evil")),
            Box::new(is(TurnstileError::WrongHostname("lienbook.example.evil".to_owned()))),
        ),
        ("no host", without("hostname"), Box::new(is(TurnstileError::WrongHostname(String::new())))),
        (
            "another action",
            with("action", json!("login")),
            Box::new(is(TurnstileError::WrongAction("login".to_owned()))),
        ),
        ("no action", without("action"), Box::new(is(TurnstileError::WrongAction(String::new())))),
        ("internal error", ScriptedResponse::ok(&refused(&["internal-error"])), Box::new(is_unreachable)),
        ("no reason", ScriptedResponse::ok(&refused(&[])), Box::new(is_invalid)),
        ("success with errors", with("error-codes", json!(["bad-request"])), Box::new(is_invalid)),
        ("success as text", with("success", json!("true")), Box::new(is_invalid)),
        ("no success", without("success"), Box::new(is_invalid)),
        ("a page", ScriptedResponse::ok("<html>Just a moment...</html>"), Box::new(is_invalid)),
        ("nothing", ScriptedResponse::ok(""), Box::new(is_invalid)),
        ("an array", ScriptedResponse::ok("[]"), Box::new(is_invalid)),
        ("nested deeply", ScriptedResponse::ok(&"[".repeat(10_000)), Box::new(is_invalid)),
        ("a flood", ScriptedResponse::Endless, Box::new(is_invalid)),
        ("a huge answer", ScriptedResponse::ok(&" ".repeat(ANSWER_BYTES_MAX + 1)), Box::new(is_invalid)),
        ("broken off", ScriptedResponse::truncated(&good().to_string()), Box::new(is_unreachable)),
        ("no HTTP", ScriptedResponse::Bytes(b"hello".to_vec()), Box::new(is_unreachable)),
        ("silence", ScriptedResponse::NoResponse, Box::new(is_unreachable)),
        ("500", ScriptedResponse::Body(500, good().to_string()), Box::new(is_unreachable)),
        ("503", ScriptedResponse::Body(503, String::new()), Box::new(is_unreachable)),
        ("429", ScriptedResponse::Body(429, good().to_string()), Box::new(is_unreachable)),
        ("403", ScriptedResponse::Body(403, good().to_string()), Box::new(is_unreachable)),
        (
            "sent elsewhere",
            ScriptedResponse::Bytes(b"HTTP/1.1 302 Found\r\nlocation: /else\r\ncontent-length: 0\r\n\r\n".to_vec()),
            Box::new(is_unreachable),
        ),
    ];
    for (what, response, is_expected) in cases {
        let began = Instant::now();
        let error = verify(response).await.expect_err(what);
        assert!(is_expected(&error), "{what}: {error:?}");
        assert!(error.to_string().len() < 300 && !error.to_string().contains("the secret"), "{what}: {error}");
        assert!(began.elapsed() < Duration::from_mins(1), "{what}");
    }
}

#[tokio::test]
async fn an_unreachable_provider_is_an_error_and_malformed_tokens_are_not_sent() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("http://{free}");
    let turnstile = Turnstile::new(&url, SecretString::from("s"), Vec::new(), "offer").unwrap();
    assert!(matches!(turnstile.verify("a token", VISITOR).await, Err(TurnstileError::Unreachable(_))));
    for token in [String::new(), "x".repeat(TOKEN_BYTES_MAX + 1)] {
        assert!(matches!(turnstile.verify(&token, VISITOR).await, Err(TurnstileError::InvalidToken(_))));
    }
}

#[test]
fn only_errors_about_the_token_are_the_fault_of_the_visitor() {
    let text = String::new;
    for (error, is_visitors) in [
        (TurnstileError::InvalidToken(text()), true),
        (TurnstileError::TimeoutOrDuplicate, true),
        (TurnstileError::WrongHostname(text()), true),
        (TurnstileError::WrongAction(text()), true),
        (TurnstileError::Unreachable(text()), false),
        (TurnstileError::InvalidResponse(text()), false),
        (TurnstileError::InvalidSecret, false),
    ] {
        assert_eq!(error.is_about_visitor(), is_visitors, "{error:?}");
    }
}
