//! Sockets that record the deltas of loans.

use std::{collections::HashMap, io};

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};
use tokio_tungstenite::tungstenite::Message;

use crate::{feed, served_market::GROUP, stopwatch::monotonic_nanoseconds, wallet_client::WalletClient};

/// The arrival time of each loan's delta that reports its broadcast, in nanoseconds of the machine's monotonic clock.
#[derive(Debug, Default)]
pub(super) struct LoanArrivals {
    /// On the lender's own channel.
    pub(super) on_lender_channels: HashMap<String, u64>,
    /// On the book's channel.
    pub(super) on_book_channel: HashMap<String, u64>,
}

impl LoanArrivals {
    pub(super) fn add(&mut self, other: Self) {
        self.on_lender_channels.extend(other.on_lender_channels);
        self.on_book_channel.extend(other.on_book_channel);
    }

    fn read(&mut self, frame: &Value, at: u64) {
        for op in frame["ops"].as_array().into_iter().flatten() {
            let (arrivals, loan) = match op["op"].as_str() {
                Some("my_loan") if op["loan"]["stage"] == "broadcast" => {
                    (&mut self.on_lender_channels, &op["loan"]["loanId"])
                }
                Some("loan") => (&mut self.on_book_channel, &op["loan"]["id"]),
                _ => continue,
            };
            if let Some(loan) = loan.as_str() {
                arrivals.entry(loan.to_owned()).or_insert(at);
            }
        }
    }
}

/// A socket that records the arrival of each frame, and parses the frames when it is stopped.
pub(super) struct Listener {
    stop: oneshot::Sender<()>,
    frames: JoinHandle<Vec<(u64, String)>>,
}

impl Listener {
    /// Subscribes to the channel of the order book.
    pub(super) async fn of_book(address: &str) -> io::Result<Self> {
        Self::subscribe(address, &json!({ "op": "subscribe", "channel": format!("book:{GROUP}") })).await
    }

    /// Subscribes to the private channel of a user.
    pub(super) async fn of_user(address: &str, client: &WalletClient) -> io::Result<Self> {
        let ticket = client.ticket().await.map_err(io::Error::other)?;
        Self::subscribe(address, &json!({ "op": "subscribe", "channel": "me", "ticket": ticket })).await
    }

    async fn subscribe(address: &str, subscription: &Value) -> io::Result<Self> {
        let mut feed = feed::subscribe(address, subscription, None).await?;
        let (stop, mut stopped) = oneshot::channel();
        let frames = tokio::spawn(async move {
            let mut frames = Vec::new();
            loop {
                let message = tokio::select! {
                    message = feed.next() => message,
                    _ = &mut stopped => return frames,
                };
                match message {
                    Some(Ok(Message::Text(text))) => frames.push((monotonic_nanoseconds(), text.to_string())),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return frames,
                    Some(Ok(_)) => {}
                }
            }
        });
        Ok(Self { stop, frames })
    }

    /// Stops it and returns the arrivals.
    pub(super) async fn stop(self) -> io::Result<LoanArrivals> {
        // Fails if the socket was closed already.
        let _ = self.stop.send(());
        let mut arrivals = LoanArrivals::default();
        for (at, text) in self.frames.await.map_err(io::Error::other)? {
            arrivals.read(&serde_json::from_str(&text).map_err(io::Error::other)?, at);
        }
        Ok(arrivals)
    }
}
