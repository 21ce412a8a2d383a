use std::net::Ipv4Addr;
use std::time::Instant;

use serde_json::Value;

use super::*;
use crate::scripted_server::{Asked, Told, start};

const VISITOR: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9));

async fn provider(respond: impl Fn(&Asked) -> Told + Send + Sync + 'static) -> Turnstile {
    let (url, _) = start(respond).await;
    let hosts = vec!["lienbook.example".to_owned(), "localhost".to_owned()];
    let url = format!("{url}/siteverify");
    Turnstile::within(Duration::from_millis(500), &url, SecretString::from("the secret"), hosts, "offer").unwrap()
}

async fn verify(response: Told) -> Result<(), TurnstileError> {
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
    let (url, asked) = start(|_| Told::ok(&good())).await;
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
        Told::ok(&answer)
    };
    let without = |field: &str| {
        let mut answer = good();
        answer.as_object_mut().unwrap().remove(field);
        Told::ok(&answer)
    };
    let is_invalid = |error: &TurnstileError| matches!(error, TurnstileError::Nonsense(_));
    let is_unreachable = |error: &TurnstileError| matches!(error, TurnstileError::Unreachable(_));
    let is = |wanted: TurnstileError| move |error: &TurnstileError| *error == wanted;
    let cases: Vec<(&str, Told, Check)> = vec![
        (
            "forged",
            Told::ok(&refused(&[NOT_A_TOKEN])),
            Box::new(is(TurnstileError::NotVouched(NOT_A_TOKEN.to_owned()))),
        ),
        ("replayed", Told::ok(&refused(&[SPENT])), Box::new(is(TurnstileError::Spent))),
        ("spent and forged", Told::ok(&refused(&[NOT_A_TOKEN, SPENT])), Box::new(is(TurnstileError::Spent))),
        (
            "our secret",
            Told::ok(&refused(&["invalid-input-secret", NOT_A_TOKEN])),
            Box::new(is(TurnstileError::Secret)),
        ),
        (
            "our secret, as 400",
            Told::Body(400, refused(&["missing-input-secret"]).to_string()),
            Box::new(is(TurnstileError::Secret)),
        ),
        (
            "another host",
            with("hostname", json!("evil.example")),
            Box::new(is(TurnstileError::OtherSite("evil.example".to_owned()))),
        ),
        (
            "a longer host",
            with("hostname", json!("lienbook.example.evil")),
            Box::new(is(TurnstileError::OtherSite("lienbook.example.evil".to_owned()))),
        ),
        ("no host", without("hostname"), Box::new(is(TurnstileError::OtherSite(String::new())))),
        (
            "another action",
            with("action", json!("login")),
            Box::new(is(TurnstileError::OtherAction("login".to_owned()))),
        ),
        ("no action", without("action"), Box::new(is(TurnstileError::OtherAction(String::new())))),
        ("internal error", Told::ok(&refused(&["internal-error"])), Box::new(is_unreachable)),
        ("no reason", Told::ok(&refused(&[])), Box::new(is_invalid)),
        ("success with errors", with("error-codes", json!(["bad-request"])), Box::new(is_invalid)),
        ("success as text", with("success", json!("true")), Box::new(is_invalid)),
        ("no success", without("success"), Box::new(is_invalid)),
        ("a page", Told::ok("<html>Just a moment...</html>"), Box::new(is_invalid)),
        ("nothing", Told::ok(""), Box::new(is_invalid)),
        ("an array", Told::ok("[]"), Box::new(is_invalid)),
        ("nested deeply", Told::ok(&"[".repeat(10_000)), Box::new(is_invalid)),
        ("a flood", Told::Endless, Box::new(is_invalid)),
        ("a huge answer", Told::ok(&" ".repeat(ANSWER_BYTES_MAX + 1)), Box::new(is_invalid)),
        ("broken off", Told::cut(&good().to_string()), Box::new(is_unreachable)),
        ("no HTTP", Told::Bytes(b"hello".to_vec()), Box::new(is_unreachable)),
        ("silence", Told::Silence, Box::new(is_unreachable)),
        ("500", Told::Body(500, good().to_string()), Box::new(is_unreachable)),
        ("503", Told::Body(503, String::new()), Box::new(is_unreachable)),
        ("429", Told::Body(429, good().to_string()), Box::new(is_unreachable)),
        ("403", Told::Body(403, good().to_string()), Box::new(is_unreachable)),
        (
            "sent elsewhere",
            Told::Bytes(b"HTTP/1.1 302 Found\r\nlocation: /else\r\ncontent-length: 0\r\n\r\n".to_vec()),
            Box::new(is_unreachable),
        ),
    ];
    for (what, response, is_expected) in cases {
        let began = Instant::now();
        let error = verify(response).await.expect_err(what);
        assert!(is_expected(&error), "{what}: {error:?}");
        assert!(error.to_string().len() < 300 && !error.to_string().contains("the secret"), "{what}: {error}");
        assert!(began.elapsed() < Duration::from_secs(5), "{what}");
    }
}

#[tokio::test]
async fn an_unreachable_provider_is_an_error_and_malformed_tokens_are_not_sent() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("http://{free}");
    let turnstile = Turnstile::new(&url, SecretString::from("s"), Vec::new(), "offer").unwrap();
    assert!(matches!(turnstile.verify("a token", VISITOR).await, Err(TurnstileError::Unreachable(_))));
    for token in [String::new(), "x".repeat(TOKEN_BYTES_MAX + 1)] {
        assert!(matches!(turnstile.verify(&token, VISITOR).await, Err(TurnstileError::NotVouched(_))));
    }
}

#[test]
fn only_errors_about_the_token_are_the_fault_of_the_visitor() {
    let text = String::new;
    for (error, is_visitors) in [
        (TurnstileError::NotVouched(text()), true),
        (TurnstileError::Spent, true),
        (TurnstileError::OtherSite(text()), true),
        (TurnstileError::OtherAction(text()), true),
        (TurnstileError::Unreachable(text()), false),
        (TurnstileError::Nonsense(text()), false),
        (TurnstileError::Secret, false),
    ] {
        assert_eq!(error.is_about_visitor(), is_visitors, "{error:?}");
    }
}
