//! A client of the feed protocol: it keeps a copy of a channel and detects every gap.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    task::{Context, Poll, Waker},
};

use domain::Sats;
use engine::{
    feed::{FeedPosition, Outgoing, SocketQueue},
    wire::Volumes,
};
use futures_util::StreamExt;
use serde_json::Value;

use crate::fixture::{FROGS, Fixture, GOLD, until};

/// Waits for the next action of the socket.
pub(crate) async fn next(socket_queue: &SocketQueue) -> Option<Outgoing> {
    let mut socket_queue = socket_queue.clone();
    let wait = tokio::time::timeout(std::time::Duration::from_secs(90), socket_queue.next());
    wait.await.expect("a frame arrives in time")
}

/// The next action of the socket, if there is one now.
pub(crate) fn take(socket_queue: &SocketQueue) -> Option<Outgoing> {
    match socket_queue.poll_action(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outgoing) => outgoing,
        Poll::Pending => None,
    }
}

/// All queued frames.
pub(crate) fn drain(socket_queue: &SocketQueue) -> Vec<Value> {
    let frame = |outgoing| match outgoing {
        Outgoing::Frame(frame) => serde_json::from_str(&frame).expect("a frame is JSON"),
        other => panic!("not a frame: {other:?}"),
    };
    std::iter::from_fn(|| take(socket_queue)).map(frame).collect()
}

/// Waits until a socket that reads the market and the frogs' book has the rows of all earlier changes; returns its frames
/// until then. Rows follow the answers, so new ones are caused here, which come last.
pub(crate) async fn until_rows_are_sent(fixture: &Fixture, socket_queue: &SocketQueue) -> Vec<Value> {
    let volumes = Volumes { total: Sats::new(7), ..Volumes::default() };
    for group in [FROGS, GOLD] {
        fixture.market.set_market_volumes(group, volumes).await.unwrap();
    }
    let is_new_row = |op: &Value, group| {
        op["row"]["id"] == group && op["row"]["marketVolumeStats"]["totalVolume"] == volumes.total.get()
    };
    let mut frames: Vec<Value> = Vec::new();
    until("the rows are sent", || {
        frames.extend(drain(socket_queue));
        [("market", "g_1"), ("market", "g_2"), ("book:g_1", "g_1")].iter().all(|(channel, group)| {
            let of_channel = frames.iter().filter(|frame| frame["channel"] == *channel);
            let mut ops = of_channel.flat_map(|frame| frame["ops"].as_array().into_iter().flatten());
            ops.any(|op| is_new_row(op, *group))
        })
    })
    .await;
    frames
}

/// `(prev, seq)` of every delta.
pub(crate) fn seqs(frames: &[Value]) -> Vec<(u64, u64)> {
    frames.iter().map(|frame| (frame["prev"].as_u64().unwrap(), frame["seq"].as_u64().unwrap())).collect()
}

/// A copy of one channel: its items by kind and id, kept up to date by deltas.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Mirror {
    pub(crate) items: BTreeMap<(&'static str, String), Value>,
    epoch: Option<String>,
    seq: u64,
    /// The number of checksums compared.
    pub(crate) checksums: usize,
    pub(crate) deltas: usize,
}

fn text(value: &Value) -> String {
    value.as_str().expect("an id is a text").to_owned()
}

/// Stages of ended loans, which a new subscriber does not get.
const OVER: [&str; 5] = ["repaid", "claimed", "cancelled", "lapsed", "failed"];

fn loan_id(loan: &Value) -> String {
    loan["id"].as_str().or_else(|| loan["loanId"].as_str()).expect("a loan has an id").to_owned()
}

impl Mirror {
    /// The position of the last frame.
    pub(crate) fn position(&self) -> Option<FeedPosition> {
        Some(FeedPosition { epoch: self.epoch.clone()?, seq: self.seq })
    }

    /// Applies a frame and checks that none is missing before it.
    pub(crate) fn apply(&mut self, frame: &Value) {
        let seq = frame["seq"].as_u64().expect("a frame has a sequence");
        if frame["type"] == "snapshot" {
            self.epoch = Some(text(&frame["epoch"]));
            self.items.clear();
            self.apply_snapshot(&frame["data"]);
        } else {
            assert_eq!(frame["epoch"].as_str(), self.epoch.as_deref());
            assert_eq!(frame["prev"].as_u64(), Some(self.seq), "a frame is missing before {frame}");
            for op in frame["ops"].as_array().expect("a delta has operations") {
                self.apply_op(op);
            }
            self.deltas += 1;
        }
        assert!(seq >= self.seq || frame["type"] == "snapshot");
        self.seq = seq;
        if let Some(crc) = frame["crc"].as_u64() {
            assert_eq!(u64::from(self.crc()), crc, "the checksum of the copy");
            self.checksums += 1;
        }
    }

    /// The state of the copy, without its history. A new subscriber gets no earlier notices, so notices are left out.
    pub(crate) fn state(&self) -> (BTreeMap<(&'static str, String), Value>, u64) {
        let lasting = self.items.iter().filter(|((kind, _), _)| *kind != "notice");
        (lasting.map(|(key, item)| (key.clone(), item.clone())).collect(), self.seq)
    }

    fn apply_snapshot(&mut self, data: &Value) {
        for row in data["rows"].as_array().into_iter().flatten() {
            self.put("row", text(&row["id"]), row);
        }
        if data["row"].is_object() {
            self.put("row", text(&data["row"]["id"]), &data["row"]);
        }
        for offer in data["offers"].as_array().into_iter().flatten() {
            self.put("offer", text(&offer["offerId"]), offer);
        }
        for loan in data["loans"].as_array().into_iter().flatten() {
            self.put("loan", loan_id(loan), loan);
        }
        for notice in data["notices"].as_array().into_iter().flatten() {
            self.put("notice", text(&notice["id"]), notice);
        }
        if data["vault"].is_object() {
            self.put("vault", String::new(), &data["vault"]);
        }
    }

    fn apply_op(&mut self, op: &Value) {
        match op["op"].as_str().expect("an operation has a name") {
            "row" => self.put("row", text(&op["row"]["id"]), &op["row"]),
            "offer" | "my_offer" => self.put("offer", text(&op["offer"]["offerId"]), &op["offer"]),
            "loan" => self.put("loan", text(&op["loan"]["id"]), &op["loan"]),
            "my_loan" if OVER.iter().any(|stage| op["loan"]["stage"] == *stage) => {
                self.items.remove(&("loan", loan_id(&op["loan"])));
            }
            "my_loan" => self.put("loan", loan_id(&op["loan"]), &op["loan"]),
            "notice" => self.put("notice", text(&op["notice"]["id"]), &op["notice"]),
            "vault" => self.put("vault", String::new(), &op["vault"]),
            "offer_gone" | "my_offer_gone" => drop(self.items.remove(&("offer", text(&op["offerId"])))),
            "loan_gone" => drop(self.items.remove(&("loan", text(&op["id"])))),
            other => panic!("unknown operation: {other}"),
        }
    }

    fn put(&mut self, kind: &'static str, id: String, value: &Value) {
        self.items.insert((kind, id), value.clone());
    }

    /// The checksum over the top ten of each ranking, computed from the public fields alone.
    fn crc(&self) -> u32 {
        let row = self.items.iter().find(|((kind, _), _)| *kind == "row").map(|(_, row)| row).expect("a row");
        let decimals = u32::try_from(row["runeDecimals"].as_u64().unwrap_or(0)).unwrap();
        let mut rankings: BTreeMap<(u64, bool), Vec<_>> = BTreeMap::new();
        for ((_, id), offer) in self.items.iter().filter(|((kind, _), _)| *kind == "offer") {
            if offer["state"] != "live" {
                continue;
            }
            let raw: u128 = offer["fungible_amount"].as_str().map_or(1, |raw| raw.parse().unwrap());
            let principal = offer["principal_amount_sats"].as_u64().unwrap();
            let quote = (u128::from(principal) * 100_000_000 * 10_u128.pow(decimals)).div_ceil(raw);
            let number = u64::from_str_radix(id.trim_start_matches("of_"), 16).unwrap();
            let place = (offer["subCollectionId"].as_str().unwrap().parse().unwrap(), offer["process"] == "instant");
            let line = format!("{id}:{principal}:{}\n", offer["available_sats"]);
            rankings.entry(place).or_default().push((Reverse(quote), number, line));
        }
        let mut covered = String::new();
        for ranking in rankings.values_mut() {
            ranking.sort();
            covered.extend(ranking.iter().take(10).map(|(_, _, line)| line.as_str()));
        }
        crc32c::crc32c(covered.as_bytes())
    }
}
