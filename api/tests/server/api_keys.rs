//! Tests of API keys over HTTP: creation, the refusals of a key by its state and terms, limits, quotas and the feed.

use std::time::{Duration, Instant};

use domain::Event;
use escrow::action::Action;
use escrow::new_api_key::{KeyScope, NewApiKey};
use persistence::WholeJournal as _;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::feed::Socket;
use super::lender::{TestUser, instant, instant_body, vault_signer};
use super::rig::{Answer, FLOOR_SATS, Rig};

const KEYS: &str = "/api/v1/me/api-keys";
const MANUAL: &str = "/api/v1/offers/manual";
const HALF: u64 = FLOOR_SATS / 2;

/// A key for everything, within limits that no test reaches by accident.
fn wanted(rig: &Rig) -> NewApiKey {
    NewApiKey {
        name: "bot".to_owned(),
        scopes: KeyScope::ALL.into(),
        principal_max_sats: 10 * FLOOR_SATS,
        outstanding_max_sats: 100 * FLOOR_SATS,
        daily_max_sats: 100 * FLOOR_SATS,
        collections: None,
        addresses: None,
        valid_until_s: rig.app().now().seconds() + 3_600,
    }
}

async fn create(rig: &Rig, user: &TestUser, key: NewApiKey) -> Answer {
    let signed = user.sign_fresh(rig, Action::CreateApiKey(key)).await;
    user.post(rig, KEYS, &json!({"message": signed.text, "signature": signed.signature})).await
}

/// A program with a key.
pub struct Program {
    pub id: String,
    secret: String,
}

impl Program {
    pub async fn with(rig: &Rig, user: &TestUser, change: impl FnOnce(&mut NewApiKey)) -> Self {
        let mut key = wanted(rig);
        change(&mut key);
        let created = create(rig, user, key).await.ok();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self { id: text(&created["key"]["keyId"]), secret: text(&created["secret"]) }
    }

    /// A ticket for the socket of the feed.
    pub async fn ticket(&self, rig: &Rig) -> String {
        let answer = rig.send(self.request(rig, Method::POST, "/api/v1/feed/ticket")).await.ok();
        answer["ticket"].as_str().unwrap().to_owned()
    }

    pub fn request(&self, rig: &Rig, method: Method, path: &str) -> RequestBuilder {
        rig.request(method, path).bearer_auth(&self.secret)
    }

    async fn get(&self, rig: &Rig, path: &str) -> Answer {
        rig.send(self.request(rig, Method::GET, path)).await
    }

    pub async fn send(&self, rig: &Rig, method: Method, path: &str, body: &Value) -> Answer {
        rig.send(self.request(rig, method, path).json(body)).await
    }

    async fn quote(&self, rig: &Rig, user: &TestUser, slug: &str, principal: u64, quantity: u64) -> Answer {
        let body = json!({"offers": [user.item(slug, principal, quantity)]});
        self.send(rig, Method::POST, MANUAL, &body).await
    }
}

#[actix_web::test]
async fn a_key_is_created_by_a_message_shown_once_and_revoked() {
    let rig = Rig::start().await;
    let (user, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    assert_eq!(user.get(&rig, KEYS).await.ok(), json!({"keys": []}));
    let key = NewApiKey {
        collections: Some(vec!["paper-frogs".to_owned()]),
        addresses: Some(vec!["127.0.0.0/8".parse().unwrap()]),
        scopes: [KeyScope::Quote, KeyScope::Read].into(),
        ..wanted(&rig)
    };
    let until = key.valid_until_s * 1_000;
    let signed = user.sign_fresh(&rig, Action::CreateApiKey(key)).await;
    let body = json!({"message": signed.text, "signature": signed.signature});
    let answer = user.post(&rig, KEYS, &body).await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.headers["cache-control"], "no-store");
    let created = answer.ok();
    let secret = created["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("lbk_1_"), "{secret}");
    let shown = &created["key"];
    for (field, value) in [
        ("keyId", json!("ak_1")),
        ("name", json!("bot")),
        ("state", json!("open")),
        ("scopes", json!(["read", "quote"])),
        ("principalMaxSats", json!(10 * FLOOR_SATS)),
        ("outstandingMaxSats", json!(100 * FLOOR_SATS)),
        ("dailyMaxSats", json!(100 * FLOOR_SATS)),
        ("quotedTodaySats", json!(0)),
        ("collections", json!(["paper-frogs"])),
        ("addresses", json!(["127.0.0.0/8"])),
        ("validUntil", json!(until)),
        ("revokedAt", json!(null)),
        ("lastUsedAt", json!(null)),
    ] {
        assert_eq!(shown[field], value, "{field}");
    }
    user.post(&rig, KEYS, &body).await.refused(409, "nonce_used");

    let program = Program { id: "ak_1".to_owned(), secret: secret.clone() };
    assert_eq!(program.get(&rig, "/api/v1/session").await.ok()["userId"], user.id.to_string());
    let list = user.get(&rig, KEYS).await.ok();
    assert_eq!(list["keys"].as_array().unwrap().len(), 1);
    assert!(list["keys"][0]["lastUsedAt"].as_u64().is_some(), "{list}");
    let random = secret.rsplit_once("lbk_1_").unwrap().1;
    assert!(!list.to_string().contains(random));
    let mut stored = Vec::new();
    let _ = rig.app().journal.replay_whole(&mut |_, recorded| {
        if let Event::Account(event) = &recorded.event {
            stored.push(format!("{event:?}"));
        }
        std::ops::ControlFlow::Continue(())
    });
    assert!(stored.iter().any(|event| event.contains("KeyCreated")));
    assert!(!stored.iter().any(|event| event.contains(random)), "the journal has the hash alone");
    assert_eq!(other.get(&rig, KEYS).await.ok(), json!({"keys": []}));
    let path = format!("{KEYS}/{}", program.id);
    other.send(&rig, Method::DELETE, &path, None).await.refused(404, "unknown_api_key");
    for unknown in ["ak_9", "ak_01", "x"] {
        let path = format!("{KEYS}/{unknown}");
        user.send(&rig, Method::DELETE, &path, None).await.refused(404, "unknown_api_key");
    }

    // A sign-out ends sessions and no key.
    user.send(&rig, Method::DELETE, "/api/v1/session", None).await.ok();
    program.get(&rig, "/api/v1/offers").await.ok();
    let user = TestUser::sign_in(&rig, 1).await;
    for _ in 0..2 {
        assert_eq!(user.send(&rig, Method::DELETE, &path, None).await.status, 204);
    }
    let revoked = user.get(&rig, KEYS).await.ok()["keys"][0].clone();
    assert_eq!(revoked["state"], "revoked");
    let answer = program.get(&rig, "/api/v1/offers").await;
    answer.refused(401, "api_key_revoked");
    assert_eq!(answer.body["values"]["revokedAt"], revoked["revokedAt"]);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_creation_is_refused_with_the_code_of_its_fault() {
    let rig = Rig::start().await;
    let (user, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let before = rig.events();
    let unlisted = NewApiKey { collections: Some(vec!["nothing".to_owned()]), ..wanted(&rig) };
    let answer = create(&rig, &user, unlisted).await;
    answer.refused(404, "unknown_collection");
    assert_eq!(answer.body["values"]["collection"], "nothing");
    // An id names a collection elsewhere; a message shows slugs.
    let by_id = NewApiKey { collections: Some(vec!["g_1".to_owned()]), ..wanted(&rig) };
    create(&rig, &user, by_id).await.refused(404, "unknown_collection");
    let signed = user.sign_fresh(&rig, Action::PauseOffer { offer_id: "of_1".to_owned() }).await;
    let body = json!({"message": signed.text, "signature": signed.signature});
    user.post(&rig, KEYS, &body).await.refused(422, "message_wrong_action");
    let signed = user.sign_fresh(&rig, Action::CreateApiKey(wanted(&rig))).await;
    let body = json!({"message": signed.text, "signature": signed.signature});
    other.post(&rig, KEYS, &body).await.refused(422, "message_wrong_address");
    rig.post(KEYS, &body).await.refused(401, "unauthenticated");
    let widened = signed.text.replace("Max daily sats: 1", "Max daily sats: 9");
    assert_ne!(widened, signed.text);
    let altered = json!({"message": widened, "signature": signed.signature});
    let answer = user.post(&rig, KEYS, &altered).await;
    assert_eq!(answer.status, 422);
    assert!(answer.code().starts_with("signature_"), "{}", answer.body);
    let too_long = json!({"message": signed.text.replace("Valid until: 1", "Valid until: 2"), "signature": "x"});
    user.post(&rig, KEYS, &too_long).await.refused(422, "message_malformed");
    assert_eq!(rig.events(), before);

    for _ in 0..20 {
        create(&rig, &user, wanted(&rig)).await.ok();
    }
    let answer = create(&rig, &user, wanted(&rig)).await;
    answer.refused(409, "too_many_api_keys");
    assert_eq!(answer.body["values"]["max"], 20);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_key_is_refused_by_its_secret_time_and_address() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let program = Program::with(&rig, &user, |_| {}).await;
    program.get(&rig, "/api/v1/offers").await.ok();
    let (head, last) = program.secret.split_at(program.secret.len() - 2);
    let altered = format!("{head}{}{}", if last.starts_with('A') { 'B' } else { 'A' }, &last[1..]);
    let foreign = program.secret.replace("lbk_1_", "lbk_2_");
    for secret in ["lbk_", "lbk_1_", &altered, &foreign, &program.secret.to_uppercase().replace("LBK", "lbk")] {
        let request = rig.request(Method::GET, "/api/v1/offers").bearer_auth(secret);
        rig.send(request).await.refused(401, "api_key_invalid");
    }
    let elsewhere = Program::with(&rig, &user, |key| {
        key.addresses = Some(vec!["203.0.113.0/24".parse().unwrap(), "::1/128".parse().unwrap()]);
    })
    .await;
    let answer = elsewhere.get(&rig, "/api/v1/offers").await;
    answer.refused(403, "api_key_address");
    assert_eq!(answer.body["values"]["address"], "127.0.0.1");

    let until_s = rig.app().now().seconds() + 5;
    let brief = Program::with(&rig, &user, |key| key.valid_until_s = until_s).await;
    let began = Instant::now();
    let answer = loop {
        let answer = brief.get(&rig, "/api/v1/offers").await;
        if !answer.status.is_success() {
            break answer;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "the key does not expire");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    answer.refused(401, "api_key_expired");
    assert_eq!(answer.body["values"]["validUntil"], until_s * 1_000);
    assert!(rig.app().now().seconds() >= until_s);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_key_quotes_within_its_limits_and_collections() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let program = Program::with(&rig, &user, |key| {
        key.collections = Some(vec!["paper-frogs".to_owned()]);
        key.principal_max_sats = HALF;
        key.outstanding_max_sats = 3 * HALF;
        key.daily_max_sats = 5 * HALF;
    })
    .await;
    let refused = |answer: &Answer, status: u16, code: &str, values: Value| {
        answer.refused(status, code);
        for (name, value) in values.as_object().unwrap() {
            assert_eq!(&answer.body["values"][name], value, "{}", answer.body);
        }
    };
    let answer = program.quote(&rig, &user, "frog-pond-bundle", 250_000, 1).await;
    refused(&answer, 403, "api_key_collection", json!({"collectionId": "g_2"}));
    let answer = program.quote(&rig, &user, "paper-frogs-7d", HALF + 1, 1).await;
    refused(&answer, 403, "api_key_principal", json!({"principalSats": HALF + 1, "maxSats": HALF}));
    let answer = program.quote(&rig, &user, "paper-frogs-7d", HALF, 4).await;
    refused(&answer, 409, "api_key_outstanding", json!({"sumSats": 4 * HALF, "maxSats": 3 * HALF}));
    assert_eq!(user.get(&rig, "/api/v1/offers").await.ok()["data"], json!([]));

    // What the market refuses does not count.
    let answer = program.quote(&rig, &user, "paper-frogs-7d", 1, 5).await;
    assert_eq!(answer.code(), "below_min_offer");
    let quoted = program.quote(&rig, &user, "paper-frogs-7d", HALF, 2).await.ok();
    let offer = quoted["offers"][0]["offerId"].as_str().unwrap().to_owned();
    assert_eq!(user.get(&rig, KEYS).await.ok()["keys"][0]["quotedTodaySats"], 2 * HALF);
    // Offers of a session count against the outstanding limit of a key, and not against its day.
    let by_session = user.quote(&rig, "paper-frogs-30d", HALF, 1).await.remove(0);
    let answer = program.quote(&rig, &user, "paper-frogs-7d", HALF, 1).await;
    refused(&answer, 409, "api_key_outstanding", json!({"sumSats": 4 * HALF, "maxSats": 3 * HALF}));
    let cancel = json!({"offerIds": [by_session]});
    let results = program.send(&rig, Method::POST, "/api/v1/offers/manual/cancel", &cancel).await.ok();
    assert_eq!(results["results"][0]["ok"], true);

    // An edit replaces an offer, and is a quote of its own.
    let path = format!("{MANUAL}/{offer}");
    let answer = program.send(&rig, Method::PATCH, &path, &json!({"principal_amount": HALF + 1})).await;
    refused(&answer, 403, "api_key_principal", json!({"principalSats": HALF + 1}));
    let edited = program.send(&rig, Method::PATCH, &path, &json!({"principal_amount": HALF})).await.ok();
    assert_eq!(user.get(&rig, KEYS).await.ok()["keys"][0]["quotedTodaySats"], 3 * HALF);
    let offer = edited["offer"]["offerId"].as_str().unwrap().to_owned();

    let rig = rig.restart().await;
    let path = format!("{MANUAL}/{offer}");
    let edited = program.send(&rig, Method::PATCH, &path, &json!({"principal_amount": HALF})).await.ok();
    let offer = edited["offer"]["offerId"].as_str().unwrap().to_owned();
    let path = format!("{MANUAL}/{offer}");
    let edited = program.send(&rig, Method::PATCH, &path, &json!({"principal_amount": HALF})).await.ok();
    let path = format!("{MANUAL}/{}", edited["offer"]["offerId"].as_str().unwrap());
    let answer = program.send(&rig, Method::PATCH, &path, &json!({"principal_amount": HALF})).await;
    // Midnight may have passed, and then the day begins anew.
    if !answer.status.is_success() {
        refused(&answer, 409, "api_key_daily", json!({"sumSats": 6 * HALF, "maxSats": 5 * HALF}));
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn what_the_book_refuses_does_not_count_against_the_day() {
    let rig = Rig::start_with(|settings| settings.limits.offers_per_lender_max = 1).await;
    let user = TestUser::sign_in(&rig, 1).await;
    let program = Program::with(&rig, &user, |_| {}).await;
    let today = async || user.get(&rig, KEYS).await.ok()["keys"][0]["quotedTodaySats"].as_u64().unwrap();
    program.quote(&rig, &user, "paper-frogs-7d", HALF, 1).await.ok();
    program.quote(&rig, &user, "paper-frogs-7d", HALF, 1).await.refused(409, "too_many_offers");
    assert_eq!(today().await, HALF);
    let items = [user.item("frog-pond-bundle", 250_000, 1), user.item("paper-frogs-30d", HALF, 2)];
    let created = program.send(&rig, Method::POST, MANUAL, &json!({"offers": items})).await.ok();
    assert_eq!(created["refused"][0]["error"]["code"], "too_many_offers");
    assert_eq!(today().await, HALF + 250_000);
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_instant_offer_of_a_key_is_signed_by_the_wallet_and_within_the_limits() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    user.fund(&rig, 100 * FLOOR_SATS).await;
    let program = Program::with(&rig, &user, |key| {
        key.principal_max_sats = HALF;
        key.collections = Some(vec!["paper-frogs".to_owned()]);
    })
    .await;
    let vault = vault_signer(&rig).await;
    for (principal, status, code) in [(HALF + 1, 403, "api_key_principal"), (HALF, 201, "none")] {
        let offer = instant("paper-frogs-7d", principal, None, 7_000, &vault);
        let signed = user.sign_fresh(&rig, Action::CreateOffer(offer.clone())).await;
        let body = instant_body(&user, &offer, &signed);
        let answer = program.send(&rig, Method::POST, "/api/v1/offers/instant/ordinals", &body).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{}", answer.body);
    }
    assert_eq!(user.get(&rig, KEYS).await.ok()["keys"][0]["quotedTodaySats"], HALF);
    rig.server.stop().await;
}

#[actix_web::test]
async fn quotes_at_the_same_time_are_together_within_a_limit() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let one = Program::with(&rig, &user, |key| key.outstanding_max_sats = 3 * HALF).await;
    let other = Program::with(&rig, &user, |key| key.outstanding_max_sats = 3 * HALF).await;
    let quotes = (0..10).map(|number| {
        let program = if number % 2 == 0 { &one } else { &other };
        program.quote(&rig, &user, "paper-frogs-7d", HALF, 1)
    });
    let answers = futures_util::future::join_all(quotes).await;
    let made = answers.iter().filter(|answer| answer.status.is_success()).count();
    assert_eq!(made, 3);
    assert!(answers.iter().all(|answer| answer.status.is_success() || answer.code() == "api_key_outstanding"));
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_key_has_a_quota_of_its_own_and_answers_tell_what_is_left() {
    let rig = Rig::start_with(|settings| settings.quotas.reads_per_minute = 5).await;
    let user = TestUser::sign_in(&rig, 1).await;
    let program = Program::with(&rig, &user, |_| {}).await;
    let left = |answer: &Answer| {
        assert_eq!(answer.headers["ratelimit-policy"], "\"own-reads\";q=5;w=60");
        let field = answer.headers["ratelimit"].to_str().unwrap().to_owned();
        let rest = field.strip_prefix("\"own-reads\";r=").unwrap();
        let (remaining, seconds) = rest.split_once(";t=").unwrap();
        (remaining.parse::<u32>().unwrap(), seconds.parse::<u32>().unwrap())
    };
    let (remaining, seconds) = left(&program.get(&rig, "/api/v1/offers").await);
    assert_eq!((remaining, seconds), (4, 12));
    let refused = loop {
        let answer = program.get(&rig, "/api/v1/offers").await;
        if !answer.status.is_success() {
            break answer;
        }
    };
    refused.refused(429, "rate_limited");
    assert_eq!(left(&refused).0, 0);
    assert!(refused.headers.contains_key("retry-after"));
    // The session of the user, and another key, have theirs.
    let answer = user.get(&rig, "/api/v1/offers").await;
    assert_eq!(left(&answer).0, 4);
    let second = Program::with(&rig, &user, |_| {}).await;
    assert_eq!(left(&second.get(&rig, "/api/v1/offers").await).0, 4);
    let written = user.post(&rig, "/api/v1/offers/pause-all", &json!({})).await;
    assert!(written.headers["ratelimit"].to_str().unwrap().starts_with("\"writes\";r="), "{:?}", written.headers);
    assert!(!rig.get("/health/live").await.headers.contains_key("ratelimit"));
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_private_channel_opens_for_a_key_that_reads_and_closes_with_it() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let blind = Program::with(&rig, &user, |key| key.scopes.retain(|scope| *scope != KeyScope::Read)).await;
    let mut socket = Socket::open(&rig).await;
    let subscribe = |ticket: String| json!({"op": "subscribe", "channel": "me", "ticket": ticket});
    socket.send_frame(&subscribe(blind.ticket(&rig).await)).await;
    assert_eq!(socket.next_frame().await["code"], "api_key_scope");
    let program = Program::with(&rig, &user, |_| {}).await;
    socket.send_frame(&subscribe(program.ticket(&rig).await)).await;
    assert_eq!(socket.next_frame().await["type"], "snapshot");
    let late = program.ticket(&rig).await;
    user.send(&rig, Method::DELETE, &format!("{KEYS}/{}", program.id), None).await.ok();
    assert_eq!(socket.read_until_close().await.1, CloseCode::Policy);
    let mut socket = Socket::open(&rig).await;
    socket.send_frame(&subscribe(late)).await;
    assert_eq!(socket.next_frame().await["code"], "api_key_revoked");
    rig.server.stop().await;
}
