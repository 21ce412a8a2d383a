//! Tests with hostile input: every response has a code of the table, and the journal is unchanged.

use lienbook::http::error_code::ErrorCode;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{Answer, Rig};

/// Values that are invalid in every field.
fn odd_values() -> Vec<Value> {
    let mut odd = vec![
        json!(null),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!([]),
        json!([[]]),
        json!({}),
        json!({"$ne": 1}),
        json!("\u{0}"),
        json!("'; DROP TABLE offers; --"),
        json!("x".repeat(10_000)),
        json!("\u{202e}\u{1f0a1}"),
        json!(""),
    ];
    odd.push(serde_json::from_str("18446744073709551616").unwrap());
    odd
}

#[track_caller]
fn assert_refused(answer: &Answer, what: &str) {
    let code = ErrorCode::ALL.iter().find(|code| code.code() == answer.code());
    let code = code.unwrap_or_else(|| panic!("{what}: {} {} is no code of the table", answer.status, answer.body));
    assert_eq!(answer.status.as_u16(), code.status(), "{what}");
    assert!(answer.status.is_client_error(), "{what}: {}", answer.body);
    assert_eq!(answer.headers["content-type"], "application/problem+json", "{what}");
    assert!(answer.body["requestId"].is_string(), "{what}");
}

/// Requests with bodies of the right shape, so that one odd value is the reason for the refusal.
fn writes(lender: &TestUser) -> Vec<(Method, &'static str, Value)> {
    let signed = json!({"signature": "AAAA", "signature_timestamp": 1, "message": "Lienbook: dance"});
    let instant = json!({"collection_slug": "paper-frogs-7d", "principal_amount_sats": 1, "ltv_max": 1,
        "signature": "AAAA", "signature_timestamp": 1, "vault_address": "v", "accept_next_term": true, "message": "m"});
    let mut rune = instant.clone();
    rune["fungible_amount"] = json!("1");
    let envelope = json!({"userAddress": lender.address(), "publicKey": lender.wallet_fields().payment_public_key,
        "signature": "AAAA", "signatureTimestamp": 1, "nonce": "n", "canisterId": "c", "message": "m"});
    let mut edit = envelope.clone();
    edit["offerType"] = json!("inscription");
    edit["vaultAddress"] = json!("v");
    edit["editOrdinalOffer"] = json!({"deleteOfferExternalId": "of_1", "newOffer": {"childCollectionSlug": "s",
        "principalAmountSats": 1, "ltvMax": 1, "acceptNextTerm": true}});
    let mut cancel = envelope;
    cancel["ordinalOfferIds"] = json!(["of_1"]);
    cancel["runeOfferIds"] = json!([]);
    let unknown = lender.item("no-such-place", 500_000, 1);
    vec![
        (Method::POST, "/api/v1/session/nonce", json!({"address": "nowhere"})),
        (Method::POST, "/api/v1/account/nonce", json!({"address": "nowhere"})),
        (
            Method::POST,
            "/api/v1/session",
            json!({"message": "m", "signature": "s", "wallet": "w",
            "hardware_wallet": false, "payment_address": "a", "payment_pubkey": "b", "ordinal_address": "c",
            "ordinal_pubkey": "d"}),
        ),
        (Method::POST, "/api/v1/offers/manual", json!({"offers": [unknown]})),
        (Method::PATCH, "/api/v1/offers/manual/of_10000000001", json!({"principal_amount": 1})),
        (Method::POST, "/api/v1/offers/instant/ordinals", instant),
        (Method::POST, "/api/v1/offers/instant/runes", rune),
        (Method::POST, "/api/v1/offers/instant/batch-edit", edit),
        (Method::POST, "/api/v1/offers/instant/batch-cancel", cancel),
        (Method::POST, "/api/v1/offers/instant/ordinals/of_1/cancel", signed),
        (Method::POST, "/api/v1/offers/instant/accept-term", json!({"term_id": "t", "instant_offer_id": "o"})),
    ]
}

/// Every place in a body, as a JSON pointer.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, child)| (name.clone(), child)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, child)| (index.to_string(), child)).collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let place = format!("{at}/{name}");
        paths(child, &place, found);
        found.push(place);
    }
}

#[actix_web::test]
async fn odd_values_in_every_field_of_every_write_change_nothing() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let before = rig.events();
    let mut sent = 0;
    for (method, path, body) in writes(&lender) {
        let answer = lender.send(&rig, method.clone(), path, Some(&body)).await;
        assert_refused(&answer, &format!("{method} {path} {body}"));
        let mut found = Vec::new();
        paths(&body, "", &mut found);
        for place in found {
            for odd in odd_values() {
                let mut changed = body.clone();
                *changed.pointer_mut(&place).unwrap() = odd.clone();
                let answer = lender.send(&rig, method.clone(), path, Some(&changed)).await;
                let shown: String = odd.to_string().chars().take(40).collect();
                assert_refused(&answer, &format!("{method} {path} with {shown} at {place}"));
                sent += 1;
            }
        }
        for extra in ["unexpected", "__proto__"] {
            let mut changed = body.clone();
            changed[extra] = json!(1);
            let answer = lender.send(&rig, method.clone(), path, Some(&changed)).await;
            answer.refused(422, "invalid_body");
        }
    }
    assert!(sent > 800, "only {sent} requests were sent");
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn bodies_that_are_not_json_too_large_or_undeclared_are_refused() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let before = rig.events();
    for (method, path, _) in writes(&lender) {
        let send = async |body: Vec<u8>, kind: &str| {
            let request = rig.request(method.clone(), path).bearer_auth(&lender.token).header("content-type", kind);
            rig.send(request.body(body)).await
        };
        for garbage in [&b""[..], b"{", b"\xff\xfe\x00", b"<xml/>", b"a=b&c=d"] {
            let answer = send(garbage.to_vec(), "application/json").await;
            answer.refused(400, "malformed_json");
        }
        let deep = [b"[".repeat(30_000), b"{\"a\":".repeat(10_000)];
        for body in deep {
            assert_refused(&send(body, "application/json").await, path);
        }
        let large = format!("{{\"address\":\"{}\"}}", "x".repeat(70_000));
        send(large.into_bytes(), "application/json; charset=utf-8").await.refused(413, "payload_too_large");
        for kind in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"]
        {
            send(b"{}".to_vec(), kind).await.refused(415, "unsupported_media_type");
        }
    }
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_body_with_a_wrong_encoding_is_refused() {
    let rig = Rig::start().await;
    let request = rig.request(Method::POST, "/api/v1/session/nonce").header("content-encoding", "gzip");
    let answer = rig.send(request.header("content-type", "application/json").body(r#"{"address":"x"}"#)).await;
    answer.refused(400, "malformed_json");
    assert!(answer.body["detail"].as_str().unwrap().contains("Content-Encoding"), "{}", answer.body);
    rig.server.stop().await;
}

#[actix_web::test]
async fn lists_of_ids_are_bounded_and_unknown_ids_are_reported() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let before = rig.events();
    let many: Vec<_> = (0..101).map(|number| format!("of_1000000{number:04x}")).collect();
    let odd_ids = ["", "of_", "of_FFFF", "of_-1", "of_10000000000000000", "of_ffffffffffffffff", "us_1", "\u{0}"];
    for path in ["/api/v1/offers/pause", "/api/v1/offers/resume", "/api/v1/offers/manual/cancel"] {
        for ids in [json!([]), json!(many), json!(["of_1", format!("of_{}", "1".repeat(30))])] {
            lender.post(&rig, path, &json!({"offerIds": ids})).await.refused(422, "invalid_field");
        }
        let results = lender.post(&rig, path, &json!({"offerIds": odd_ids})).await.ok();
        for (result, id) in results["results"].as_array().unwrap().iter().zip(odd_ids) {
            assert_eq!((&result["offerId"], &result["error"]["code"]), (&json!(id), &json!("unknown_offer")));
        }
    }
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn raw_garbage_on_the_wire_does_not_disturb_others() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let rig = Rig::start().await;
    let before = rig.events();
    let huge_head = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(200_000));
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"POST /api/v1/session HTTP/1.1\r\ncontent-length: -5\r\n\r\n",
        b"POST /api/v1/session HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /api/v1/feed HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
        huge_head.as_bytes(),
    ] {
        let mut stream = tokio::net::TcpStream::connect(rig.server.address).await.unwrap();
        // The server may hang up early, which is an answer too.
        let _ = stream.write_all(garbage).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let line = String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned();
        assert!(line.is_empty() || line.contains(" 4"), "{line}");
    }
    assert_eq!(rig.get("/health/ready").await.status, StatusCode::OK);
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}
