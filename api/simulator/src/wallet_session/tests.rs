//! Tests of sessions against a scripted server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use escrow::action::{Action, CancelOffers};
use escrow::action_message::ActionMessage;
use escrow::address::WalletAddress;
use escrow::message_signature::verify;
use serde_json::json;

use super::*;
use crate::limits::Limits;
use crate::scripted_server::{ReceivedRequest, ScriptedResponse, start};

const REFRESH: &str = "set-cookie: lienbook_refresh=r1; Path=/api/v1/session; HttpOnly; SameSite=Strict\r\n";

fn nonce() -> ScriptedResponse {
    let data = json!({"nonce": "5f2c1d0e9b8a7766", "issued": 1_800_000_000_u64, "expires": 1_800_000_600_u64,
        "domain": "lienbook.example", "network": "regtest"});
    (200, "", json!({"ok": true, "data": data, "errorMessage": null}))
}

fn opened(jwt: &str) -> ScriptedResponse {
    (200, REFRESH, json!({"jwt": jwt, "expiresAt": 0, "userId": "us_1"}))
}

fn problem(status: u16, headers: &'static str, code: &str) -> ScriptedResponse {
    (status, headers, json!({"code": code, "detail": "scripted"}))
}

async fn session(
    respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static,
) -> (WalletSession, Arc<ActionCounters>, Arc<Mutex<Vec<ReceivedRequest>>>) {
    let (base, seen) = start(respond).await;
    let tally = Arc::new(ActionCounters::default());
    let client = Arc::new(ApiClient::new(&base, 2, Arc::clone(&tally)).unwrap());
    let config =
        ServerConfig { network: Network::Regtest, vault_signer_id: Some("vault".to_owned()), limits: Limits::all(1) };
    let session = WalletSession::new(client, Arc::clone(&tally), Arc::new(config), [7; 32], "run".to_owned());
    (session.unwrap(), tally, seen)
}

/// The message and signature of a request, verified as a server would.
fn verified(body: &Value, address_field: &str) -> ActionMessage {
    let text = body["message"].as_str().unwrap();
    let address = WalletAddress::parse(body[address_field].as_str().unwrap(), Network::Regtest).unwrap();
    verify(&address, text, body["signature"].as_str().unwrap()).unwrap();
    let message = ActionMessage::parse(text).unwrap();
    assert_eq!(message.envelope().address, address.to_string());
    assert_eq!(message.envelope().domain, "lienbook.example");
    message
}

#[tokio::test]
async fn signing_in_sends_a_message_that_verifies() {
    let (mut session, tally, seen) = session(|seen| match seen.line.as_str() {
        "POST /api/v1/session/nonce" => nonce(),
        "POST /api/v1/session" => opened("t1"),
        _ => problem(404, "", "not_found"),
    })
    .await;
    session.sign_in().await.unwrap();
    let body = seen.lock().unwrap()[1].body.clone();
    let message = verified(&body, "payment_address");
    let Action::SignIn(said) = message.action() else { panic!("{message:?}") };
    assert_eq!(said.payment_public_key, body["payment_pubkey"].as_str().unwrap());
    assert_eq!(said.ordinals_address, body["ordinal_address"].as_str().unwrap());
    assert_eq!(said.ordinals_public_key, body["ordinal_pubkey"].as_str().unwrap());
    let ordinals = WalletAddress::parse(&said.ordinals_address, Network::Regtest).unwrap();
    let (text, signature) = (body["message"].as_str().unwrap(), body["ordinal_signature"].as_str().unwrap());
    verify(&ordinals, text, signature).unwrap();
    assert_eq!(tally.report().sign_ins, 1);
}

#[tokio::test]
async fn a_request_to_a_busy_server_is_retried_after_the_requested_delay() {
    let times = AtomicUsize::new(0);
    let (mut session, tally, seen) = session(move |seen| match seen.line.as_str() {
        "POST /api/v1/session/nonce" => nonce(),
        "POST /api/v1/session" => opened("t1"),
        _ => match times.fetch_add(1, Ordering::SeqCst) {
            0 => problem(503, "retry-after: 1\r\n", "overloaded"),
            1 => problem(429, "", "rate_limited"),
            2 => problem(409, "", "idempotency_in_flight"),
            _ => (200, "", json!({"results": []})),
        },
    })
    .await;
    let begun = std::time::Instant::now();
    session.write(Method::POST, "/api/v1/offers/pause", &json!({"offerIds": []})).await.unwrap();
    assert!(begun.elapsed() >= std::time::Duration::from_secs(1), "it did not wait");
    let seen = seen.lock().unwrap();
    let keys: Vec<_> = seen[2..].iter().map(|seen| seen.header("idempotency-key")).collect();
    assert_eq!(keys, [Some("run-1"); 4]);
    assert_eq!(tally.report().retries, 3);
}

#[tokio::test]
async fn a_request_that_needs_a_bot_check_is_retried_once_with_a_token() {
    for (passes, expected) in [(true, true), (false, false)] {
        let (mut session, _, seen) = session(move |seen| match seen.line.as_str() {
            "POST /api/v1/session/nonce" => nonce(),
            "POST /api/v1/session" => opened("t1"),
            _ if passes && seen.body["cf_turnstile_response"] == DUMMY_TOKEN => (200, "", json!({"results": []})),
            _ => problem(403, "", "turnstile_required"),
        })
        .await;
        let written = session.write(Method::POST, "/api/v1/offers/manual", &json!({"offers": [1]})).await;
        assert_eq!(written.is_ok(), expected);
        let seen = seen.lock().unwrap();
        let bodies: Vec<_> = seen[2..].iter().map(|seen| seen.body.clone()).collect();
        let with_token = json!({"offers": [1], "cf_turnstile_response": DUMMY_TOKEN});
        assert_eq!(bodies, [json!({"offers": [1]}), with_token]);
        assert!(seen[2..].iter().all(|seen| seen.header("idempotency-key") == Some("run-1")));
    }
}

#[tokio::test]
async fn an_ended_session_is_renewed_with_the_cookie_or_else_with_a_signature() {
    let (mut session, tally, seen) = session(|seen| match seen.line.as_str() {
        "POST /api/v1/session/nonce" => nonce(),
        "POST /api/v1/session" => opened("signed"),
        "POST /api/v1/session/refresh" if seen.header("cookie") == Some("lienbook_refresh=r1") => opened("renewed"),
        _ => match seen.header("authorization") {
            Some("Bearer renewed") => (200, "", json!({"data": [], "nextCursor": null})),
            _ => problem(401, "", "session_expired"),
        },
    })
    .await;
    session.read("/api/v1/offers").await.unwrap();
    assert_eq!((tally.report().sign_ins, tally.report().renewals), (1, 1));
    let lines: Vec<String> = seen.lock().unwrap().iter().map(|seen| seen.line.clone()).collect();
    assert_eq!(lines[2..], ["GET /api/v1/offers", "POST /api/v1/session/refresh", "GET /api/v1/offers"]);
}

#[tokio::test]
async fn a_refused_cookie_leads_to_one_new_signature() {
    let (mut session, tally, _) = session(|seen| match seen.line.as_str() {
        "POST /api/v1/session/nonce" => nonce(),
        "POST /api/v1/session" => opened("signed"),
        _ => problem(401, "", "session_ended"),
    })
    .await;
    let refused = session.read("/api/v1/offers").await;
    assert!(matches!(refused, Err(CallError::SignedOut(_))), "{refused:?}");
    assert_eq!((tally.report().sign_ins, tally.report().renewals), (2, 0));
}

#[tokio::test]
async fn a_refusal_is_reported_with_its_code() {
    let (mut session, ..) = session(|seen| match seen.line.as_str() {
        "POST /api/v1/session/nonce" => nonce(),
        "POST /api/v1/session" => opened("t1"),
        "GET /nonsense" => (200, "", json!({"nothing": "of the kind"})),
        _ => problem(422, "", "below_min_offer"),
    })
    .await;
    let refused = session.write(Method::POST, "/api/v1/offers/manual", &json!({})).await;
    assert!(matches!(refused, Err(CallError::Refused { code, .. }) if code == "below_min_offer"));
    let odd = session.read("/nonsense").await.unwrap().read::<SessionResponse>();
    assert!(matches!(odd, Err(CallError::Malformed(_))));
}

#[tokio::test]
async fn an_action_is_signed_with_a_fresh_nonce() {
    let (mut session, ..) = session(|seen| match seen.line.as_str() {
        "POST /api/v1/session/nonce" | "POST /api/v1/account/nonce" => nonce(),
        _ => opened("t1"),
    })
    .await;
    let cancel = CancelOffers {
        ordinal_offer_ids: vec!["of_10000000001".to_owned()],
        rune_offer_ids: vec![],
        vault: Some("vault".to_owned()),
    };
    let signed = session.signed(Action::CancelOffers(cancel.clone())).await.unwrap();
    let body = json!({"message": signed.message, "signature": signed.signature, "address": session.payment_address()});
    let message = verified(&body, "address");
    assert_eq!(message.action(), &Action::CancelOffers(cancel));
    assert_eq!((signed.nonce.as_str(), signed.issued_s), ("5f2c1d0e9b8a7766", 1_800_000_000));
}
