//! Tests of the public log: receipts of requests, published heads, and what an audit of the served files proves.

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::{HttpResponse, HttpServer, web};
use bitcoin::hashes::{Hash as _, sha256};
use domain::{BookEvent, GroupId, OfferId, UserId};
use public_log::{
    Attestation, AuditReport, BookReceipt, HeadHash, LogEntry, LogPublicKey, Named, PublishedHeads, Receipt, Signed,
    Timestamp, Verdict, audit,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::feed::{Socket, ticket};
use super::lender::TestUser;
use super::loans::{ACCEPT, LoanFixture, PREPARE, acceptance, sign};
use super::rig::{Answer, FLOOR_SATS, Rig};

const LOG: &str = "/api/v1/collections/paper-frogs/log";
const BOOK: GroupId = GroupId(1);

async fn key(rig: &Rig) -> LogPublicKey {
    rig.get("/api/v1/heads").await.ok()["publicKey"].as_str().unwrap().parse().unwrap()
}

async fn log_text(rig: &Rig, query: &str) -> String {
    let response = rig.request(Method::GET, &format!("{LOG}{query}")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/jsonl");
    response.text().await.unwrap()
}

/// Publishes the heads as they are now, and returns all publications.
async fn published(rig: &Rig) -> Vec<Signed<PublishedHeads>> {
    let app = rig.app();
    app.publications.publish(&app.public_log, app.now()).unwrap();
    let listed = rig.get("/api/v1/heads?limit=200").await.ok();
    let signed = listed["publications"].as_array().unwrap().iter();
    signed.map(|publication| publication["signed"].as_str().unwrap().parse().unwrap()).collect()
}

fn receipt_of(answer: &Answer) -> Signed<Receipt> {
    answer.headers["lienbook-receipt"].to_str().unwrap().parse().unwrap()
}

async fn read(rig: &Rig, receipt: &Signed<Receipt>) -> Receipt {
    receipt.verify(&key(rig).await).unwrap()
}

async fn audited(rig: &Rig, heads: &[Signed<PublishedHeads>], receipts: &[Signed<Receipt>]) -> AuditReport {
    audited_text(rig, &log_text(rig, "").await, heads, receipts).await
}

async fn audited_text(
    rig: &Rig,
    text: &str,
    heads: &[Signed<PublishedHeads>],
    receipts: &[Signed<Receipt>],
) -> AuditReport {
    let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    audit(&lines, &key(rig).await, &named("Publication", heads), &named("Receipt", receipts))
}

fn named<S: Clone>(kind: &str, statements: &[Signed<S>]) -> Vec<Named<S>> {
    let numbered = (1..).zip(statements.iter().cloned());
    numbered.map(|(number, signed)| Named { name: format!("{kind} {number}"), signed }).collect()
}

fn has(report: &AuditReport, verdict: Verdict, text: &str) -> bool {
    report.findings.iter().any(|finding| finding.verdict == verdict && finding.text.contains(text))
}

fn quote(lender: &TestUser, principal: u64) -> Value {
    json!({"offers": [lender.item("paper-frogs-7d", principal, 1)]})
}

#[actix_web::test]
async fn offers_carry_receipts_that_the_log_and_its_heads_prove() {
    let rig = Rig::start().await;
    let lenders = [TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await];
    let (mut receipts, mut offers) = (Vec::new(), Vec::new());
    for (lender, principal) in [(&lenders[0], 400_000), (&lenders[1], 500_000), (&lenders[0], 450_000)] {
        let body = quote(lender, principal);
        let answer = lender.post(&rig, "/api/v1/offers/manual", &body).await;
        let signed = receipt_of(&answer);
        let receipt = read(&rig, &signed).await;
        let [BookReceipt { book, seen, head, offer: None, .. }] = &receipt.books[..] else { panic!("{receipt:?}") };
        assert_eq!((*book, receipt.request.as_str()), (BOOK, "POST /api/v1/offers/manual"));
        assert!(head.sequence > seen.sequence && receipt.position > 0);
        assert_eq!(receipt.body, HeadHash::of(&serde_json::to_vec(&body).unwrap()));
        offers.push(answer.ok()["offers"][0]["offerId"].as_str().unwrap().to_owned());
        receipts.push(signed);
    }
    let heads = published(&rig).await;
    let report = audited(&rig, &heads, &receipts).await;
    assert!(report.is_sound(), "{:?}", report.findings);
    assert!(has(&report, Verdict::Proved, "6 heads in receipts lie on this log"), "{:?}", report.findings);
    for (number, rank) in [(1, "1 of 1"), (2, "1 of 2"), (3, "2 of 3")] {
        let text = format!("Receipt {number}: {} stood at rank {rank} when it was placed", offers[number - 1]);
        assert!(has(&report, Verdict::Proved, &text), "{:?}", report.findings);
    }
    // The same lender has one pseudonym, which is not the number of the account.
    let mut callers = Vec::new();
    for signed in &receipts {
        callers.push(read(&rig, signed).await.books[0].caller);
    }
    assert!(callers[0] == callers[2] && callers[0] != callers[1] && callers[0] != lenders[0].id);
    let text = log_text(&rig, "").await;
    assert!(lenders.iter().all(|lender| !text.contains(&lender.address())));
    // Without the second offer, the receipts and the heads refute the log.
    let second: Vec<&str> = text.lines().filter(|line| !line.contains("500000")).collect();
    let report = audited_text(&rig, &second.join("\n"), &heads, &receipts).await;
    assert!(!report.is_sound());
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_refused_request_has_no_receipt_and_a_repeated_one_the_same() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let body = quote(&lender, 400_000);
    let send = async || {
        let request = rig.request(Method::POST, "/api/v1/offers/manual").bearer_auth(&lender.token);
        rig.send(request.header("idempotency-key", "one").json(&body)).await
    };
    let (first, again) = (send().await, send().await);
    assert_eq!(first.headers["lienbook-receipt"], again.headers["lienbook-receipt"]);
    let refused = lender.post(&rig, "/api/v1/offers/manual", &quote(&lender, 1)).await;
    assert!(refused.status.is_client_error() && !refused.headers.contains_key("lienbook-receipt"));
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_prepared_loan_carries_a_receipt_of_the_book_that_it_was_prepared_on() {
    let fixture = LoanFixture::new().await;
    let rig = &fixture.rig;
    let worse = fixture.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 4, 1).await.remove(0);
    let best = fixture.lender.quote(rig, "paper-frogs-7d", FLOOR_SATS / 2, 1).await.remove(0);
    let mut receipts = Vec::new();
    for offer in [&best, &worse] {
        let answer = fixture.borrower.post(rig, PREPARE, &fixture.loan_request(&fixture.borrower, offer)).await;
        let signed = receipt_of(&answer);
        let receipt = read(rig, &signed).await;
        let [BookReceipt { seen, head, offer: Some(prepared), .. }] = &receipt.books[..] else { panic!("{receipt:?}") };
        assert_eq!((seen, prepared), (head, &offer.parse::<OfferId>().unwrap()));
        let prepared = answer.ok();
        if offer == &best {
            let signed = sign(&fixture.borrower, &prepared);
            let accepted = fixture.borrower.post(rig, ACCEPT, &acceptance(&prepared, &signed)).await;
            receipts.push(receipt_of(&accepted));
            // The worse one can be prepared once this loan is given back.
            let path = format!("/api/v1/loans/{}/acceptance", prepared["loanId"].as_str().unwrap());
            fixture.borrower.send(rig, Method::DELETE, &path, None).await.ok();
        }
        receipts.push(signed);
    }
    let heads = published(rig).await;
    let report = audited(rig, &heads, &receipts).await;
    assert!(report.is_sound(), "{:?}", report.findings);
    assert!(has(&report, Verdict::Proved, &format!("{best}, from which a loan was prepared, was the best offer")));
    let ranked =
        format!("{worse}, from which a loan was prepared, was ranked 2; the best offer of its kind was {best}");
    assert!(has(&report, Verdict::Unknown, &ranked), "{:?}", report.findings);
    assert!(has(&report, Verdict::Proved, "All 1 reservations took the best offer"), "{:?}", report.findings);
    fixture.rig.server.stop().await;
}

#[actix_web::test]
async fn after_a_restart_log_key_and_publications_continue() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let first = receipt_of(&lender.post(&rig, "/api/v1/offers/manual", &quote(&lender, 400_000)).await);
    let (before, known) = (published(&rig).await, key(&rig).await);
    let text = log_text(&rig, "").await;
    // A crash in the middle of a publication.
    let file = rig.folder.path().join("published-heads");
    let Rig { server, folder, .. } = rig;
    let settings = server.app().settings.clone();
    server.stop().await;
    let mut stored = fs::read_to_string(&file).unwrap();
    stored.push_str("eyJhdCI6");
    fs::write(&file, stored).unwrap();

    let rig = Rig::start_in(folder, settings).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let second = receipt_of(&lender.post(&rig, "/api/v1/offers/manual", &quote(&lender, 450_000)).await);
    assert!(log_text(&rig, "").await.starts_with(&text) && key(&rig).await == known);
    let after = published(&rig).await;
    assert_eq!(after[1..], before[..]);
    let latest = after[0].verify(&known).unwrap();
    assert_eq!(latest.previous, Some(before[0].digest()));
    assert_eq!(published(&rig).await, after, "nothing has happened since");
    let report = audited(&rig, &after, &[first, second]).await;
    assert!(report.is_sound() && has(&report, Verdict::Proved, "4 heads in receipts lie on this log"));
    let feed = rig.request(Method::GET, "/api/v1/heads.atom").send().await.unwrap().text().await.unwrap();
    let feed = atom_syndication::Feed::read_from(feed.as_bytes()).unwrap();
    let entries: Vec<_> = feed.entries().iter().map(|entry| entry.content().unwrap().value().unwrap()).collect();
    assert_eq!(entries, after.iter().map(ToString::to_string).collect::<Vec<_>>());
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_long_log_is_served_in_pages() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let mut last = 0;
    for round in 0..120 {
        let body = json!({"offers": [lender.item("paper-frogs-7d", 300_000 + round, 5)]});
        let created = lender.post(&rig, "/api/v1/offers/manual", &body).await.ok();
        let offers = created["offers"].as_array().unwrap().iter();
        let offers: Vec<Value> = offers.map(|offer| offer["offerId"].clone()).collect();
        let body = json!({"offerIds": offers});
        let cancelled = lender.post(&rig, "/api/v1/offers/manual/cancel", &body).await;
        last = read(&rig, &receipt_of(&cancelled)).await.books[0].head.sequence;
        cancelled.ok();
    }
    assert!(last > 1_000, "{last} events");
    let whole = log_text(&rig, "").await;
    assert_eq!(whole.lines().count(), usize::try_from(last).unwrap() + 1);
    let pages = [log_text(&rig, "?page=0").await, log_text(&rig, "?page=1").await];
    assert_eq!((pages[0].lines().count(), pages.concat()), (1_001, whole));
    let cached = async |page: u64| {
        let response = rig.request(Method::GET, &format!("{LOG}?page={page}")).send().await.unwrap();
        let caching = response.headers().get("cache-control").map_or("", |value| value.to_str().unwrap());
        (caching.contains("immutable"), response.headers()["lienbook-log-head"].clone())
    };
    assert!(cached(0).await.0 && !cached(1).await.0);
    let head = rig.app().public_log.head(BOOK).unwrap();
    assert_eq!(cached(1).await.1, format!("{} {}", head.sequence, head.hash));
    rig.get(&format!("{LOG}?page=2")).await.refused(404, "not_found");
    rig.get(&format!("{LOG}?page=4294967296")).await.refused(400, "invalid_query");
    rig.get("/api/v1/collections/other/log").await.refused(404, "unknown_collection");
    let report = audited(&rig, &published(&rig).await, &[]).await;
    assert_eq!((report.head, report.entries), (Some(head), last));
    rig.server.stop().await;
}

#[actix_web::test]
async fn commands_over_a_socket_have_receipts_too() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let mut socket = Socket::open(&rig).await;
    socket.send_frame(&json!({"op": "authenticate", "ticket": ticket(&rig, &lender).await})).await;
    for number in 0..5 {
        let frame = json!({"op": "place", "id": format!("c{number}"), "collectionSlug": "paper-frogs-7d",
            "principalAmount": 400_000 + number});
        socket.send_frame(&frame).await;
    }
    let (mut receipts, mut reached) = (Vec::new(), 0);
    let wanted = async {
        while reached < 5 {
            let frame = socket.next_frame_of_all().await;
            if frame["type"] == "receipt" {
                let signed: Signed<Receipt> = frame["receipt"].as_str().unwrap().parse().unwrap();
                let receipt = read(&rig, &signed).await;
                assert_eq!((receipt.request.as_str(), receipt.answer), ("trading", None));
                receipts.push(signed);
                let text = log_text(&rig, "").await;
                let entries = text.lines().skip(1).map(|line| serde_json::from_str::<LogEntry>(line).unwrap());
                let BookReceipt { head, caller, .. } = receipt.books[0].clone();
                let placed = entries.filter(|entry| entry.sequence <= head.sequence && is_by(&entry.event, caller));
                reached = placed.count();
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wanted).await.unwrap();
    let report = audited(&rig, &[], &receipts).await;
    assert!(report.is_sound(), "{:?}", report.findings);
    let ranked = report.findings.iter().filter(|finding| finding.text.contains("stood at rank")).count();
    assert_eq!(ranked, 5, "{:?}", report.findings);
    rig.server.stop().await;
}

fn is_by(event: &BookEvent, caller: UserId) -> bool {
    matches!(event, BookEvent::OfferCreated { lender, .. } if *lender == caller)
}

/// A calendar: it promises at once, and knows the block once it is told to.
struct Calendar {
    url: String,
    has_block: Arc<AtomicBool>,
    handle: ServerHandle,
}

impl Calendar {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let has_block = Arc::<AtomicBool>::default();
        let (promised, known) = (url.clone(), Arc::clone(&has_block));
        let server = HttpServer::new(move || {
            let (promised, known) = (promised.clone(), Arc::clone(&known));
            let promise = move || {
                let length = u8::try_from(promised.len()).unwrap();
                let tag = b"\x83\xdf\xe3\x0d\x2e\xf9\x0c\x8e";
                [&[0xf0, 1, 7, 0x08, 0x00][..], tag, &[length + 1, length], promised.as_bytes()].concat()
            };
            let look_up = move || {
                if !known.load(Ordering::SeqCst) {
                    return HttpResponse::NotFound().body("Pending confirmation in Bitcoin blockchain");
                }
                HttpResponse::Ok().body([&[0x00][..], b"\x05\x88\x96\x0d\x73\xd7\x19\x01", &[1, 120]].concat())
            };
            actix_web::App::new()
                .route(
                    "/digest",
                    web::post().to(move || {
                        let answer = promise();
                        async move { answer }
                    }),
                )
                .route(
                    "/timestamp/{commitment}",
                    web::get().to(move || {
                        let answer = look_up();
                        async move { answer }
                    }),
                )
        });
        let server = server.workers(1).disable_signals().listen(listener).unwrap().run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self { url, has_block, handle }
    }
}

#[actix_web::test]
async fn published_heads_are_anchored_in_a_block() {
    let calendar = Calendar::start();
    let rig = Rig::start_with(|settings| settings.timestamp_calendars = vec![calendar.url.clone()]).await;
    let heads = published(&rig).await;
    let path = format!("/api/v1/heads/{}/timestamp", heads[0].digest());
    rig.get(&path).await.refused(404, "not_found");
    let proof = async || {
        rig.app().anchors.extend(&rig.app().publications).await;
        let response = rig.request(Method::GET, &path).send().await.unwrap();
        Timestamp::read(&response.bytes().await.unwrap()).unwrap()
    };
    let commitment = sha256::Hash::hash(&[&heads[0].digest().to_bytes()[..], &[7]].concat()).to_byte_array();
    let promised = Attestation::Pending { calendar: calendar.url.clone(), commitment: commitment.to_vec() };
    assert_eq!(proof().await.attestations(), std::slice::from_ref(&promised));
    assert_eq!(proof().await.attestations(), [promised], "submitted once, and in no block yet");
    calendar.has_block.store(true, Ordering::SeqCst);
    assert_eq!(proof().await.attestations(), [Attestation::Block { height: 120, merkle_root: commitment }]);
    rig.get("/api/v1/heads/..%2fsession/timestamp").await.refused(404, "not_found");
    calendar.handle.stop(false).await;
    rig.server.stop().await;
}
