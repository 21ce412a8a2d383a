//! A client of the feed: it keeps a copy of the book through lost connections and other nodes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::account::PORT;
use super::audit::{Audit, Seen};
use super::network::{Host, NODES};
use super::public_view::PublicView;
use super::record::{Record, count};

const CONNECT_MAX: Duration = Duration::from_secs(3);

/// The silence after which a connection is given up. Each answer to a ping is a frame.
const SILENCE_MAX: Duration = Duration::from_secs(4);

const PING_EVERY: Duration = Duration::from_secs(1);

/// The last frame of a copy.
#[derive(Clone)]
struct Place {
    epoch: String,
    sequence: u64,
}

/// A client with its copy.
pub struct FeedClient {
    number: usize,
    rng: StdRng,
    record: Arc<Record>,
    audit: Arc<Audit>,
    view: PublicView,
    place: Option<Place>,
}

impl FeedClient {
    pub fn new(number: usize, seed: u64, record: &Arc<Record>, audit: &Arc<Audit>) -> Self {
        let rng = StdRng::seed_from_u64(seed);
        let (record, audit) = (Arc::clone(record), Arc::clone(audit));
        Self { number, rng, record, audit, view: PublicView::default(), place: None }
    }

    /// Follows the book, at one node after another, until the run is over.
    pub async fn run(mut self) {
        while !self.is_over() {
            let node = self.rng.random_range(0..NODES);
            let time = Duration::from_millis(self.rng.random_range(2_000..20_000));
            let stream = TcpStream::connect((Host::Node(node).address(), PORT));
            let Ok(Ok(stream)) = timeout(CONNECT_MAX, stream).await else { continue };
            let url = format!("ws://{}:{PORT}/api/v1/feed", Host::Node(node).address());
            let opened = timeout(CONNECT_MAX, tokio_tungstenite::client_async(url, stream)).await;
            let Ok(Ok((socket, _))) = opened else {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            count(&self.record.figures.reconnects);
            self.follow(node, socket, time).await;
        }
    }

    fn is_over(&self) -> bool {
        self.record.is_over.load(Ordering::SeqCst)
    }

    async fn follow(&mut self, node: usize, socket: tokio_tungstenite::WebSocketStream<TcpStream>, time: Duration) {
        let (mut sender, mut frames) = socket.split();
        let mut subscription = json!({"op": "subscribe", "channel": "book:g_1"});
        if let Some(place) = &self.place {
            subscription["after"] = json!({"epoch": place.epoch, "seq": place.sequence});
        }
        if sender.send(Message::text(subscription.to_string())).await.is_err() {
            return;
        }
        let mut is_first = true;
        let (began_at, mut heard_at) = (Instant::now(), Instant::now());
        let mut pings = tokio::time::interval(PING_EVERY);
        while !self.is_over() && heard_at.elapsed() < SILENCE_MAX {
            // A client that has just come back stays through a comparison of all.
            if began_at.elapsed() > time && !self.record.is_calm.load(Ordering::SeqCst) {
                return;
            }
            let frame = tokio::select! {
                frame = frames.next() => frame,
                _ = pings.tick() => {
                    if sender.send(Message::text(r#"{"op":"ping"}"#)).await.is_err() {
                        return;
                    }
                    continue;
                }
            };
            let text = match frame {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            };
            heard_at = Instant::now();
            let Ok(frame) = serde_json::from_str::<Value>(&text) else {
                return self.record.violation(&format!("node{node} sends a frame that is not JSON: {text}"));
            };
            if !matches!(frame["type"].as_str(), Some("snapshot" | "delta")) {
                continue;
            }
            if let Err(problem) = self.apply(&frame, is_first) {
                let number = self.number;
                return self.record.violation(&format!("feed client {number} at node{node}: {problem}"));
            }
            is_first = false;
            if let Some(place) = &self.place {
                let seen = Seen { client: self.number, node, sequence: place.sequence, view: self.view.lines() };
                self.audit.see(seen);
            }
        }
    }

    fn apply(&mut self, frame: &Value, is_first: bool) -> Result<(), String> {
        let sequence = frame["seq"].as_u64().ok_or("a frame has no sequence")?;
        let epoch = frame["epoch"].as_str().ok_or("a frame has no epoch")?.to_owned();
        let figures = &self.record.figures;
        if frame["type"] == "snapshot" {
            count(&figures.snapshots);
            if let Some(place) = self.place.as_ref().filter(|place| place.epoch != epoch) {
                return Err(format!("the epoch {} has become {epoch}", place.epoch));
            }
            self.view = PublicView::of([&frame["data"]["offers"]]);
        } else {
            let place = self.place.as_ref().ok_or("a delta comes before any snapshot")?;
            if frame["prev"].as_u64() != Some(place.sequence) || epoch != place.epoch {
                return Err(format!("a delta does not follow {}: {frame}", place.sequence));
            }
            count(if is_first { &figures.continued } else { &figures.deltas });
            for op in frame["ops"].as_array().into_iter().flatten() {
                self.view.apply(op);
            }
        }
        self.place = Some(Place { epoch, sequence });
        if let Some(checksum) = frame["crc"].as_u64() {
            count(&self.record.figures.checksums);
            if checksum != u64::from(self.view.checksum()) {
                return Err(format!("the checksum of {sequence} is not that of the copy"));
            }
        }
        Ok(())
    }
}
