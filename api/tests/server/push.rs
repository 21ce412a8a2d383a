//! Tests of Web Push over real sockets: encryption, tokens, repetitions, forgotten subscriptions, and refused addresses.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use lienbook::config::delivery_settings::DeliverySetup;
use lienbook::config::settings::Settings;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::lender::TestUser;
use super::message_servers::{FAST_DELIVERY, wait_until, wait_until_async};
use super::push_service::{Browser, PushService};
use super::rig::{Rig, settings};
use super::test_loans::TestLoan;

const BROWSERS: &str = "/api/v1/me/push-subscriptions";
const ALL: [&str; 3] = ["offer_accepted", "counter_signature_needed", "loan_started"];

async fn serve_with(folder: TempDir, change: impl FnOnce(&mut Settings)) -> Rig {
    let public_url = Some("https://lienbook.example".parse().unwrap());
    let mut settings = Settings { webhook_loopback: true, public_url, ..settings(&folder) };
    change(&mut settings);
    let delivery = DeliverySetup { timing: FAST_DELIVERY, ..DeliverySetup::default() };
    Rig::start_with_delivery(folder, settings, delivery).await
}

async fn start() -> Rig {
    serve_with(tempfile::tempdir().unwrap(), |_| {}).await
}

async fn restarted(rig: Rig) -> Rig {
    let Rig { server, folder, .. } = rig;
    server.stop().await;
    serve_with(folder, |_| {}).await
}

async fn subscribe(rig: &Rig, user: &TestUser, browser: &Browser, kinds: &[&str]) -> String {
    let created = user.post(rig, BROWSERS, &browser.subscription(kinds)).await;
    assert_eq!(created.status.as_u16(), 201, "{}", created.body);
    created.body["pushId"].as_str().unwrap().to_owned()
}

async fn subscriptions(rig: &Rig, user: &TestUser) -> Vec<Value> {
    user.get(rig, BROWSERS).await.ok()["subscriptions"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn notices_arrive_encrypted_for_one_browser_under_a_token_of_this_server() {
    let service = PushService::start(|_| 201).await;
    let rig = start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let (browser, muted) = (service.browser("one?a=b"), service.browser("muted"));
    subscribe(&rig, &lender, &browser, &ALL).await;
    subscribe(&rig, &lender, &muted, &[]).await;
    let mine = lender.get(&rig, BROWSERS).await.ok();
    let public_key = mine["publicKey"].as_str().unwrap().to_owned();
    TestLoan::running(&rig, &lender, &borrower).await;
    let pushed = service.pushed_when(3).await;
    let now_s = rig.app().now().seconds();
    let (mut ids, mut topics) = (BTreeSet::new(), BTreeSet::new());
    for message in &pushed {
        assert_eq!(message.path(), "/one?a=b", "no kind is chosen for the other");
        let claims = message.claims(&public_key);
        assert_eq!(
            (claims["aud"].as_str(), &claims["sub"]),
            (Some(service.origin()), &json!("https://lienbook.example"))
        );
        let expires_s = claims["exp"].as_u64().unwrap();
        assert!((now_s + 60..=now_s + 86_400).contains(&expires_s), "{claims}");
        assert_eq!(message.header("content-encoding"), "aes128gcm");
        let text = browser.read(message).unwrap();
        assert!(muted.read(message).is_none(), "it is encrypted for one browser");
        let (id, title, body) = (text["id"].to_string(), text["title"].to_string(), text["body"].to_string());
        let is_urgent = id.contains("counter_signature_needed");
        assert_eq!(message.header("urgency"), if is_urgent { "high" } else { "normal" });
        let ttl_h: u64 = message.header("ttl").parse::<u64>().unwrap().div_ceil(3_600);
        assert_eq!(ttl_h, if is_urgent { 12 } else { 72 });
        for hidden in ["BTC", "bcrt1"].iter().chain(&super::test_loans::SECRETS) {
            assert!(!title.contains(hidden) && !body.contains(hidden), "{text}");
        }
        assert!(
            text["url"].as_str().unwrap().starts_with("https://lienbook.example/portfolio?tab=loans&loan="),
            "{text}"
        );
        assert_eq!(message.body().len(), pushed[0].body().len(), "its length says nothing");
        topics.insert(message.header("topic").to_owned());
        ids.insert(text["id"].as_str().unwrap().to_owned());
    }
    let notices = lender.get(&rig, "/api/v1/me/notices").await.ok();
    let known: BTreeSet<String> =
        notices["data"].as_array().unwrap().iter().map(|notice| notice["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!((ids, topics.len()), (known, 3));

    // Browsers bind their subscriptions to the key, so it stays.
    let rig = restarted(rig).await;
    assert_eq!(lender.get(&rig, BROWSERS).await.ok(), mine);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_subscription_that_its_push_service_has_forgotten_is_removed() {
    let service = PushService::start(|message| if message.path() == "/gone" { 410 } else { 404 }).await;
    let rig = start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    for path in ["gone", "unknown"] {
        subscribe(&rig, &lender, &service.browser(path), &ALL).await;
    }
    TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await;
    wait_until_async(async || subscriptions(&rig, &lender).await.is_empty()).await;
    wait_until(|| rig.app().market.waiting_messages() == 0).await;
    assert!(service.pushed().iter().all(|message| ["/gone", "/unknown"].contains(&message.path())));
    assert_eq!(service.pushed().len(), 2, "once for each");
    let rig = restarted(rig).await;
    assert!(subscriptions(&rig, &lender).await.is_empty());
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_push_service_that_is_busy_or_ill_is_asked_again_and_one_that_refuses_is_not() {
    let busy = AtomicUsize::new(0);
    let service = PushService::start(move |message| match message.path() {
        "/busy" => [429, 500, 201][busy.fetch_add(1, Ordering::SeqCst).min(2)],
        _ => 403,
    })
    .await;
    let rig = start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let (patient, refused) = (service.browser("busy"), service.browser("refused"));
    for browser in [&patient, &refused] {
        subscribe(&rig, &lender, browser, &["counter_signature_needed"]).await;
    }
    TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await;
    let pushed = service.pushed_when(4).await;
    wait_until(|| rig.app().market.waiting_messages() == 0).await;
    assert_eq!(service.pushed().len(), 4);
    let (repeated, once): (Vec<_>, Vec<_>) = pushed.iter().partition(|message| message.path() == "/busy");
    assert_eq!((repeated.len(), once.len()), (3, 1));
    for message in &repeated {
        assert_eq!(message.header("topic"), repeated[0].header("topic"), "it replaces itself");
        assert_eq!(patient.read(message), patient.read(repeated[0]));
    }
    assert_ne!(repeated[0].header("topic"), once[0].header("topic"));
    assert!(repeated[0].body() != repeated[1].body(), "each is encrypted anew");
    assert_eq!(
        subscriptions(&rig, &lender).await.len(),
        2,
        "a refusal may be for the key, which the operator restores"
    );
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_browser_is_its_users_alone_and_its_address_and_keys_are_checked() {
    let service = PushService::start(|_| 201).await;
    let rig = start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let browser = service.browser("one");
    let id = subscribe(&rig, &lender, &browser, &["repaid", "webhook_paused"]).await;
    assert_eq!(subscribe(&rig, &lender, &browser, &ALL).await, id, "one browser, one subscription");
    assert_eq!(subscriptions(&rig, &lender).await[0]["kinds"], json!(["repaid"]));
    let one = format!("{BROWSERS}/{id}");
    let chosen = json!({"kinds": ["overdue"]});
    other.send(&rig, Method::PUT, &one, Some(&chosen)).await.refused(404, "unknown_browser");
    other.send(&rig, Method::DELETE, &one, None).await.refused(404, "unknown_browser");
    assert!(subscriptions(&rig, &other).await.is_empty());
    let changed = lender.send(&rig, Method::PUT, &one, Some(&chosen)).await.ok();
    assert_eq!((&changed["kinds"], &changed["endpoint"]), (&json!(["overdue"]), &json!(browser.endpoint)));

    for (field, value, reason) in [
        ("endpoint", "http://push.example.org/", "not_https"),
        ("endpoint", "https://10.0.0.1/", "address_refused"),
        ("endpoint", "https://[::ffff:169.254.169.254]/", "address_refused"),
        ("endpoint", "https://user:secret@push.example.org/", "foreign_part"),
        ("endpoint", "push", "malformed"),
        ("p256dh", &"A".repeat(87), "p256dh"),
        ("auth", "short", "auth"),
    ] {
        let mut body = browser.subscription(&[]);
        body[field] = json!(value);
        let refused = lender.post(&rig, BROWSERS, &body).await;
        refused.refused(422, "push_subscription");
        assert_eq!(refused.body["values"]["reason"], reason, "{value}: {}", refused.body);
    }
    for place in 1..10 {
        subscribe(&rig, &lender, &service.browser(&place.to_string()), &[]).await;
    }
    let another = service.browser("another").subscription(&[]);
    lender.post(&rig, BROWSERS, &another).await.refused(409, "too_many_browsers");
    assert_eq!(lender.send(&rig, Method::DELETE, &one, None).await.status.as_u16(), 204);
    lender.send(&rig, Method::DELETE, &one, None).await.refused(404, "unknown_browser");
    assert_eq!(lender.post(&rig, BROWSERS, &another).await.status.as_u16(), 201);
    let Rig { server, folder, .. } = rig;
    server.stop().await;

    let rig = serve_with(folder, |settings| settings.push = false).await;
    let mine = lender.get(&rig, BROWSERS).await.ok();
    assert_eq!((&mine["isAvailable"], &mine["publicKey"]), (&json!(false), &json!(null)));
    lender.post(&rig, BROWSERS, &another).await.refused(404, "not_found");
    assert!(service.pushed().is_empty());
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_service_worker_is_asked_for_anew_each_time_and_may_control_every_page() {
    let rig = start().await;
    for (path, kind) in [("/sw.js", "javascript"), ("/app.webmanifest", "application/manifest+json")] {
        let response = rig.request(Method::GET, path).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
        let header =
            |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert!(header("content-type").contains(kind), "{path}");
        assert_eq!(header("cache-control"), "no-cache", "{path}");
        assert_eq!(header("service-worker-allowed"), if path == "/sw.js" { "/" } else { "" });
        for rule in ["worker-src 'self'", "manifest-src 'self'"] {
            assert!(header("content-security-policy").contains(rule), "{path}");
        }
    }
    rig.server.stop().await;
}
