//! Tests of the binary form of the feed and of commands: it carries what JSON carries, as `api/WIRE.md` describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use domain::{Sats, UnitPrice};
use futures_util::{SinkExt as _, StreamExt as _};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::described::{Document, FEED};
use super::feed::{Socket, ticket};
use super::lender::TestUser;
use super::rig::Rig;

const SLUG: &str = "paper-frogs-7d";

/// The floor that ends the random trading, in sats; no random price is this one.
const LAST_FLOOR: u64 = 1_100_001;

/// A value of either encoding, with the names of an object in their order.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(u64::try_from(value).map_or(Tree::Signed(value), Tree::Unsigned))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut object = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            object.push(entry);
        }
        Ok(Tree::Object(object))
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

impl Tree {
    fn of_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap()
    }

    fn of_binary(bytes: &[u8]) -> Self {
        rmp_serde::from_slice(bytes).unwrap()
    }

    fn value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => json!(value),
            Self::Unsigned(value) => json!(value),
            Self::Signed(value) => json!(value),
            Self::Float(value) => json!(value),
            Self::Text(text) => json!(text),
            Self::List(values) => values.iter().map(Self::value).collect(),
            Self::Object(entries) => {
                Value::Object(entries.iter().map(|(name, value)| (name.clone(), value.value())).collect())
            }
        }
    }

    fn contains(&self, value: &Self) -> bool {
        self == value
            || match self {
                Self::List(values) => values.iter().any(|inner| inner.contains(value)),
                Self::Object(entries) => entries.iter().any(|(_, inner)| inner.contains(value)),
                _ => false,
            }
    }

    fn field(&self, name: &str) -> &Self {
        let Self::Object(entries) = self else { panic!("{self:?}") };
        entries.iter().find(|(key, _)| key == name).map_or(&Self::Null, |(_, value)| value)
    }
}

/// Asserts that a binary value is a JSON value whose objects are the arrays of their values, and collects the names of
/// each object.
#[track_caller]
fn assert_same(json: &Tree, binary: &Tree, objects: &mut BTreeSet<Vec<String>>) {
    match (json, binary) {
        (Tree::Object(entries), Tree::List(values)) => {
            assert_eq!(entries.len(), values.len(), "{json:?}\n{binary:?}");
            objects.insert(entries.iter().map(|(name, _)| name.clone()).collect());
            for ((_, left), right) in entries.iter().zip(values) {
                assert_same(left, right, objects);
            }
        }
        // The values of an error keep their names.
        (Tree::Object(left), Tree::Object(right)) => {
            let sorted = |entries: &[(String, Tree)]| -> BTreeMap<String, Tree> { entries.iter().cloned().collect() };
            assert_eq!(sorted(left), sorted(right));
        }
        (Tree::List(left), Tree::List(right)) => {
            assert_eq!(left.len(), right.len(), "{json:?}\n{binary:?}");
            for (left, right) in left.iter().zip(right) {
                assert_same(left, right, objects);
            }
        }
        (left, right) => assert_eq!(left, right),
    }
}

/// The objects of the page that describes the binary form: the names of their fields in order.
fn described() -> Vec<Vec<String>> {
    let page = include_str!("../../WIRE.md");
    let sections = page.split("\n#### ").skip(1);
    let fields = |section: &str| -> Vec<String> {
        let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
        let named = rows.filter_map(|row| row.split('`').nth(1)).map(str::to_owned);
        named.collect()
    };
    sections.map(fields).collect()
}

async fn open_binary(rig: &Rig) -> Socket {
    let mut request = format!("ws://{}/api/v1/feed", rig.server.address).into_client_request().unwrap();
    let offered = "other, lienbook.v1.binary, lienbook.v1.json";
    request.headers_mut().insert("sec-websocket-protocol", offered.parse().unwrap());
    let (socket, answer) = connect_async(request).await.unwrap();
    assert_eq!(answer.headers()["sec-websocket-protocol"], "lienbook.v1.binary");
    Socket(socket)
}

impl Socket {
    /// Sends an object as the array of its values.
    async fn send_binary(&mut self, values: &Value) {
        self.0.send(Message::binary(rmp_serde::to_vec(values).unwrap())).await.unwrap();
    }

    /// Returns the next frame of either encoding that is no receipt.
    async fn next_tree(&mut self) -> Tree {
        loop {
            let frame = self.next_tree_of_all().await;
            if !frame.contains(&Tree::Text("receipt".to_owned())) {
                return frame;
            }
        }
    }

    async fn next_tree_of_all(&mut self) -> Tree {
        loop {
            let message = tokio::time::timeout(Duration::from_secs(10), self.0.next()).await.expect("no frame arrived");
            match message.unwrap().unwrap() {
                Message::Text(text) => return Tree::of_json(&text),
                Message::Binary(bytes) => return Tree::of_binary(&bytes),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Returns all frames up to the one of the market channel with the last floor.
    async fn until_last_floor(&mut self) -> Vec<Tree> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next_tree().await;
            let is_last =
                frame.contains(&Tree::Text("market".to_owned())) && frame.contains(&Tree::Unsigned(LAST_FLOOR));
            frames.push(frame);
            if is_last {
                return frames;
            }
        }
    }

    /// Returns all frames before the pong to a ping that was sent.
    async fn until_pong(&mut self) -> Vec<Tree> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next_tree().await;
            let kind = match &frame {
                Tree::List(values) => values[0].clone(),
                object => object.field("type").clone(),
            };
            if kind == Tree::Text("pong".to_owned()) {
                return frames;
            }
            frames.push(frame);
        }
    }
}

/// The frames by type, channel and sequence, from the fields of JSON or their places in the binary form.
fn by_position(frames: Vec<Tree>) -> BTreeMap<String, Tree> {
    let key = |frame: &Tree| match frame {
        Tree::List(values) => {
            let is_delta = values[0] == Tree::Text("delta".to_owned());
            format!("{:?} {:?} {:?}", values[0], values[1], values[if is_delta { 4 } else { 3 }])
        }
        object => format!("{:?} {:?} {:?}", object.field("type"), object.field("channel"), object.field("seq")),
    };
    frames.into_iter().map(|frame| (key(&frame), frame)).collect()
}

#[actix_web::test]
async fn both_encodings_carry_the_same_values_through_random_trading() {
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    lender.fund(&rig, 10_000_000).await;
    super::instant_offers::create_ordinal(&rig, &lender, 500_000).await;
    let (mut json_socket, mut binary) = (Socket::open(&rig).await, open_binary(&rig).await);
    for channel in ["market", "requests", "book:g_1"] {
        json_socket.send_frame(&json!({"op": "subscribe", "channel": channel})).await;
        binary.send_binary(&json!(["subscribe", channel])).await;
    }
    let ticket_of = async || ticket(&rig, &lender).await;
    json_socket.send_frame(&json!({"op": "subscribe", "channel": "me", "ticket": ticket_of().await})).await;
    binary.send_binary(&json!(["subscribe", "me", ticket_of().await, null])).await;
    json_socket.send_frame(&json!({"op": "ping"})).await;
    binary.send_binary(&json!({"op": "ping"})).await;
    let mut frames = (json_socket.until_pong().await, binary.until_pong().await);

    let group = rig.app().market.group_named("paper-frogs").unwrap().id;
    let mut own: Vec<String> = Vec::new();
    for step in 0..40 {
        match rng.random_range(0..6) {
            0 => {
                let price = UnitPrice::from_sats(Sats::new(rng.random_range(900_000..1_100_000))).unwrap();
                rig.app().market.move_price(group, price, rig.app().now()).await.unwrap();
            }
            1 if !own.is_empty() => {
                let id = own.swap_remove(rng.random_range(0..own.len()));
                lender.post(&rig, "/api/v1/offers/manual/cancel", &json!({"offerIds": [id]})).await.ok();
            }
            2 => {
                let mut item = lender.item(SLUG, rng.random_range(300_000..500_000), 1);
                item["conditions"] = json!({"borrower_address": borrower.address(), "repaid_min": step % 2});
                lender.post(&rig, "/api/v1/offers/manual", &json!({"offers": [item]})).await.ok();
            }
            3 => {
                let mut item = lender.item(SLUG, 600_000, 1);
                (item["principal_min_amount"], item["ltv_max"]) = (json!(100_000), json!(5_000));
                lender.post(&rig, "/api/v1/offers/manual", &json!({"offers": [item]})).await.ok();
            }
            _ => own.extend(lender.quote(&rig, SLUG, rng.random_range(300_000..500_000), 1).await),
        }
    }
    // Rows are sent at intervals: both sockets get the one with this price in the same delta.
    rig.app()
        .market
        .move_price(group, UnitPrice::from_sats(Sats::new(LAST_FLOOR)).unwrap(), rig.app().now())
        .await
        .unwrap();
    frames.0.extend(json_socket.until_last_floor().await);
    frames.1.extend(binary.until_last_floor().await);
    json_socket.send_frame(&json!({"op": "ping", "id": 1})).await;
    binary.send_binary(&json!(["ping", 1])).await;
    frames.0.extend(json_socket.until_pong().await);
    frames.1.extend(binary.until_pong().await);
    let (of_json, of_binary) = (by_position(frames.0), by_position(frames.1));
    let (mut objects, mut compared) = (BTreeSet::new(), BTreeMap::<String, u32>::new());
    for (position, frame) in &of_json {
        if let Some(other) = of_binary.get(position) {
            assert_same(frame, other, &mut objects);
            assert_fits(frame, other);
            *compared.entry(format!("{:?}", frame.field("channel"))).or_default() += 1;
        }
    }
    let of_channel = |name: &str| compared.get(&format!("{:?}", Tree::Text(name.to_owned()))).copied().unwrap_or(0);
    assert!(of_channel("book:g_1") > 20 && of_channel("me") > 20 && of_channel("requests") == 1, "{compared:?}");
    assert!(of_channel("market") >= 1, "{compared:?}");
    assert_described(&objects);
    rig.server.stop().await;
}

/// Asserts that a frame of the server is as the description of the feed has it, in both encodings.
#[track_caller]
fn assert_fits(json: &Tree, binary: &Tree) {
    let text = |name: &str| match json.field(name) {
        Tree::Text(text) => text.clone(),
        _ => String::new(),
    };
    let kind = text("type");
    let name = match kind.as_str() {
        "snapshot" => format!("{}Snapshot", text("channel").split(':').next().unwrap()),
        "delta" => format!("{}Delta", text("channel").split(':').next().unwrap()),
        _ => kind,
    };
    for (name, frame) in [(name.clone(), json), (format!("{name}Binary"), binary)] {
        let schema = &FEED["components"]["messages"][&name]["payload"];
        assert!(schema.is_object(), "{name} is not described");
        if let Some(misfit) = Document(&FEED).misfit(schema, &frame.value(), &name) {
            panic!("not as described: {misfit}\n{frame:?}");
        }
    }
}

#[track_caller]
fn assert_described(objects: &BTreeSet<Vec<String>>) {
    let described = described();
    for object in objects {
        assert!(described.iter().any(|fields| fields.starts_with(object)), "WIRE.md has no object {object:?}");
    }
}

#[actix_web::test]
async fn commands_and_answers_have_the_same_values_in_both_encodings() {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    let (mut json_socket, mut binary) = (Socket::open(&rig).await, open_binary(&rig).await);
    json_socket.send_frame(&json!({"op": "authenticate", "ticket": ticket(&rig, &lender).await})).await;
    binary.send_binary(&json!(["authenticate", ticket(&rig, &lender).await])).await;
    let mut objects = BTreeSet::new();
    assert_same(&json_socket.next_tree().await, &binary.next_tree().await, &mut objects);
    let place = json!({"op": "place", "collectionSlug": SLUG, "principalAmount": 400_000, "quantity": 2, "id": "a"});
    let batch = json!({"op": "batch", "id": "b", "orders": [
        {"op": "place", "collectionSlug": SLUG, "principalAmount": 410_000},
        {"op": "place", "collectionSlug": SLUG, "principalAmount": 1},
        {"op": "cancel", "offerId": "of_1"},
    ]});
    let edit = json!({"op": "edit", "id": "c", "offerId": "of_1", "principalAmount": 7});
    // The second time the answer is the stored one, whichever encoding asks first.
    let in_order = [
        (place, json!(["place", SLUG, 400_000, 2, null, null, null, null, null, "a"])),
        (batch, json!(["batch", [["place", SLUG, 410_000], ["place", SLUG, 1], ["cancel", "of_1"]], null, "b"])),
        (edit, json!(["edit", "of_1", 7, null, null, null, null, "c"])),
        (json!({"op": "cancelAll", "id": "d"}), json!(["cancelAll", null, "d"])),
        (json!({"op": "heartbeat", "id": "e"}), json!(["heartbeat", null, "e"])),
    ];
    for (number, (as_json, as_binary)) in in_order.iter().enumerate() {
        let answers = if number % 2 == 0 {
            json_socket.send_frame(as_json).await;
            let first = json_socket.next_tree().await;
            binary.send_binary(as_binary).await;
            (first, binary.next_tree().await)
        } else {
            binary.send_binary(as_binary).await;
            let first = binary.next_tree().await;
            json_socket.send_frame(as_json).await;
            (json_socket.next_tree().await, first)
        };
        assert_same(&answers.0, &answers.1, &mut objects);
        assert_fits(&answers.0, &answers.1);
    }
    assert_described(&objects);
    let offers = lender.get(&rig, "/api/v1/offers").await.ok();
    assert_eq!(offers["data"], json!([]), "all were cancelled");
    for message in [
        Message::text(r#"{"op":"ping"}"#),
        Message::binary(vec![0xc1]),
        Message::binary(rmp_serde::to_vec(&json!(["order", 1])).unwrap()),
        Message::binary(rmp_serde::to_vec(&json!(["cancel", "of_1", "a", 1])).unwrap()),
        Message::binary([rmp_serde::to_vec(&json!(["ping"])).unwrap(), vec![0xc0]].concat()),
    ] {
        let is_text = message.is_text();
        let mut socket = open_binary(&rig).await;
        socket.0.send(message).await.unwrap();
        let Tree::List(error) = socket.next_tree().await else { panic!("an array") };
        assert_eq!(error[..2], [Tree::Text("error".to_owned()), Tree::Text("bad_frame".to_owned())]);
        let expected = if is_text { CloseCode::Unsupported } else { CloseCode::Policy };
        assert_eq!(socket.read_until_close().await.1, expected);
    }
    rig.server.stop().await;
}
