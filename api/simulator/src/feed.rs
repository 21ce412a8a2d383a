//! A client of the market's feed over a few sockets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::GroupId;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use thiserror::Error;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use crate::action_counters::{ActionCounters, CountedAction};
use crate::channel::{Channel, DeltaCheck, Frame};
use crate::market_view::MarketView;

/// The number of channels on one socket: far fewer than the frames that a client may send in a minute.
const CHANNELS_PER_SOCKET: usize = 14;
/// The interval of pings to the server.
const PING_EVERY: Duration = Duration::from_secs(20);
/// The time without a frame after which a socket is closed.
const FRAME_TIMEOUT: Duration = Duration::from_secs(50);
/// The longest wait before a lost socket is opened again.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// The reason why a socket was lost.
#[derive(Debug, Error)]
enum Disconnect {
    #[error("{0}")]
    Socket(#[from] Box<SocketError>),
    #[error("the server closed it")]
    Closed,
    #[error("no frame arrived in time")]
    Timeout,
}

/// The channels of each socket: the market with the first books, then the other books.
pub(crate) fn plan(groups: &[GroupId]) -> Vec<Vec<String>> {
    let books = groups.iter().map(|group| format!("book:{group}"));
    let channels: Vec<String> = std::iter::once("market".to_owned()).chain(books).collect();
    channels.chunks(CHANNELS_PER_SOCKET).map(<[String]>::to_vec).collect()
}

/// The address of the feed of the server at `base`.
pub(crate) fn address(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let socket = base.strip_prefix("http").map_or_else(|| base.to_owned(), |rest| format!("ws{rest}"));
    format!("{socket}/api/v1/feed")
}

/// Follows these channels forever, opening the socket again whenever it is lost.
pub(crate) async fn follow(url: String, channels: Vec<String>, view: Arc<MarketView>, counters: Arc<ActionCounters>) {
    let mut losses = 0_u32;
    loop {
        let mut socket = Socket::new(&channels, &view);
        let Err(lost) = socket.run(&url).await;
        losses = if socket.has_snapshot { 0 } else { losses.saturating_add(1) };
        counters.count(CountedAction::Reconnect);
        tracing::debug!(%lost, first_channel = channels.first(), "the feed was lost");
        let wait = Duration::from_millis(400) * 2_u32.pow(losses.min(6));
        tokio::time::sleep(wait.min(WAIT_MAX).mul_f64(rand::random_range(0.7..1.3))).await;
    }
}

/// The state of one connection.
struct Socket<'a> {
    channels: BTreeMap<&'a str, Channel>,
    view: &'a MarketView,
    has_snapshot: bool,
}

/// An uninhabited type: a socket runs until it is lost.
enum Never {}

impl<'a> Socket<'a> {
    fn new(channels: &'a [String], view: &'a MarketView) -> Self {
        let channels = channels.iter().map(|channel| (channel.as_str(), Channel::default())).collect();
        Self { channels, view, has_snapshot: false }
    }

    async fn run(&mut self, url: &str) -> Result<Never, Disconnect> {
        let (mut socket, _) = connect_async(url).await.map_err(Box::new)?;
        for channel in self.channels.keys() {
            socket.feed(subscription(channel)).await.map_err(Box::new)?;
        }
        socket.flush().await.map_err(Box::new)?;
        let mut pings = tokio::time::interval(PING_EVERY);
        pings.tick().await;
        let mut last_frame_at = tokio::time::Instant::now();
        loop {
            tokio::select! {
                _ = pings.tick() => {
                    if last_frame_at.elapsed() > FRAME_TIMEOUT {
                        return Err(Disconnect::Timeout);
                    }
                    socket.send(Message::text(json!({ "op": "ping" }).to_string())).await.map_err(Box::new)?;
                }
                message = socket.next() => {
                    let message = message.ok_or(Disconnect::Closed)?.map_err(Box::new)?;
                    last_frame_at = tokio::time::Instant::now();
                    let Message::Text(text) = message else { continue };
                    if let Some(again) = self.take(&text) {
                        socket.send(subscription(&again)).await.map_err(Box::new)?;
                    }
                }
            }
        }
    }

    /// Applies a frame to the view; returns the channel that must be subscribed again, if any.
    fn take(&mut self, text: &str) -> Option<String> {
        let frame = match serde_json::from_str(text) {
            Ok(frame) => frame,
            Err(error) => {
                tracing::warn!(%error, "a frame of the feed cannot be parsed");
                return None;
            }
        };
        match frame {
            Frame::Snapshot { channel, epoch, seq, data } => {
                let state = self.channels.get_mut(channel.as_str())?;
                self.has_snapshot = true;
                match self.view.apply_snapshot(&channel, data) {
                    Ok(()) => state.reset(&epoch, seq),
                    Err(error) => tracing::warn!(%error, channel, "a snapshot cannot be parsed"),
                }
                None
            }
            Frame::Delta { channel, epoch, prev, seq, ops } => {
                match self.channels.get_mut(channel.as_str())?.check_delta(&epoch, prev, seq) {
                    DeltaCheck::Ignore => None,
                    DeltaCheck::Resubscribe => Some(channel),
                    DeltaCheck::Apply => {
                        for op in ops {
                            if let Err(error) = self.view.apply(&channel, op) {
                                tracing::warn!(%error, channel, "a change cannot be parsed");
                            }
                        }
                        None
                    }
                }
            }
            Frame::Error { code, detail } => {
                tracing::warn!(code, detail, "the feed refused a request");
                None
            }
            Frame::Other => None,
        }
    }
}

fn subscription(channel: &str) -> Message {
    Message::text(json!({ "op": "subscribe", "channel": channel }).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_market::DemoMarket;

    #[test]
    fn every_channel_has_one_socket() {
        let groups: Vec<GroupId> = DemoMarket::new(1).groups.iter().map(|demo| demo.group.id).collect();
        let plan = plan(&groups);
        assert!(plan.iter().all(|channels| channels.len() <= CHANNELS_PER_SOCKET));
        let all: Vec<&String> = plan.iter().flatten().collect();
        assert_eq!(all.len(), groups.len() + 1);
        assert_eq!((all[0].as_str(), all[1].as_str()), ("market", "book:g_1"));
    }

    #[test]
    fn the_feed_is_at_the_servers_address() {
        assert_eq!(address("http://127.0.0.1:8080/"), "ws://127.0.0.1:8080/api/v1/feed");
        assert_eq!(address("https://lienbook.example"), "wss://lienbook.example/api/v1/feed");
    }
}
