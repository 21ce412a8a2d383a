//! Tests of the live feed over real sockets.

use std::time::Duration;

use domain::{Sats, UnitPrice};
use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

use super::lender::TestUser;
use super::rig::Rig;

pub struct Socket(pub WebSocketStream<MaybeTlsStream<TcpStream>>);

/// The limit of every wait for a frame.
const TIMEOUT: Duration = Duration::from_secs(90);

async fn handshake(rig: &Rig, origin: Option<&str>) -> Result<Socket, u16> {
    let url = format!("ws://{}/api/v1/feed", rig.server.address);
    let mut request = url.into_client_request().unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    match connect_async(request).await {
        Ok((socket, _)) => Ok(Socket(socket)),
        Err(Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

impl Socket {
    pub async fn open(rig: &Rig) -> Self {
        handshake(rig, Some(&rig.base)).await.unwrap()
    }

    pub async fn send_frame(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    pub async fn subscribe(&mut self, channel: &str) -> Value {
        self.send_frame(&json!({"op": "subscribe", "channel": channel})).await;
        self.next_frame().await
    }

    /// Returns the next frame that is no receipt: those arrive some time after the answers of commands.
    pub async fn next_frame(&mut self) -> Value {
        loop {
            let frame = self.next_frame_of_all().await;
            if !is_receipt(&frame) {
                return frame;
            }
        }
    }

    /// Returns the next frame.
    pub async fn next_frame_of_all(&mut self) -> Value {
        loop {
            match tokio::time::timeout(TIMEOUT, self.0.next()).await.expect("no frame arrived").unwrap().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Returns the next frame of a channel that has an operation of this kind, and checks its sequence number.
    pub async fn next_op(&mut self, seq: &mut u64, op: &str) -> Value {
        loop {
            let frame = self.next_frame().await;
            assert_eq!(frame["type"], "delta", "{frame}");
            assert_eq!(frame["prev"], *seq, "{frame}");
            *seq = frame["seq"].as_u64().unwrap();
            let found = frame["ops"].as_array().unwrap().iter().find(|it| it["op"] == op).cloned();
            if let Some(found) = found {
                return found;
            }
        }
    }

    /// Returns the error and the code that the server closes with.
    pub async fn read_until_close(&mut self) -> (Vec<Value>, CloseCode) {
        let mut frames = Vec::new();
        loop {
            match tokio::time::timeout(TIMEOUT, self.0.next()).await.expect("no frame arrived").unwrap().unwrap() {
                Message::Text(text) => frames.push(serde_json::from_str::<Value>(&text).unwrap()),
                Message::Close(Some(reason)) => {
                    frames.retain(|frame| !is_receipt(frame));
                    return (frames, reason.code);
                }
                _ => {}
            }
        }
    }
}

fn is_receipt(frame: &Value) -> bool {
    frame["type"] == "receipt"
}

pub async fn ticket(rig: &Rig, lender: &TestUser) -> String {
    let answer = lender.send(rig, Method::POST, "/api/v1/feed/ticket", None).await.ok();
    answer["ticket"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn a_book_begins_with_a_snapshot_and_continues_with_deltas_in_sequence() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let standing = lender.quote(&rig, "paper-frogs-7d", 400_000, 1).await.remove(0);
    let mut socket = Socket::open(&rig).await;
    let snapshot = socket.subscribe("book:g_1").await;
    assert_eq!((snapshot["type"].as_str(), snapshot["channel"].as_str()), (Some("snapshot"), Some("book:g_1")));
    assert_eq!(snapshot["epoch"], rig.app().market.epoch());
    assert_eq!(snapshot["data"]["offers"][0]["offerId"], standing.as_str());
    assert_eq!(snapshot["data"]["row"]["groupSlug"], "paper-frogs");
    let mut seq = snapshot["seq"].as_u64().unwrap();

    let id = lender.quote(&rig, "paper-frogs-7d", 500_000, 1).await.remove(0);
    let op = socket.next_op(&mut seq, "offer").await;
    assert_eq!((&op["offer"]["offerId"], &op["offer"]["state"]), (&json!(id), &json!("live")));
    lender.post(&rig, "/api/v1/offers/pause", &json!({"offerIds": [id]})).await.ok();
    assert_eq!(socket.next_op(&mut seq, "offer_gone").await["offerId"], id.as_str());

    // Another subscription to the same channel starts with a new snapshot; after unsubscribing no frame comes.
    let again = socket.subscribe("book:g_1").await;
    assert_eq!((again["type"].as_str(), again["seq"].as_u64()), (Some("snapshot"), Some(seq)));
    socket.send_frame(&json!({"op": "unsubscribe", "channel": "book:g_1"})).await;
    socket.send_frame(&json!({"op": "ping", "id": 7})).await;
    assert_eq!(socket.next_frame().await, json!({"type": "pong", "id": 7}));
    lender.post(&rig, "/api/v1/offers/resume", &json!({"offerIds": [id]})).await.ok();
    socket.send_frame(&json!({"op": "ping"})).await;
    assert_eq!(socket.next_frame().await, json!({"type": "pong"}));
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_market_channel_follows_prices_and_unknown_channels_are_named() {
    let rig = Rig::start().await;
    let mut socket = Socket::open(&rig).await;
    let snapshot = socket.subscribe("market").await;
    assert_eq!(snapshot["data"]["rows"].as_array().unwrap().len(), 3);
    let mut seq = snapshot["seq"].as_u64().unwrap();
    let group = rig.app().market.group_named("paper-frogs").unwrap().id;
    let price = UnitPrice::from_sats(Sats::new(1_100_000)).unwrap();
    rig.app().market.move_price(group, price, rig.app().now()).await.unwrap();
    // Rows are published at intervals: a change just before the subscription may be published once more.
    while socket.next_op(&mut seq, "row").await["row"]["floor"] != 1_100_000 {}
    for channel in ["book:g_99", "me"] {
        let error = socket.subscribe(channel).await;
        let code = if channel == "me" { "ticket_refused" } else { "unknown_channel" };
        assert_eq!(
            (&error["type"], &error["code"], &error["channel"]),
            (&json!("error"), &json!(code), &json!(channel))
        );
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_private_channel_opens_with_a_ticket_that_works_once() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let ticket = ticket(&rig, &lender).await;
    let mut socket = Socket::open(&rig).await;
    let subscribe = json!({"op": "subscribe", "channel": "me", "ticket": ticket});
    socket.send_frame(&subscribe).await;
    let snapshot = socket.next_frame().await;
    assert_eq!((snapshot["type"].as_str(), &snapshot["data"]["vault"]), (Some("snapshot"), &json!(null)), "{snapshot}");
    let mut seq = snapshot["seq"].as_u64().unwrap();

    let id = lender.quote(&rig, "paper-frogs-7d", 500_000, 1).await.remove(0);
    assert_eq!(socket.next_op(&mut seq, "my_offer").await["offer"]["offerId"], id.as_str());
    other.quote(&rig, "paper-frogs-7d", 600_000, 1).await;
    let outranked = socket.next_op(&mut seq, "my_offer").await;
    assert_eq!((&outranked["offer"]["offerId"], &outranked["offer"]["offerRanking"]), (&json!(id), &json!(2)));
    lender.open_vault(&rig).await;
    assert_eq!(socket.next_op(&mut seq, "vault").await["vault"]["vaultAddress"], lender.vault());
    lender.fund(&rig, 5_000).await;
    assert_eq!(socket.next_op(&mut seq, "vault").await["vault"]["balanceSats"], 5_000);

    let mut second = Socket::open(&rig).await;
    let altered = format!("{}A", &ticket[..ticket.len() - 1]);
    for bad in [ticket.as_str(), &altered, "", "garbage"] {
        second.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": bad})).await;
        let error = second.next_frame().await;
        assert_eq!((&error["code"], &error["channel"]), (&json!("ticket_refused"), &json!("me")));
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_private_channel_of_one_user_opens_sixteen_times_and_no_more() {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let open = async |lender: &TestUser| {
        let mut socket = Socket::open(&rig).await;
        socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": ticket(&rig, lender).await})).await;
        (socket.next_frame().await, socket)
    };
    let mut sockets = Vec::new();
    for _ in 0..16 {
        let (frame, socket) = open(&lender).await;
        assert_eq!(frame["type"], "snapshot");
        sockets.push(socket);
    }
    let (refused, _socket) = open(&lender).await;
    assert_eq!((&refused["code"], &refused["channel"]), (&json!("too_many_channels"), &json!("me")));
    assert_eq!(open(&other).await.0["type"], "snapshot");
    sockets[0].send_frame(&json!({"op": "unsubscribe", "channel": "me"})).await;
    sockets[0].send_frame(&json!({"op": "ping"})).await;
    assert_eq!(sockets[0].next_frame().await["type"], "pong");
    assert_eq!(open(&lender).await.0["type"], "snapshot");
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_lender_with_more_offers_than_a_socket_takes_receives_an_error() {
    let rig = Rig::start_with(|settings| settings.limits.offers_per_lender_max = 10_000).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let items: Vec<Value> = (0..20).map(|_| lender.item("paper-frogs-7d", 500_000, 5)).collect();
    for _ in 0..60 {
        lender.post(&rig, "/api/v1/offers/manual", &json!({"offers": items})).await.ok();
    }
    let mut socket = Socket::open(&rig).await;
    socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": ticket(&rig, &lender).await})).await;
    let refused = socket.next_frame().await;
    assert_eq!((&refused["code"], &refused["channel"]), (&json!("snapshot_too_large"), &json!("me")));
    assert_eq!(socket.subscribe("market").await["type"], "snapshot");
    rig.server.stop().await;
}

#[actix_web::test]
async fn signing_out_closes_the_private_socket_and_voids_tickets() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let (first, second) = (ticket(&rig, &lender).await, ticket(&rig, &lender).await);
    let mut socket = Socket::open(&rig).await;
    socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": first})).await;
    assert_eq!(socket.next_frame().await["type"], "snapshot");
    assert_eq!(lender.send(&rig, Method::DELETE, "/api/v1/session", None).await.status, 204);
    assert_eq!(socket.read_until_close().await.1, CloseCode::Policy);
    let mut socket = Socket::open(&rig).await;
    socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": second})).await;
    assert_eq!(socket.next_frame().await["code"], "session_ended");
    rig.server.stop().await;
}

#[actix_web::test]
async fn sockets_are_limited_in_number_and_to_own_pages_and_programs() {
    let rig = Rig::start_with(|settings| settings.quotas.sockets_per_ip_max = 2).await;
    for origin in ["http://evil.example", "null", "http://127.0.0.1"] {
        assert_eq!(handshake(&rig, Some(origin)).await.err(), Some(403), "{origin}");
    }
    let localhost = format!("http://localhost:{}", rig.server.address.port());
    let first = handshake(&rig, Some(&localhost)).await.unwrap();
    let _program = handshake(&rig, None).await.unwrap();
    assert_eq!(handshake(&rig, None).await.err(), Some(503));
    drop(first);
    for _ in 0..100 {
        if rig.app().sockets.len() < 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(handshake(&rig, None).await.is_ok());
    rig.get("/api/v1/feed").await.refused(400, "invalid_query");
    rig.server.stop().await;
}

#[actix_web::test]
async fn invalid_oversized_and_too_frequent_frames_close_the_socket() {
    // So few that none comes back while they are sent.
    let rig = Rig::start_with(|settings| settings.quotas.socket_frames_per_minute = 10).await;
    let before = rig.events();
    let texts = [
        "",
        "{",
        "[]",
        "null",
        r#"{"op":"order"}"#,
        r#"{"op":"subscribe"}"#,
        r#"{"op":"ping","x":1}"#,
        r#"{"op":"subscribe","channel":"book:1"}"#,
        r#"{"op":"subscribe","channel":7}"#,
    ];
    let mut messages: Vec<Message> = texts.iter().map(|text| Message::text(*text)).collect();
    messages.push(Message::binary(vec![0, 1, 2]));
    messages.push(Message::text(format!("{{\"op\":\"ping\",\"id\":\"{}\"}}", "x".repeat(5_000))));
    messages.push(Message::text("[".repeat(4_000)));
    for message in messages {
        let mut socket = Socket::open(&rig).await;
        socket.0.send(message.clone()).await.unwrap();
        let (frames, code) = socket.read_until_close().await;
        assert_eq!((frames[0]["type"].as_str(), frames[0]["code"].as_str()), (Some("error"), Some("bad_frame")));
        let expected = match &message {
            Message::Binary(_) => CloseCode::Unsupported,
            long if long.len() > 4_096 => CloseCode::Size,
            _ => CloseCode::Policy,
        };
        assert_eq!(code, expected, "{message:?}");
    }
    let mut socket = Socket::open(&rig).await;
    for _ in 0..11 {
        socket.send_frame(&json!({"op": "ping"})).await;
    }
    let (frames, code) = socket.read_until_close().await;
    assert_eq!((frames.last().unwrap()["code"].as_str(), code), (Some("rate_limited"), CloseCode::Policy));
    assert_eq!(rig.events(), before);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_stopping_server_notifies_its_sockets() {
    let rig = Rig::start().await;
    let mut socket = Socket::open(&rig).await;
    socket.subscribe("market").await;
    let stopping = actix_web::rt::spawn(rig.server.stop());
    assert_eq!(socket.read_until_close().await.1, CloseCode::Away);
    stopping.await.unwrap();
}

/// A client that stops reading blocks its actor, so its connection is cut by another task.
#[actix_web::test]
async fn a_client_that_does_not_read_is_disconnected_and_others_continue() {
    const MOVES: u64 = 8;
    // The kernel ends a connection that is not read, too. Where it takes long to fill the buffers, it would be first.
    let rig = Rig::start_with(|settings| settings.quotas.unread_seconds = 3_600).await;
    let mut reader = Socket::open(&rig).await;
    reader.subscribe("market").await;
    let stalled = TcpSocket::new_v4().unwrap();
    stalled.set_recv_buffer_size(4_096).unwrap();
    let stream = stalled.connect(rig.server.address).await.unwrap();
    let url = format!("ws://{}/api/v1/feed", rig.server.address);
    let (mut stalled, _) = client_async(url, stream).await.unwrap();
    stalled.send(Message::text(r#"{"op":"subscribe","channel":"book:g_1"}"#)).await.unwrap();

    let app = rig.app();
    let group = app.market.group_named("paper-frogs").unwrap().id;
    // However long its buffers take to fill: it is not closed as silent, only as one that does not read.
    let be_heard = async {
        while stalled.send(Message::Pong(Vec::new().into())).await.is_ok() {
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        std::future::pending::<()>().await;
    };
    let flood = async {
        for step in 0_u64.. {
            // A few at a time: those that wait together are published in one frame.
            let moves = (0..MOVES).map(|offset| {
                let price = UnitPrice::from_sats(Sats::new(900_000 + (step * MOVES + offset) % 100_000)).unwrap();
                app.market.move_price(group, price, app.now())
            });
            futures_util::future::join_all(moves).await;
            if app.sockets.len() < 2 {
                return;
            }
        }
    };
    let drain = async {
        loop {
            reader.next_frame().await;
        }
    };
    tokio::select! {
        () = flood => {}
        () = drain => {}
        () = be_heard => {}
        () = tokio::time::sleep(Duration::from_mins(4)) => panic!("the blocked socket was never closed"),
    }
    let reasons = ["stalled", "silent", "too slow"];
    let closed = reasons.map(|reason| app.metrics.sockets_closed.with_label_values(&[reason]).get());
    assert_eq!((app.sockets.len(), closed), (1, [1, 0, 0]), "{reasons:?}");
    let snapshot = reader.subscribe("book:g_2").await;
    assert!(snapshot.is_object());
    rig.server.stop().await;
}
