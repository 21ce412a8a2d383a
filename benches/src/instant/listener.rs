//! Sockets that record the deltas of loans.

use std::{collections::HashMap, io};

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};
use tokio_tungstenite::tungstenite::Message;

use crate::{feed, person::Person, served_market::GROUP, stopwatch::monotonic_nanoseconds};

/// The arrival time of each loan's delta that reports its broadcast, in nanoseconds of the machine's monotonic clock.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// On the lender's own channel.
    pub(super) to_lenders: HashMap<String, u64>,
    /// On the book's channel.
    pub(super) to_strangers: HashMap<String, u64>,
}

impl Told {
    pub(super) fn add(&mut self, other: Self) {
        self.to_lenders.extend(other.to_lenders);
        self.to_strangers.extend(other.to_strangers);
    }

    fn read(&mut self, frame: &Value, at: u64) {
        for op in frame["ops"].as_array().into_iter().flatten() {
            let (arrivals, loan) = match op["op"].as_str() {
                Some("my_loan") if op["loan"]["stage"] == "broadcast" => (&mut self.to_lenders, &op["loan"]["loanId"]),
                Some("loan") => (&mut self.to_strangers, &op["loan"]["id"]),
                _ => continue,
            };
            if let Some(loan) = loan.as_str() {
                arrivals.entry(loan.to_owned()).or_insert(at);
            }
        }
    }
}

/// A socket that records the arrival of each frame, and parses the frames when it leaves.
pub(super) struct Listener {
    leave: oneshot::Sender<()>,
    frames: JoinHandle<Vec<(u64, String)>>,
}

impl Listener {
    /// Joins the channel of the order book.
    pub(super) async fn of_book(address: &str) -> io::Result<Self> {
        Self::join(address, &json!({ "op": "subscribe", "channel": format!("book:{GROUP}") })).await
    }

    /// Joins the private channel of a user.
    pub(super) async fn of_person(address: &str, person: &Person) -> io::Result<Self> {
        let ticket = person.ticket().await.map_err(io::Error::other)?;
        Self::join(address, &json!({ "op": "subscribe", "channel": "me", "ticket": ticket })).await
    }

    async fn join(address: &str, subscription: &Value) -> io::Result<Self> {
        let mut feed = feed::join(address, subscription, None).await?;
        let (leave, mut left) = oneshot::channel();
        let frames = tokio::spawn(async move {
            let mut frames = Vec::new();
            loop {
                let message = tokio::select! {
                    message = feed.next() => message,
                    _ = &mut left => return frames,
                };
                match message {
                    Some(Ok(Message::Text(text))) => frames.push((monotonic_nanoseconds(), text.to_string())),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return frames,
                    Some(Ok(_)) => {}
                }
            }
        });
        Ok(Self { leave, frames })
    }

    /// Ends it and returns what it received.
    pub(super) async fn leave(self) -> io::Result<Told> {
        // Fails if the socket was closed already.
        let _ = self.leave.send(());
        let mut told = Told::default();
        for (at, text) in self.frames.await.map_err(io::Error::other)? {
            told.read(&serde_json::from_str(&text).map_err(io::Error::other)?, at);
        }
        Ok(told)
    }
}
