//! Tests of the bot check: the requests that it guards, when it demands a token, and the effect of a retry with one.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;

use actix_web::{App, HttpServer, web};
use devchain::EmbeddedChain;
use lienbook::config::settings::Settings;
use lienbook::config::turnstile_test_keys::{FAILS, PASSES, SPENT};
use reqwest::Method;
use serde_json::{Value, json};

use super::lender::TestUser;
use super::rig::{Answer, Rig};
use super::signed_requests::{create_ordinal, create_rune, edit_ordinal, edit_rune};

/// The token that the widget issues for every test site key.
const DUMMY_TOKEN: &str = "XXXX.DUMMY.TOKEN.XXXX";

/// A valid request that the check guards.
type Guarded = (Method, String, Value);

/// Configures a check with this secret that allows four creations an hour without a token.
fn check(settings: &mut Settings, secret: &str) {
    let file = settings.data.join("turnstile-secret");
    std::fs::write(&file, secret).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let turnstile = &mut settings.turnstile;
    (turnstile.site_key, turnstile.secret_file) = (Some("a-site-key".to_owned()), Some(file));
    (turnstile.unchecked_of_user, turnstile.failures_of_user, turnstile.window_s) = (4, 100, 3_600);
}

/// A lender who has made an offer of each kind, and two of the first: the next creation needs a token.
async fn busy_lender(rig: &Rig) -> (TestUser, Vec<Guarded>) {
    let lender = TestUser::sign_in(rig, 1).await;
    lender.fund(rig, 10_000_000).await;
    let manual = lender.quote(rig, "paper-frogs-7d", 500_000, 1).await.remove(0);
    lender.quote(rig, "paper-frogs-7d", 400_000, 1).await;
    let mut ids = Vec::new();
    for (path, body) in [create_ordinal(rig, &lender, 500_000).await, create_rune(rig, &lender, 200_000).await] {
        let created = lender.post(rig, &path, &body).await.ok();
        ids.push(created["offer"]["offerId"].as_str().unwrap().to_owned());
    }
    let mut guarded = vec![
        (
            Method::POST,
            "/api/v1/offers/manual".to_owned(),
            json!({"offers": [lender.item("paper-frogs-7d", 300_000, 1)]}),
        ),
        (Method::PATCH, format!("/api/v1/offers/manual/{manual}"), json!({"principal_amount": 510_000})),
    ];
    for (path, body) in [
        create_ordinal(rig, &lender, 510_000).await,
        create_rune(rig, &lender, 210_000).await,
        edit_ordinal(rig, &lender, &ids[0], 520_000).await,
        edit_rune(rig, &lender, &ids[1], 220_000).await,
    ] {
        guarded.push((Method::POST, path, body));
    }
    (lender, guarded)
}

async fn attempt(rig: &Rig, lender: &TestUser, key: usize, guarded: &Guarded, token: Option<&str>) -> Answer {
    let (method, path, body) = guarded;
    let mut body = body.clone();
    if let Some(token) = token {
        body["cf_turnstile_response"] = json!(token);
    }
    let request = rig.request(method.clone(), path).bearer_auth(&lender.token).json(&body);
    rig.send(request.header("idempotency-key", format!("key-{key}"))).await
}

#[actix_web::test]
async fn every_creation_and_edit_asks_for_a_token_and_the_same_signed_request_passes_with_one() {
    let rig = Rig::start_with(|settings| check(settings, PASSES)).await;
    let (lender, guarded) = busy_lender(&rig).await;
    for (key, request) in guarded.iter().enumerate() {
        let before = rig.events();
        for _ in 0..2 {
            let answer = attempt(&rig, &lender, key, request, None).await;
            answer.refused(403, "turnstile_required");
            let values = json!({"turnstile": "TURNSTILE_REQUIRED", "siteKey": "a-site-key", "action": "offer"});
            assert_eq!(answer.body["values"], values, "{}", request.1);
        }
        assert_eq!(rig.events(), before, "{}", request.1);
        // The same key, nonce and signature: a refused attempt has used none of them.
        let first = attempt(&rig, &lender, key, request, Some(DUMMY_TOKEN)).await.ok();
        let after = rig.events();
        assert!(after > before, "{}", request.1);
        // From here on the key stands for the completed request, with its token.
        assert_eq!(attempt(&rig, &lender, key, request, Some(DUMMY_TOKEN)).await.ok(), first, "{}", request.1);
        attempt(&rig, &lender, key, request, None).await.refused(409, "idempotency_mismatch");
        assert_eq!(rig.events(), after, "{}", request.1);
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_refused_token_changes_nothing_and_too_many_are_rate_limited() {
    for secret in [FAILS, SPENT] {
        let rig = Rig::start_with(|settings| {
            check(settings, secret);
            settings.turnstile.failures_of_user = 12;
        })
        .await;
        let (lender, guarded) = busy_lender(&rig).await;
        let before = rig.events();
        for round in 0..3 {
            for (key, request) in guarded.iter().enumerate() {
                let answer = attempt(&rig, &lender, key, request, Some(DUMMY_TOKEN)).await;
                if round < 2 {
                    answer.refused(403, "turnstile_bot_detection");
                    assert_eq!(answer.body["values"]["turnstile"], "TURNSTILE_BOT_DETECTION");
                } else {
                    answer.refused(429, "turnstile_rate_limited");
                    assert_eq!(answer.body["values"]["turnstile"], "TURNSTILE_RATE_LIMITED");
                    assert_eq!(answer.headers["retry-after"], "60");
                }
            }
        }
        assert_eq!(rig.events(), before, "{secret}");
        rig.server.stop().await;
    }
}

#[actix_web::test]
async fn without_an_answer_of_the_provider_requests_fail_and_no_failure_is_counted() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let rig = Rig::start_with(|settings| {
        check(settings, "a real secret");
        settings.turnstile.verify_url = Some(format!("http://{free}/siteverify"));
        settings.turnstile.failures_of_user = 1;
    })
    .await;
    let (lender, guarded) = busy_lender(&rig).await;
    let before = rig.events();
    for (key, request) in guarded.iter().enumerate() {
        let answer = attempt(&rig, &lender, key, request, Some("a token")).await;
        answer.refused(503, "turnstile_validation_failed");
        assert_eq!(answer.body["values"]["turnstile"], "TURNSTILE_VALIDATION_FAILED");
        assert!(!answer.body.to_string().contains("a real secret"));
    }
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

/// Tokens that were used before.
#[derive(Default)]
struct UsedTokens(Mutex<HashSet<String>>);

/// Answers like the provider: a token names the page that it was issued on, and is valid once.
async fn siteverify(shown: web::Data<UsedTokens>, question: web::Json<Value>) -> web::Json<Value> {
    let text = |field: &str| question[field].as_str().unwrap_or_default().to_owned();
    let token = text("response");
    let refused = |code: &str| web::Json(json!({"success": false, "error-codes": [code]}));
    if text("secret") != "a real secret" || text("remoteip") != "127.0.0.1" {
        return refused("invalid-input-secret");
    }
    let Some((host, action)) = token.split_once(' ') else { return refused("invalid-input-response") };
    if !shown.0.lock().unwrap().insert(token.clone()) {
        return refused("timeout-or-duplicate");
    }
    web::Json(json!({"success": true, "error-codes": [], "hostname": host, "action": action}))
}

#[actix_web::test]
async fn a_token_of_the_provider_is_valid_once_for_this_site_and_this_action() {
    let shown = web::Data::new(UsedTokens::default());
    let provider =
        HttpServer::new(move || App::new().app_data(shown.clone()).route("/siteverify", web::post().to(siteverify)));
    let provider = provider.workers(1).disable_signals().bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/siteverify", provider.addrs()[0]);
    let provider = provider.run();
    let handle = provider.handle();
    actix_web::rt::spawn(provider);
    let rig = Rig::start_with(|settings| {
        check(settings, "a real secret");
        settings.turnstile.verify_url = Some(url);
    })
    .await;
    let (lender, guarded) = busy_lender(&rig).await;
    let before = rig.events();
    for token in ["evil.example offer", "127.0.0.1 login", "forged", "127.0.0.1.evil.example offer"] {
        let answer = attempt(&rig, &lender, 0, &guarded[0], Some(token)).await;
        answer.refused(403, "turnstile_bot_detection");
    }
    assert_eq!(rig.events(), before);
    attempt(&rig, &lender, 0, &guarded[0], Some("127.0.0.1 offer")).await.ok();
    attempt(&rig, &lender, 1, &guarded[1], Some("127.0.0.1 offer")).await.refused(403, "turnstile_bot_detection");
    attempt(&rig, &lender, 1, &guarded[1], Some("localhost offer")).await.ok();
    rig.server.stop().await;
    handle.stop(false).await;
}

#[actix_web::test]
async fn requests_refused_for_other_reasons_use_no_token_and_no_allowance() {
    let rig = Rig::start_with(|settings| check(settings, PASSES)).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    for _ in 0..10 {
        let body = json!({"offers": [lender.item("paper-frogs-7d", 1, 1)]});
        lender.post(&rig, "/api/v1/offers/manual", &body).await.refused(422, "below_min_offer");
    }
    lender.quote(&rig, "paper-frogs-7d", 500_000, 1).await;
    rig.server.stop().await;
}

#[actix_web::test]
async fn pages_know_the_site_key_and_may_load_the_challenge_only_where_there_is_one() {
    let challenge = "https://challenges.cloudflare.com";
    for is_checked in [false, true] {
        let rig = Rig::start_with(|settings| {
            if is_checked {
                check(settings, PASSES);
            }
        })
        .await;
        let answer = rig.get("/api/v1/config").await;
        let policy = answer.headers["content-security-policy"].to_str().unwrap().to_owned();
        let expected = if is_checked { json!({"siteKey": "a-site-key", "action": "offer"}) } else { json!(null) };
        assert_eq!(answer.body["botCheck"], expected);
        let allowed: Vec<&str> = policy.split("; ").filter(|part| part.contains(challenge)).collect();
        if is_checked {
            let (script, frame) =
                (format!("script-src 'self' {challenge} 'wasm-unsafe-eval'"), format!("frame-src {challenge}"));
            assert_eq!(allowed, [script, frame], "{policy}");
        } else {
            assert!(allowed.is_empty() && !policy.contains("frame-src"), "{policy}");
        }
        rig.server.stop().await;
    }
}

/// Requests that take a loan are guarded like those that create an offer, with an allowance of their own.
#[actix_web::test]
async fn prepared_loans_ask_for_a_token_after_the_first_ones() {
    let rig = Rig::start_on_with(EmbeddedChain::new(1_800_000_000).unwrap(), |settings| {
        check(settings, PASSES);
        settings.turnstile.unchecked_loans_of_user = 2;
    })
    .await;
    let borrower = TestUser::sign_in(&rig, 1).await;
    let shown = borrower.wallet_fields();
    let fields = json!({
        "borrower_wallet": "test", "hardware_wallet": false,
        "borrower_payment_address": shown.payment_address, "borrower_payment_pubkey": shown.payment_public_key,
        "borrower_ordinal_address": shown.ordinals_address, "borrower_ordinal_pubkey": shown.ordinals_public_key,
    });
    let (mut manual, mut instant) = (fields.clone(), fields);
    (manual["offerId"], manual["feeRate"]) = (json!("of_10000000001"), json!(3));
    instant["fee_rate"] = json!(3);
    let instant_path = "/api/v1/offers/instant/ordinals/of_10000000001/prepare-accept".to_owned();
    let guarded: [Guarded; 2] =
        [(Method::POST, "/api/v1/loans/manual/prepare".to_owned(), manual), (Method::POST, instant_path, instant)];
    // The collection does not exist, which the market reports once the request passes the check.
    for (key, request) in guarded.iter().enumerate() {
        attempt(&rig, &borrower, key, request, None).await.refused(404, "unknown_collection");
    }
    for (key, request) in guarded.iter().enumerate() {
        let key = key + 10;
        attempt(&rig, &borrower, key, request, None).await.refused(403, "turnstile_required");
        attempt(&rig, &borrower, key, request, Some(DUMMY_TOKEN)).await.refused(404, "unknown_collection");
    }
    rig.server.stop().await;
}
