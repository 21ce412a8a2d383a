//! Tests of sign-in, renewal and sign-out, and of all their refusals.

use bitcoin::Network;
use escrow::action::Action;
use escrow::address::AddressKind;
use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{Answer, Rig};

const KINDS: [AddressKind; 3] = [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh];

#[actix_web::test]
async fn wallets_of_every_kind_sign_in_and_keep_their_account() {
    let rig = Rig::start().await;
    for kind in KINDS {
        let first = TestUser::sign_in_with(&rig, 1, kind).await;
        let again = TestUser::sign_in_with(&rig, 1, kind).await;
        assert_eq!(first.id, again.id, "{kind}");
        let shown = again.get(&rig, "/api/v1/session").await.ok();
        assert_eq!(shown["userId"], again.id.to_string());
        assert_eq!(shown["addresses"]["payment"]["address"], again.address());
        assert_eq!(shown["hardwareWallet"], false);
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_sign_in_is_refused_with_the_code_of_its_fault() {
    let rig = Rig::start().await;
    let (user, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let fresh = async || {
        let address = json!({"address": user.address()});
        rig.post("/api/v1/session/nonce", &address).await.ok()["data"].clone()
    };
    let signed = |data: &Value| user.sign(Action::SignIn(user.wallet_fields()), data);
    let altered = async |field: &str, value: Value| {
        let mut data = fresh().await;
        data[field] = value;
        data
    };
    let before = rig.events();
    let old_s = rig.app().now().seconds() - 700;
    let cases = [
        (altered("domain", json!("evil.example")).await, "message_wrong_domain"),
        (altered("network", json!(Network::Bitcoin.to_string())).await, "message_wrong_network"),
        (altered("nonce", json!("0".repeat(32))).await, "nonce_unknown"),
        (altered("nonce", json!("short")).await, "nonce_unknown"),
        (altered("issued", json!(old_s + 200)).await, "message_times"),
        (
            json!({"issued": old_s, "expires": old_s + 600, "nonce": "0".repeat(32),
            "domain": rig.app().public_url.domain(), "network": "regtest"}),
            "message_expired",
        ),
        (altered("expires", json!(rig.app().now().seconds() + 300)).await, "nonce_unknown"),
        (other.nonce(&rig).await, "nonce_unknown"),
    ];
    for (data, code) in cases {
        let body = user.sign_in_request(&signed(&data));
        rig.post("/api/v1/session", &body).await.refused(422, code);
    }
    let data = fresh().await;
    let foreign = other.wallet.sign_bip322(other.kind, &signed(&data).text).unwrap();
    for (field, value, codes) in [
        ("signature", json!("AAAA"), &["signature_malformed"][..]),
        ("signature", json!(""), &["signature_malformed"]),
        ("signature", json!(foreign), &["signature_wrong_key", "signature_invalid"]),
        ("message", json!("Lienbook: dance"), &["message_malformed"]),
        ("payment_pubkey", json!(other.wallet_fields().payment_public_key), &["public_key_mismatch"]),
        ("ordinal_pubkey", json!("zz"), &["public_key_malformed"]),
        ("ordinal_address", json!("nowhere"), &["address_malformed"]),
        ("payment_address", json!("bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l"), &["address_wrong_network"]),
    ] {
        let mut body = user.sign_in_request(&signed(&data));
        body[field] = value;
        let answer = rig.post("/api/v1/session", &body).await;
        assert_eq!(answer.status, 422, "{}", answer.body);
        assert!(codes.contains(&answer.code()), "{field}: {}", answer.body);
    }
    let cases = [
        (json!(null), "ordinals_signature_missing"),
        (json!(""), "signature_malformed"),
        (json!(other.wallet.sign_bip322(AddressKind::P2tr, &signed(&data).text).unwrap()), "signature_invalid"),
    ];
    for (second, code) in cases {
        let mut body = user.sign_in_request(&signed(&data));
        body["ordinal_signature"] = second;
        rig.post("/api/v1/session", &body).await.refused(422, code);
    }
    // Another user's valid message does not open a session for these addresses.
    let theirs = other.sign_in_body(&rig).await;
    let mut body = user.sign_in_request(&signed(&data));
    body["message"] = theirs["message"].clone();
    body["signature"] = theirs["signature"].clone();
    rig.post("/api/v1/session", &body).await.refused(422, "message_wrong_address");
    assert_eq!(rig.events(), before);

    let good = user.sign_in_request(&signed(&data));
    rig.post("/api/v1/session", &good).await.ok();
    rig.post("/api/v1/session", &good).await.refused(409, "nonce_used");
    let rig = rig.restart().await;
    // The port may be another one now, and with it the domain: either way the message is invalid.
    let replayed = rig.post("/api/v1/session", &good).await;
    assert!(["nonce_used", "message_wrong_domain"].contains(&replayed.code()), "{}", replayed.body);
    rig.server.stop().await;
}

#[actix_web::test]
async fn private_resources_need_a_valid_session() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let before = rig.events();
    let resources = [
        (Method::GET, "/api/v1/session"),
        (Method::GET, "/api/v1/sessions"),
        (Method::DELETE, "/api/v1/sessions/se_1"),
        (Method::POST, "/api/v1/account/nonce"),
        (Method::GET, "/api/v1/offers"),
        (Method::POST, "/api/v1/offers/pause"),
        (Method::POST, "/api/v1/offers/resume"),
        (Method::POST, "/api/v1/offers/manual"),
        (Method::PATCH, "/api/v1/offers/manual/of_10000000001"),
        (Method::POST, "/api/v1/offers/manual/cancel"),
        (Method::POST, "/api/v1/offers/instant/ordinals"),
        (Method::POST, "/api/v1/offers/instant/runes"),
        (Method::POST, "/api/v1/offers/instant/batch-edit"),
        (Method::POST, "/api/v1/offers/instant/batch-cancel"),
        (Method::POST, "/api/v1/offers/instant/accept-term"),
        (Method::POST, "/api/v1/offers/instant/ordinals/of_1/cancel"),
        (Method::GET, "/api/v1/vault"),
        (Method::POST, "/api/v1/feed/ticket"),
        (Method::GET, "/api/instant/ordinals/offers?collection_group_slug=paper-frogs"),
    ];
    let altered = format!("{}x", user.token);
    for (method, path) in resources {
        let request = || rig.request(method.clone(), path);
        let json = request().header("content-type", "application/json").body("{}");
        rig.send(json).await.refused(401, "unauthenticated");
        rig.send(request().basic_auth("a", Some("b"))).await.refused(401, "unauthenticated");
        rig.send(request().bearer_auth("garbage")).await.refused(401, "session_invalid");
        rig.send(request().bearer_auth(&altered)).await.refused(401, "session_invalid");
    }
    let refresh = user.cookie.split_once('=').unwrap().1;
    rig.send(rig.request(Method::GET, "/api/v1/session").bearer_auth(refresh)).await.refused(401, "session_invalid");
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn signing_out_ends_all_sessions_of_the_user_and_no_others() {
    let rig = Rig::start().await;
    let (one, two, other) =
        (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let answer = one.send(&rig, Method::DELETE, "/api/v1/session", None).await;
    assert_eq!(answer.status, 204);
    assert!(answer.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    for ended in [&one, &two] {
        ended.get(&rig, "/api/v1/session").await.refused(401, "session_ended");
        let renewal = rig.request(Method::POST, "/api/v1/session/refresh").header("cookie", &ended.cookie);
        rig.send(renewal).await.refused(401, "session_ended");
    }
    other.get(&rig, "/api/v1/session").await.ok();
    let rig = rig.restart().await;
    one.get(&rig, "/api/v1/session").await.refused(401, "session_ended");
    other.get(&rig, "/api/v1/session").await.ok();
    TestUser::sign_in(&rig, 1).await.get(&rig, "/api/v1/session").await.ok();
    rig.server.stop().await;
}

/// The cookie of a response, as a client sends it back.
fn cookie_of(answer: &Answer) -> String {
    answer.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

async fn renew(rig: &Rig, cookie: &str) -> Answer {
    rig.send(rig.request(Method::POST, "/api/v1/session/refresh").header("cookie", cookie)).await
}

#[actix_web::test]
async fn a_cookie_has_one_successor_and_a_copied_one_ends_all_sessions() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let renewed = renew(&rig, &user.cookie).await;
    let cookie = renewed.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("Secure"));
    let cookie = cookie_of(&renewed);
    assert_ne!(cookie, user.cookie);
    let token = renewed.ok()["jwt"].as_str().unwrap().to_owned();
    rig.send(rig.request(Method::GET, "/api/v1/session").bearer_auth(&token)).await.ok();
    // Another tab sent the same cookie at the same moment: both continue with one chain, also after a restart.
    let rig = rig.restart().await;
    let again = renew(&rig, &user.cookie).await;
    assert_eq!(cookie_of(&again), cookie);
    again.ok();
    let next = cookie_of(&renew(&rig, &cookie).await);
    assert_ne!(next, cookie);
    // A cookie two renewals old is a copy.
    let reused = renew(&rig, &user.cookie).await;
    reused.refused(401, "refresh_reused");
    let cleared = reused.headers["set-cookie"].to_str().unwrap();
    assert!(cleared.starts_with("lienbook_refresh=;") && cleared.contains("Max-Age=0"), "{cleared}");
    for ended in [&cookie, &next] {
        renew(&rig, ended).await.refused(401, "session_ended");
    }
    rig.send(rig.request(Method::GET, "/api/v1/session").bearer_auth(&token)).await.refused(401, "session_ended");
    rig.send(rig.request(Method::POST, "/api/v1/session/refresh")).await.refused(401, "unauthenticated");
    renew(&rig, "lienbook_refresh=garbage").await.refused(401, "session_invalid");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_user_sees_their_sessions_and_ends_one_of_them() {
    let rig = Rig::start().await;
    let (one, two, other) =
        (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let body = one.sign_in_body(&rig).await;
    let with_agent =
        rig.request(Method::POST, "/api/v1/session").json(&body).header("user-agent", "Firefox on a phone");
    rig.send(with_agent).await.ok();
    let listed = one.get(&rig, "/api/v1/sessions").await.ok();
    let sessions = listed["sessions"].as_array().unwrap();
    let current: Vec<bool> = sessions.iter().map(|session| session["isCurrent"].as_bool().unwrap()).collect();
    assert_eq!(current, [true, false, false]);
    assert_eq!(sessions[2]["agent"], "Firefox on a phone");
    for session in sessions {
        assert!(session["openedAt"].as_u64() <= session["usedAt"].as_u64());
        assert!(session["usedAt"].as_u64() < session["endsAt"].as_u64());
    }
    let path = |session: &Value| format!("/api/v1/sessions/{}", session["sessionId"].as_str().unwrap());
    // A session of another user is not ended, and the response is that for an unknown one.
    other.send(&rig, Method::DELETE, &path(&sessions[1]), None).await.refused(404, "unknown_session");
    one.send(&rig, Method::DELETE, "/api/v1/sessions/se_ffff", None).await.refused(404, "unknown_session");
    one.send(&rig, Method::DELETE, "/api/v1/sessions/x", None).await.refused(404, "unknown_session");
    assert_eq!(one.send(&rig, Method::DELETE, &path(&sessions[1]), None).await.status, 204);
    two.get(&rig, "/api/v1/session").await.refused(401, "session_ended");
    renew(&rig, &two.cookie).await.refused(401, "session_ended");
    let rig = rig.restart().await;
    two.get(&rig, "/api/v1/session").await.refused(401, "session_ended");
    let left = one.get(&rig, "/api/v1/sessions").await.ok();
    assert_eq!(left["sessions"].as_array().unwrap().len(), 2);
    other.get(&rig, "/api/v1/session").await.ok();
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_cookie_alone_signs_out_when_the_token_has_expired() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let request = rig.request(Method::DELETE, "/api/v1/session").header("cookie", &user.cookie);
    assert_eq!(rig.send(request).await.status, 204);
    user.get(&rig, "/api/v1/session").await.refused(401, "session_ended");
    rig.server.stop().await;
}

#[actix_web::test]
async fn pages_of_other_origins_cannot_write() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let before = rig.events();
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        let renewal = rig.request(Method::POST, "/api/v1/session/refresh").header("cookie", &user.cookie);
        let answer = rig.send(renewal.header("origin", origin)).await;
        answer.refused(403, "origin_not_allowed");
        assert!(answer.body["requestId"].is_string());
        let out = rig.request(Method::DELETE, "/api/v1/session").bearer_auth(&user.token);
        rig.send(out.header("origin", origin)).await.refused(403, "origin_not_allowed");
    }
    let cross = rig.request(Method::DELETE, "/api/v1/session").header("cookie", &user.cookie);
    rig.send(cross.header("sec-fetch-site", "cross-site")).await.refused(403, "origin_not_allowed");
    assert_eq!(rig.events(), before);
    let own = rig.request(Method::POST, "/api/v1/session/refresh").header("cookie", &user.cookie);
    rig.send(own.header("origin", &rig.base)).await.ok();
    rig.server.stop().await;
}

#[actix_web::test]
async fn sign_ins_of_one_address_are_rate_limited() {
    let rig = Rig::start_with(|settings| settings.quotas.sign_ins_per_minute = 5).await;
    let body = json!({"address": "bcrt1q72xweewm4uvlkgzevmewy0dk3mmpymgrn6d2h0"});
    for _ in 0..5 {
        rig.post("/api/v1/session/nonce", &body).await.ok();
    }
    let answer = rig.post("/api/v1/session/nonce", &body).await;
    answer.refused(429, "rate_limited");
    assert!(answer.headers.contains_key("retry-after"));
    rig.server.stop().await;
}

/// Every renewal is written to the journal.
#[actix_web::test]
async fn renewals_of_one_user_are_rate_limited_across_addresses() {
    let rig = Rig::start_with(|settings| settings.quotas.sign_ins_per_minute = 12).await;
    let user = TestUser::sign_in(&rig, 1).await;
    let mut cookie = user.cookie.clone();
    for _ in 0..3 {
        let renewed = renew(&rig, &cookie).await;
        assert!(renewed.status.is_success(), "{}", renewed.body);
        cookie = cookie_of(&renewed);
    }
    renew(&rig, &cookie).await.refused(429, "rate_limited");
    let other = TestUser::sign_in(&rig, 2).await;
    assert!(renew(&rig, &other.cookie).await.status.is_success());
    rig.server.stop().await;
}
