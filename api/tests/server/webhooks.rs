//! Tests of webhooks over real sockets: signatures, order, repetitions, replay, pauses, and refused addresses.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::{ContactChannel, Event, LoanEvent, Outbox, OutboxEvent, Stream, WebhookId};
use engine::journal::{Append, Batch, Journal as _};
use lienbook::config::delivery_settings::DeliverySetup;
use lienbook::config::delivery_timing::{DeliveryTiming, WEBHOOK_RETRIES};
use lienbook::config::settings::Settings;
use persistence::{Options, SledJournal};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::lender::TestUser;
use super::message_servers::{FAST_DELIVERY, wait_until, wait_until_async};
use super::rig::{Rig, settings};
use super::test_loans::TestLoan;
use super::webhook_receiver::{Received, WebhookReceiver};

const WEBHOOKS: &str = "/api/v1/me/webhooks";

async fn serve(folder: TempDir) -> Rig {
    serve_with(folder, |_| {}).await
}

async fn serve_with(folder: TempDir, change: impl FnOnce(&mut Settings)) -> Rig {
    serve_within(folder, FAST_DELIVERY, change).await
}

async fn serve_within(folder: TempDir, timing: DeliveryTiming, change: impl FnOnce(&mut Settings)) -> Rig {
    let public_url = Some("https://lienbook.example".parse().unwrap());
    let mut settings = Settings { webhook_loopback: true, public_url, ..settings(&folder) };
    change(&mut settings);
    let delivery = DeliverySetup { timing, ..DeliverySetup::default() };
    Rig::start_with_delivery(folder, settings, delivery).await
}

async fn start() -> Rig {
    serve(tempfile::tempdir().unwrap()).await
}

/// A user's webhook with its secret.
struct Hook {
    id: String,
    secret: String,
}

impl Hook {
    async fn register(rig: &Rig, user: &TestUser, url: &str) -> Self {
        let kinds: Vec<Value> =
            user.get(rig, "/api/v1/me/notifications").await.ok()["choices"].as_array().unwrap().clone();
        let kinds: Vec<&Value> = kinds.iter().map(|choice| &choice["kind"]).collect();
        let created = user.post(rig, WEBHOOKS, &json!({"url": url, "kinds": kinds})).await;
        assert_eq!(created.status.as_u16(), 201, "{}", created.body);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self { id: text(&created.body["webhook"]["webhookId"]), secret: text(&created.body["secret"]) }
    }

    fn at(&self, part: &str) -> String {
        format!("{WEBHOOKS}/{}{part}", self.id)
    }

    async fn deliveries(&self, rig: &Rig, user: &TestUser) -> Vec<Value> {
        user.get(rig, &self.at("/deliveries")).await.ok()["deliveries"].as_array().unwrap().clone()
    }

    async fn until_settled(&self, rig: &Rig, user: &TestUser) -> Vec<Value> {
        let is_open = |delivery: &Value| ["waiting", "in_flight"].contains(&delivery["state"].as_str().unwrap());
        wait_until_async(async || !self.deliveries(rig, user).await.iter().any(is_open)).await;
        self.deliveries(rig, user).await
    }

    async fn view(&self, rig: &Rig, user: &TestUser) -> Value {
        let mine = user.get(rig, WEBHOOKS).await.ok()["webhooks"].as_array().unwrap().clone();
        mine.into_iter().find(|hook| hook["webhookId"] == self.id.as_str()).unwrap()
    }
}

#[actix_web::test]
async fn events_arrive_signed_and_the_secret_is_shown_once_and_replaced_with_an_overlap() {
    let receiver = WebhookReceiver::accepting().await;
    let rig = start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let hook = Hook::register(&rig, &lender, &receiver.url).await;
    let loan = TestLoan::running(&rig, &lender, &borrower).await.id;
    let received = receiver.received_when(3).await;
    let kinds: BTreeSet<String> = received.iter().map(Received::kind).collect();
    assert_eq!(kinds, ["offer_accepted", "counter_signature_needed", "loan_started"].map(str::to_owned).into());
    let now_s = rig.app().now().seconds();
    for request in &received {
        assert!(request.is_signed_by(&hook.secret) && request.timestamp_s.abs_diff(now_s) < 60, "{request:?}");
        let body = request.json();
        assert_eq!((&body["data"]["id"], &body["data"]["role"]), (&json!(request.id), &json!("lender")));
        assert_eq!(body["data"]["loanId"], json!(loan.to_string()));
        assert!(!super::test_loans::SECRETS.iter().any(|secret| request.body.contains(secret)));
    }
    let notices = lender.get(&rig, "/api/v1/me/notices").await.ok();
    let ids: BTreeSet<&str> =
        notices["data"].as_array().unwrap().iter().map(|notice| notice["id"].as_str().unwrap()).collect();
    assert_eq!(ids, received.iter().map(|request| request.id.as_str()).collect(), "the same ids as in the app");

    // The secret is in no other answer, and the journal has none to show.
    let shown = lender.get(&rig, WEBHOOKS).await.ok().to_string();
    assert!(!shown.contains(&hook.secret) && !shown.contains("whsec_"), "{shown}");
    let rotated = lender.send(&rig, Method::POST, &hook.at("/secret"), None).await.ok();
    let second = rotated["secret"].as_str().unwrap().to_owned();
    assert!(second != hook.secret && rotated["webhook"]["previousSecretUntil"].is_u64(), "{rotated}");
    let rig = {
        let Rig { server, folder, .. } = rig;
        server.stop().await;
        serve(folder).await
    };
    assert_eq!(lender.send(&rig, Method::POST, &hook.at("/test"), None).await.status.as_u16(), 202);
    let test = receiver.received_when(4).await.pop().unwrap();
    assert_eq!((test.kind().as_str(), test.signatures.len()), ("test", 2));
    assert!(test.is_signed_by(&hook.secret) && test.is_signed_by(&second), "the same after a restart");
    assert!(!received[0].is_signed_by(&second), "it was signed before");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_failing_event_is_repeated_with_its_id_and_later_ones_of_its_loan_wait() {
    let is_mended = Arc::new(AtomicBool::new(false));
    let (mended, failures) = (Arc::clone(&is_mended), AtomicUsize::new(0));
    let receiver = WebhookReceiver::start(move |request| {
        if request.kind() != "counter_signature_needed" || mended.load(Ordering::SeqCst) {
            return (200, String::new());
        }
        // Once by its status, then by a lost answer.
        let is_first = failures.fetch_add(1, Ordering::SeqCst) == 0;
        if is_first { (500, "<script>alert(1)</script>".to_owned()) } else { (0, String::new()) }
    })
    .await;
    // Two quick attempts, and time for the checks before the last of the others.
    let mut webhook_retry_delays = [Duration::from_secs(2); WEBHOOK_RETRIES];
    webhook_retry_delays[0] = Duration::from_millis(50);
    let timing = DeliveryTiming { webhook_retry_delays, ..FAST_DELIVERY };
    let rig = serve_within(tempfile::tempdir().unwrap(), timing, |_| {}).await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let hook = Hook::register(&rig, &lender, &receiver.url).await;
    TestLoan::running(&rig, &lender, &borrower).await;
    let first = receiver.received_when(3).await;
    assert_eq!(first[0].kind(), "offer_accepted");
    let (one, two) = (&first[1], &first[2]);
    let again = ("counter_signature_needed", &two.id, &two.body);
    assert_eq!((one.kind().as_str(), &one.id, &one.body), again, "the same each time");
    lender.send(&rig, Method::POST, &hook.at("/test"), None).await.ok();
    wait_until_async(async || receiver.received().iter().any(|request| request.kind() == "test")).await;
    let of_kind =
        async |kind: &str| hook.deliveries(&rig, &lender).await.into_iter().find(|delivery| delivery["kind"] == kind);
    wait_until_async(async || of_kind("loan_started").await.is_some()).await;
    assert_eq!(of_kind("loan_started").await.unwrap()["attempts"], 0, "it waits for the earlier event of its loan");
    is_mended.store(true, Ordering::SeqCst);
    let settled = hook.until_settled(&rig, &lender).await;
    assert!(settled.iter().all(|delivery| delivery["state"] == "delivered"), "{settled:?}");
    let kinds: Vec<String> = receiver.received().iter().map(Received::kind).filter(|kind| kind != "test").collect();
    let mut in_order = kinds.clone();
    in_order.dedup();
    assert_eq!(in_order, ["offer_accepted", "counter_signature_needed", "loan_started"], "{kinds:?}");
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_event_whose_delivery_was_not_recorded_arrives_again_with_the_same_id() {
    let receiver = WebhookReceiver::accepting().await;
    let rig = start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let hook = Hook::register(&rig, &lender, &receiver.url).await;
    TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await;
    let before = receiver.received_when(2).await;
    hook.until_settled(&rig, &lender).await;
    // As if the process had died between the answer and its record: the journal ends with the handover.
    let Rig { server, folder, .. } = rig;
    let at = server.app().now();
    server.stop().await;
    let journal = SledJournal::open(folder.path(), Options::default()).unwrap();
    let mut last = None;
    let after = journal
        .replay(Stream::Outbox, 0, &mut |recorded| {
            if let Event::Message(OutboxEvent::Queued(message)) = recorded.event {
                last = Some(message);
            }
        })
        .unwrap();
    let mut message = last.unwrap();
    assert_eq!(message.channel, ContactChannel::Webhook(hook.id.parse::<WebhookId>().unwrap()));
    message.id.0 += 1;
    let started = OutboxEvent::DeliveryStarted { id: message.id };
    let events = vec![Event::Message(OutboxEvent::Queued(message)), Event::Message(started)];
    let append = Append { stream: Stream::Outbox, after, events };
    journal.append(Batch { at, appends: vec![append] }).await.unwrap().unwrap();
    journal.close();
    drop(journal);
    let rig = serve(folder).await;
    let again = receiver.received_when(3).await;
    assert_eq!((again.len(), &again[2].id, &again[2].body), (3, &before[1].id, &before[1].body));
    assert!(again[2].is_signed_by(&hook.secret));
    let settled = hook.until_settled(&rig, &lender).await;
    assert_eq!((&settled[0]["state"], &settled[0]["attempts"]), (&json!("delivered"), &json!(2)));
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_webhook_that_is_gone_or_keeps_failing_is_paused_and_missed_events_are_replayed_by_request() {
    for (status, attempts, reason) in [(410, 1, "gone"), (503, Outbox::WEBHOOK_ATTEMPTS_MAX, "failing")] {
        let is_mended = Arc::new(AtomicBool::new(false));
        let mended = Arc::clone(&is_mended);
        let receiver = WebhookReceiver::start(move |_| {
            if mended.load(Ordering::SeqCst) { (200, String::new()) } else { (status, "<b>no</b>".to_owned()) }
        })
        .await;
        let rig = start().await;
        let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
        let hook = Hook::register(&rig, &lender, &receiver.url).await;
        let loan = TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await;
        wait_until_async(async || hook.view(&rig, &lender).await["pauseReason"] == reason).await;
        let deliveries = hook.until_settled(&rig, &lender).await;
        let (failed, dropped) = deliveries.split_last().unwrap();
        assert_eq!((&failed["state"], &failed["attempts"]), (&json!("failed"), &json!(attempts)));
        assert_eq!((&failed["status"], &failed["answer"]), (&json!(status), &json!("<b>no</b>")));
        assert!(dropped.iter().all(|it| it["state"] == "dropped" && it["attempts"] == 0), "{dropped:?}");
        let notices = lender.get(&rig, "/api/v1/me/notices").await.ok()["data"].clone();
        assert_eq!(notices[0]["kind"], "webhook_paused");
        assert_eq!(notices[0]["collectionName"].as_str(), receiver.url.split('/').nth(2));
        let all = json!({"since": 0});
        lender.post(&rig, &hook.at("/replay"), &all).await.refused(409, "webhook_paused");

        is_mended.store(true, Ordering::SeqCst);
        loan.apply(&rig, LoanEvent::Cancelled { by: domain::CancelledBy::Lender }).await;
        let cancelled_at = rig.app().now();
        wait_until(|| rig.app().now() > cancelled_at).await;
        let settings = json!({"kinds": ["offer_accepted", "counter_signature_needed", "cancelled"], "isPaused": false});
        let resumed = lender.send(&rig, Method::PUT, &hook.at(""), Some(&settings)).await.ok();
        assert_eq!((&resumed["pausedAt"], &resumed["pauseReason"]), (&json!(null), &json!(null)));
        let before = receiver.received().len();
        let replayed = lender.post(&rig, &hook.at("/replay"), &all).await;
        assert_eq!((replayed.status.as_u16(), &replayed.body["count"]), (202, &json!(3)));
        let received = receiver.received_when(before + 3).await;
        let kinds: Vec<String> = received[before..].iter().map(Received::kind).collect();
        assert_eq!(kinds, ["offer_accepted", "counter_signature_needed", "cancelled"], "in the order of the loan");
        // An event that is still being delivered is not replayed.
        hook.until_settled(&rig, &lender).await;
        let after = json!({"afterEventId": received[before + 1].id});
        assert_eq!(lender.post(&rig, &hook.at("/replay"), &after).await.body["count"], json!(1));
        let last = receiver.received_when(before + 4).await.pop().unwrap();
        assert_eq!(last.id, received[before + 2].id);
        let unknown = json!({"afterEventId": "ln_1-overdue"});
        lender.post(&rig, &hook.at("/replay"), &unknown).await.refused(404, "unknown_event");
        let newest = hook.until_settled(&rig, &lender).await[0]["deliveryId"].as_str().unwrap().to_owned();
        let again = hook.at(&format!("/deliveries/{newest}/redelivery"));
        assert_eq!(lender.send(&rig, Method::POST, &again, None).await.status.as_u16(), 202);
        assert_eq!(receiver.received_when(before + 5).await.pop().unwrap().id, last.id);
        rig.server.stop().await;
    }
}

#[actix_web::test]
async fn a_webhook_is_its_users_alone_and_there_are_five_at_most() {
    let receiver = WebhookReceiver::accepting().await;
    let rig = start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let hook = Hook::register(&rig, &lender, &receiver.url).await;
    let settings = json!({"kinds": [], "isPaused": true});
    for (method, part, body) in [
        (Method::PUT, "", Some(&settings)),
        (Method::DELETE, "", None),
        (Method::POST, "/secret", None),
        (Method::POST, "/test", None),
        (Method::GET, "/deliveries", None),
        (Method::POST, "/replay", Some(&json!({}))),
        (Method::POST, "/deliveries/ms_1/redelivery", None),
    ] {
        other.send(&rig, method, &hook.at(part), body).await.refused(404, "unknown_webhook");
    }
    lender.send(&rig, Method::POST, &hook.at("/deliveries/ms_99/redelivery"), None).await.refused(404, "unknown_event");
    for _ in 1..5 {
        Hook::register(&rig, &lender, &receiver.url).await;
    }
    let body = json!({"url": receiver.url, "kinds": []});
    lender.post(&rig, WEBHOOKS, &body).await.refused(409, "too_many_webhooks");
    assert_eq!(lender.send(&rig, Method::DELETE, &hook.at(""), None).await.status.as_u16(), 204);
    lender.get(&rig, &hook.at("/deliveries")).await.refused(404, "unknown_webhook");
    // One about a webhook is no matter of choice.
    let chosen = json!({"url": receiver.url, "kinds": ["webhook_paused", "repaid"]});
    let created = lender.post(&rig, WEBHOOKS, &chosen).await.ok();
    assert_eq!(created["webhook"]["kinds"], json!(["repaid"]));
    rig.server.stop().await;
}

#[actix_web::test]
async fn addresses_outside_of_the_public_internet_are_refused_when_given_and_when_called() {
    let receiver = WebhookReceiver::accepting().await;
    let rig = start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let hook = Hook::register(&rig, &lender, &receiver.url.replace("127.0.0.1", "localhost")).await;
    let Rig { server, folder, .. } = rig;
    server.stop().await;
    // The setting is off now, as it is on a server for real users.
    let rig = serve_with(folder, |settings| settings.webhook_loopback = false).await;
    for (url, reason) in [
        (receiver.url.as_str(), "not_https"),
        ("http://example.org/", "not_https"),
        ("https://127.0.0.1/", "address_refused"),
        ("https://[::ffff:10.0.0.1]/", "address_refused"),
        ("https://169.254.169.254/latest/meta-data", "address_refused"),
        ("https://2130706433/", "address_refused"),
        ("https://user:secret@example.org/", "foreign_part"),
        ("example.org", "malformed"),
    ] {
        let refused = lender.post(&rig, WEBHOOKS, &json!({"url": url, "kinds": []})).await;
        refused.refused(422, "webhook_url");
        assert_eq!(refused.body["values"]["reason"], reason, "{url}: {}", refused.body);
    }
    // A name is accepted when it is given, and its addresses are checked when it is called.
    let port = receiver.url.split(':').nth(2).unwrap();
    let named = Hook::register(&rig, &lender, &format!("https://localhost:{port}")).await;
    for hook in [hook, named] {
        lender.send(&rig, Method::POST, &hook.at("/test"), None).await.ok();
        let delivery = hook.until_settled(&rig, &lender).await.remove(0);
        assert_eq!(
            (&delivery["state"], &delivery["failure"], &delivery["status"]),
            (&json!("failed"), &json!("address_refused"), &json!(null))
        );
        assert_eq!(hook.view(&rig, &lender).await["pausedAt"], json!(null), "a test event pauses nothing");
    }
    assert!(receiver.received().is_empty());
    rig.server.stop().await;

    let rig = serve_with(tempfile::tempdir().unwrap(), |settings| settings.webhooks = false).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    assert_eq!(lender.get(&rig, WEBHOOKS).await.ok()["isAvailable"], false);
    lender.post(&rig, WEBHOOKS, &json!({"url": "https://example.org/", "kinds": []})).await.refused(404, "not_found");
    rig.server.stop().await;
}
