//! Tests of trading over the socket of the feed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::api_keys::Program;
use super::feed::{Socket, ticket};
use super::lender::TestUser;
use super::rig::{FLOOR_SATS, Rig};

const SLUG: &str = "paper-frogs-7d";

impl Socket {
    /// A socket that trades for a user's session.
    async fn trading(rig: &Rig, lender: &TestUser) -> Self {
        Self::trading_with(rig, &ticket(rig, lender).await).await
    }

    async fn trading_with(rig: &Rig, ticket: &str) -> Self {
        let mut socket = Self::open(rig).await;
        socket.send_frame(&json!({"op": "authenticate", "ticket": ticket})).await;
        let frame = socket.next_frame().await;
        assert_eq!((&frame["type"], &frame["ordersMax"]), (&json!("authenticated"), &json!(256)), "{frame}");
        socket
    }

    /// Returns the next answers, in the order of arrival.
    async fn answers(&mut self, count: usize) -> Vec<Value> {
        let mut answers = Vec::new();
        while answers.len() < count {
            let frame = self.next_frame().await;
            if frame["type"] == "answers" {
                answers.extend(frame["answers"].as_array().unwrap().clone());
            }
        }
        assert_eq!(answers.len(), count);
        answers
    }

    async fn ask(&mut self, frame: Value) -> Value {
        self.send_frame(&frame).await;
        self.answers(1).await.remove(0)
    }

    /// Places an offer and returns its id.
    async fn placed(&mut self, id: &str, principal: u64) -> String {
        let answer = self.ask(place(id, principal)).await;
        assert_eq!(answer["result"]["kind"], "placed", "{answer}");
        answer["result"]["offerIds"][0].as_str().unwrap().to_owned()
    }
}

fn place(id: &str, principal: u64) -> Value {
    json!({"op": "place", "id": id, "collectionSlug": SLUG, "principalAmount": principal})
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

async fn open_offers(rig: &Rig, lender: &TestUser) -> Vec<String> {
    let listed = lender.get(rig, "/api/v1/offers").await.ok();
    let ids = listed["data"].as_array().unwrap().iter().map(|offer| offer["offerId"].as_str().unwrap().to_owned());
    ids.collect()
}

async fn until_open(rig: &Rig, lender: &TestUser, expected: &[String]) {
    for _ in 0..400 {
        if open_offers(rig, lender).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(open_offers(rig, lender).await, expected);
}

#[actix_web::test]
async fn pipelined_commands_are_answered_in_order_and_each_id_has_one_effect() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let standing = lender.quote(&rig, SLUG, 300_000, 1).await.remove(0);
    let mut socket = Socket::trading(&rig, &lender).await;
    let commands = [
        place("a", 400_000),
        json!({"op": "edit", "id": "b", "offerId": standing, "principalAmount": 310_000}),
        // The edit before it has replaced the offer.
        json!({"op": "cancel", "id": "c", "offerId": standing}),
        json!({"op": "heartbeat", "id": "d"}),
        place("a", 400_000),
        place("a", 400_001),
        json!({"op": "place", "collectionSlug": SLUG, "principalAmount": 1}),
        json!({"op": "place", "id": "e", "collectionSlug": "none", "principalAmount": 400_000}),
        json!({"op": "place", "id": "f", "collectionSlug": SLUG, "principalAmount": 500_000, "quantity": 2}),
    ];
    for command in &commands {
        socket.send_frame(command).await;
    }
    let answers = socket.answers(commands.len()).await;
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(json!(ids), json!(["a", "b", "c", "d", "a", "a", null, "e", "f"]));
    let kinds: Vec<&str> =
        answers.iter().map(|answer| answer["result"]["kind"].as_str().unwrap_or_else(|| code(answer))).collect();
    let expected = [
        "placed",
        "edited",
        "unknown_offer",
        "heartbeat",
        "placed",
        "idempotency_mismatch",
        "invalid_idempotency_key",
        "unknown_collection",
        "placed",
    ];
    assert_eq!(kinds, expected, "{answers:?}");
    assert_eq!(answers[0], answers[4]);
    let ids = |answer: &Value| -> Vec<String> { serde_json::from_value(answer["result"]["offerIds"].clone()).unwrap() };
    let open = [ids(&answers[0]), ids(&answers[1]), ids(&answers[8])].concat();
    assert_eq!(open_offers(&rig, &lender).await, open);

    // The position is that of the book's channel.
    let snapshot = Socket::open(&rig).await.subscribe("book:g_1").await;
    assert_eq!(answers[8]["result"]["seq"], snapshot["seq"]);
    let events = rig.events();
    assert_eq!(socket.ask(commands[0].clone()).await, answers[0]);
    let cancelled = socket.ask(json!({"op": "cancel", "id": "g", "offerId": open[0]})).await;
    assert_eq!((&cancelled["result"]["kind"], ids(&cancelled)), (&json!("cancelled"), vec![open[0].clone()]));
    let all = socket.ask(json!({"op": "cancelAll", "id": "h", "collection": "paper-frogs"})).await;
    assert_eq!(all["result"], json!({"kind": "cancelledAll", "cancelled": 3}));
    assert_eq!(rig.events(), events + 4);
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_id_has_one_effect_also_after_a_restart() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let mut socket = Socket::trading(&rig, &lender).await;
    let orders = json!([
        {"op": "place", "collectionSlug": SLUG, "principalAmount": 1},
        {"op": "place", "collectionSlug": SLUG, "principalAmount": 400_000},
        {"op": "place", "collectionSlug": SLUG, "principalAmount": 410_000},
    ]);
    let batch = json!({"op": "batch", "id": "b", "orders": orders});
    let first = socket.ask(batch.clone()).await;
    socket.placed("a", 420_000).await;
    let open = open_offers(&rig, &lender).await;
    assert_eq!(open.len(), 3, "{first}");

    let rig = rig.restart().await;
    assert_eq!(open_offers(&rig, &lender).await, open, "they do not depend on the connection");
    let mut socket = Socket::trading(&rig, &lender).await;
    assert_eq!(code(&socket.ask(place("a", 420_000)).await), "idempotency_spent");
    let again = socket.ask(batch).await;
    let outcomes = again["result"]["outcomes"].as_array().unwrap();
    assert!(outcomes[1..].iter().all(|outcome| code(outcome) == "idempotency_spent"), "{again}");
    assert_eq!(open_offers(&rig, &lender).await, open);
    rig.server.stop().await;
}

#[actix_web::test]
async fn each_order_of_a_batch_has_an_outcome_of_its_own() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let own = lender.quote(&rig, SLUG, 300_000, 2).await;
    let foreign = other.quote(&rig, SLUG, 300_000, 1).await.remove(0);
    let mut socket = Socket::trading(&rig, &lender).await;
    let orders = json!([
        {"op": "cancel", "offerId": own[0]},
        {"op": "cancel", "offerId": foreign},
        {"op": "place", "collectionSlug": SLUG, "principalAmount": 400_000, "quantity": 2},
        {"op": "place", "collectionSlug": SLUG, "principalAmount": 990_001},
        {"op": "cancel", "offerId": "nonsense"},
        {"op": "edit", "offerId": own[1], "principalAmount": 350_000},
        {"op": "cancel", "offerId": own[0]},
    ]);
    let answer = socket.ask(json!({"op": "batch", "id": "b", "orders": orders})).await;
    let outcomes = answer["result"]["outcomes"].as_array().unwrap();
    let kinds: Vec<&str> =
        outcomes.iter().map(|one| one["result"]["kind"].as_str().unwrap_or_else(|| code(one))).collect();
    let expected =
        ["cancelled", "not_owner", "placed", "ltv_above_ceiling", "unknown_offer", "edited", "unknown_offer"];
    assert_eq!(kinds, expected, "{answer}");
    assert_eq!(open_offers(&rig, &lender).await.len(), 3);
    let with_id = json!([{"op": "cancel", "id": "x", "offerId": own[0]}]);
    for orders in [json!([]), with_id, json!(vec![json!({"op": "cancel", "offerId": "of_1"}); 101])] {
        let refused = socket.ask(json!({"op": "batch", "id": "c", "orders": orders})).await;
        assert_eq!((code(&refused), &refused["error"]["values"]["field"]), ("invalid_field", &json!("orders")));
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn an_api_key_trades_within_its_scopes_and_limits_until_it_is_revoked() {
    let rig = Rig::start().await;
    let user = TestUser::sign_in(&rig, 1).await;
    let trader = Program::with(&rig, &user, |key| {
        key.scopes.retain(|scope| ["quote", "cancel"].contains(&scope.to_string().as_str()));
        (key.principal_max_sats, key.outstanding_max_sats) = (FLOOR_SATS / 2, FLOOR_SATS);
    });
    let trader = trader.await;
    let mut socket = Socket::trading_with(&rig, &trader.ticket(&rig).await).await;
    let order = |principal: u64| json!({"op": "place", "collectionSlug": SLUG, "principalAmount": principal});
    let orders = [order(400_000), order(500_001), order(400_000), order(300_000)];
    let answer = socket.ask(json!({"op": "batch", "id": "b", "orders": orders})).await;
    let codes: Vec<&str> = answer["result"]["outcomes"].as_array().unwrap().iter().map(code).collect();
    assert_eq!(codes, ["none", "api_key_principal", "none", "api_key_outstanding"], "{answer}");
    // Without the limits nothing is counted one by one: a cancellation makes room for what follows it.
    let own = open_offers(&rig, &user).await;
    let orders = json!([{"op": "cancel", "offerId": own[0]}, order(350_000)]);
    let answer = socket.ask(json!({"op": "batch", "id": "c", "orders": orders})).await;
    let codes: Vec<&str> = answer["result"]["outcomes"].as_array().unwrap().iter().map(code).collect();
    assert_eq!(codes, ["none", "none"], "{answer}");

    // The private channel takes a ticket of a key that reads.
    socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": trader.ticket(&rig).await})).await;
    assert_eq!(socket.next_frame().await["code"], "api_key_scope");
    let canceller = Program::with(&rig, &user, |key| key.scopes.retain(|scope| scope.to_string() == "cancel")).await;
    let mut second = Socket::trading_with(&rig, &canceller.ticket(&rig).await).await;
    let refused = second.ask(place("a", 400_000)).await;
    assert_eq!((code(&refused), &refused["error"]["values"]["scope"]), ("api_key_scope", &json!("quote")));
    let all = second.ask(json!({"op": "cancelAll", "id": "z"})).await;
    assert_eq!(all["result"]["cancelled"], 2, "{all}");

    let path = format!("/api/v1/me/api-keys/{}", canceller.id);
    user.send(&rig, Method::DELETE, &path, None).await.ok();
    second.send_frame(&json!({"op": "cancelAll", "id": "y"})).await;
    let (frames, closed) = second.read_until_close().await;
    let is_refused = |frame: &Value| code(&frame["answers"][0]) == "api_key_revoked";
    assert!(frames.iter().all(is_refused) && closed == CloseCode::Policy, "{frames:?}");
    assert_eq!(socket.placed("d", 400_000).await, open_offers(&rig, &user).await[0], "the other key is valid");
    rig.server.stop().await;
}

#[actix_web::test]
async fn offers_are_cancelled_when_the_connection_closes_is_silent_or_the_server_restarts() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let stays = lender.quote(&rig, SLUG, 300_000, 1).await;
    let mut by_close = Socket::trading(&rig, &lender).await;
    let armed = by_close.ask(json!({"op": "heartbeat", "id": "h", "cancelOnDisconnect": 600})).await;
    assert_eq!(armed["result"], json!({"kind": "heartbeat", "cancelOnDisconnect": 600}));
    let first = by_close.placed("a", 400_000).await;
    let edit = json!({"op": "edit", "id": "b", "offerId": first, "principalAmount": 410_000});
    assert_eq!(by_close.ask(edit).await["result"]["kind"], "edited");
    by_close.placed("c", 420_000).await;
    assert_eq!(open_offers(&rig, &lender).await.len(), 3);
    drop(by_close);
    until_open(&rig, &lender, &stays).await;

    let mut by_silence = Socket::trading(&rig, &lender).await;
    by_silence.ask(json!({"op": "heartbeat", "cancelOnDisconnect": 600})).await;
    by_silence.placed("d", 400_000).await;
    for seconds in [0, 601] {
        let refused = by_silence.ask(json!({"op": "heartbeat", "cancelOnDisconnect": seconds})).await;
        assert_eq!(code(&refused), "invalid_field", "{refused}");
    }
    by_silence.ask(json!({"op": "heartbeat", "cancelOnDisconnect": 1})).await;
    assert_eq!(by_silence.read_until_close().await.1, CloseCode::Policy);
    until_open(&rig, &lender, &stays).await;

    // A connection without it keeps its offers, and cannot begin with it later.
    let mut plain = Socket::trading(&rig, &lender).await;
    let kept = plain.placed("e", 430_000).await;
    let late = plain.ask(json!({"op": "heartbeat", "cancelOnDisconnect": 5})).await;
    assert_eq!(code(&late), "invalid_field", "{late}");
    drop(plain);

    let mut by_restart = Socket::trading(&rig, &lender).await;
    by_restart.ask(json!({"op": "heartbeat", "cancelOnDisconnect": 600})).await;
    by_restart.placed("f", 440_000).await;
    let rig = rig.restart().await;
    assert_eq!(open_offers(&rig, &lender).await, [stays, vec![kept]].concat());
    rig.server.stop().await;
}

/// The client sends more than the server keeps for it, and reads only then.
#[actix_web::test]
async fn no_answer_is_lost_for_a_client_that_reads_late() {
    const COMMANDS: usize = 3_000;
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let socket = Socket::trading(&rig, &lender).await;
    let (mut sender, mut receiver) = socket.0.split();
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let sending = actix_web::rt::spawn(async move {
        for number in 0..COMMANDS {
            let command = json!({"op": "cancel", "id": format!("c{number}"), "offerId": "of_1"});
            sender.send(Message::text(command.to_string())).await.unwrap();
            count.fetch_add(1, Ordering::Relaxed);
        }
        sender
    });
    for _ in 0..400 {
        if sent.load(Ordering::Relaxed) >= COMMANDS / 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut answered = 0;
    while answered < COMMANDS {
        let message = tokio::time::timeout(Duration::from_secs(20), receiver.next()).await.unwrap().unwrap().unwrap();
        let Message::Text(text) = message else { continue };
        let frame: Value = serde_json::from_str(&text).unwrap();
        for answer in frame["answers"].as_array().unwrap() {
            assert_eq!((answer["id"].as_str().unwrap(), code(answer)), (&*format!("c{answered}"), "unknown_offer"));
            answered += 1;
        }
    }
    drop(sending.await.unwrap());
    rig.server.stop().await;
}

#[actix_web::test]
async fn malformed_oversized_and_unauthenticated_commands_are_refused() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let before = rig.events();
    let mut newcomer = Socket::open(&rig).await;
    for command in [place("a", 400_000), json!({"op": "heartbeat", "id": "a"}), json!({"op": "cancelAll", "id": "a"})] {
        let answer = newcomer.ask(command).await;
        assert_eq!((&answer["id"], code(&answer)), (&json!("a"), "unauthenticated"));
    }
    newcomer.send_frame(&json!({"op": "authenticate", "ticket": "garbage"})).await;
    assert_eq!(newcomer.next_frame().await["code"], "ticket_refused");
    newcomer.send_frame(&place(&"x".repeat(5_000), 1)).await;
    assert_eq!(newcomer.read_until_close().await.1, CloseCode::Size);

    let long = json!({"op": "cancel", "id": "a", "offerId": "x".repeat(5_000)}).to_string();
    let mut socket = Socket::trading(&rig, &lender).await;
    socket.0.send(Message::text(long)).await.unwrap();
    assert_eq!(code(&socket.answers(1).await[0]), "unknown_offer");
    for (text, expected) in [
        (r#"{"op":"place","id":"a"}"#.to_owned(), CloseCode::Policy),
        (r#"{"op":"cancel","id":"a","offerId":"of_1","x":1}"#.to_owned(), CloseCode::Policy),
        (r#"{"op":"batch","id":"a","orders":{}}"#.to_owned(), CloseCode::Policy),
        (format!(r#"{{"op":"cancel","offerId":"{}"}}"#, "x".repeat(65_536)), CloseCode::Size),
    ] {
        let mut socket = Socket::trading(&rig, &lender).await;
        socket.0.send(Message::text(text.clone())).await.unwrap();
        let (frames, closed) = socket.read_until_close().await;
        assert_eq!((frames[0]["code"].as_str(), closed), (Some("bad_frame"), expected), "{text:.80}");
    }
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn commands_count_as_writes_and_end_with_the_session() {
    let rig = Rig::start_with(|settings| settings.quotas.writes_per_minute = 40).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let mut socket = Socket::trading(&rig, &lender).await;
    let cancel = |id: usize| json!({"op": "cancel", "id": format!("c{id}"), "offerId": "of_1"});
    // Of 41 orders, each started twenty count as one write.
    let orders = json!(vec![json!({"op": "cancel", "offerId": "of_1"}); 41]);
    assert_eq!(socket.ask(json!({"op": "batch", "id": "b", "orders": orders})).await["result"]["kind"], "batch");
    for number in 0..60 {
        socket.send_frame(&cancel(number)).await;
    }
    let answers = socket.answers(60).await;
    let permitted = answers.iter().take_while(|answer| code(answer) == "unknown_offer").count();
    // As time passes, more come back.
    assert!((37..60).contains(&permitted), "{permitted}");
    assert_eq!(code(&answers[permitted]), "rate_limited");
    assert_eq!(lender.send(&rig, Method::DELETE, "/api/v1/session", None).await.status, 204);
    socket.send_frame(&cancel(99)).await;
    let (frames, closed) = socket.read_until_close().await;
    assert!(frames.iter().all(|frame| code(&frame["answers"][0]) == "session_ended"), "{frames:?}");
    assert_eq!(closed, CloseCode::Policy);
    rig.server.stop().await;
}
