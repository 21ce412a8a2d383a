//! The reader of the feed: connects, subscribes, and keeps a copy of each channel in step with the server.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use futures_util::future::BoxFuture;
use thiserror::Error;
use tokio::time::{Instant, sleep_until};

use crate::backoff::delay;
use crate::call_error::CallError;
use crate::client::Client;
use crate::types::FeedTicket;

use super::book::Book;
use super::channel::Channel;
use super::copy::{Delta, Effect, Staleness};
use super::frame::{ServerFrame, ping, subscribe, subscribe_me};
use super::market::Market;
use super::me::Me;
use super::requests::Requests;
use super::socket::Socket;
use super::subscription::{Content, Subscription};

/// The largest number of channels of a socket.
const CHANNELS_MAX: usize = 64;
/// The interval of pings; the server closes a socket that is silent for a minute.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// The silence of the server, which answers pings, after which the connection counts as lost.
const SILENCE_MAX: Duration = Duration::from_secs(40);

/// The reason why a feed cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FeedError {
    /// The server accepts 64 channels on a socket.
    #[error("a feed has at most {CHANNELS_MAX} channels")]
    TooManyChannels,
}

/// A change of what is known of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The copy has changed and follows the server.
    Changed(Channel),
    /// The copy does not follow the server any more. The feed repairs it; [`Event::Changed`] follows.
    Stale(Channel, Staleness),
    /// The connection was lost, or could not be made; it is made again with back-off.
    Disconnected(String),
}

/// The feed of one server. It makes no progress unless [`Feed::next`] is polled, so a slow reader slows the socket down
/// and nothing is queued here.
pub struct Feed {
    client: Client,
    channels: BTreeMap<Channel, Subscription>,
    socket: Option<Socket>,
    /// The request of a ticket for the private channel.
    ticket: Option<BoxFuture<'static, Result<FeedTicket, CallError>>>,
    /// Events of frames that were handled; at most one for each channel and one of the connection.
    events: VecDeque<Event>,
    connect_at: Instant,
    failures: u32,
    heard_at: Instant,
    ping_at: Instant,
}

impl Feed {
    /// Returns a feed of these channels. It connects at the first [`Feed::next`].
    ///
    /// # Errors
    /// [`FeedError::TooManyChannels`].
    pub fn new(client: &Client, channels: impl IntoIterator<Item = Channel>) -> Result<Self, FeedError> {
        let channels: BTreeMap<_, _> =
            channels.into_iter().map(|channel| (channel.clone(), Subscription::new(&channel))).collect();
        if channels.len() > CHANNELS_MAX {
            return Err(FeedError::TooManyChannels);
        }
        let now = Instant::now();
        Ok(Self {
            client: client.clone(),
            channels,
            socket: None,
            ticket: None,
            events: VecDeque::new(),
            connect_at: now,
            failures: 0,
            heard_at: now,
            ping_at: now,
        })
    }

    /// The book of a collection, by its id, while the copy follows the server.
    #[must_use]
    pub fn book(&self, id: &str) -> Option<&Book> {
        self.channels.get(&Channel::Book(id.to_owned()))?.book()
    }

    /// The market's rows, while the copy follows the server.
    #[must_use]
    pub fn market(&self) -> Option<&Market> {
        self.channels.get(&Channel::Market)?.market()
    }

    /// The borrow requests, while the copy follows the server.
    #[must_use]
    pub fn requests(&self) -> Option<&Requests> {
        self.channels.get(&Channel::Requests)?.requests()
    }

    /// The user's own data, while the copy follows the server. The client needs an API key or a session.
    #[must_use]
    pub fn me(&self) -> Option<&Me> {
        self.channels.get(&Channel::Me)?.me()
    }

    /// The reason why a channel has no live data; `None` while it has.
    #[must_use]
    pub fn staleness(&self, channel: &Channel) -> Option<&Staleness> {
        self.channels.get(channel)?.staleness()
    }

    /// The time since the server was last heard, by a frame of any kind. Pings are sent every 15 seconds, so much more
    /// than that means that a copy may be old although no connection was closed.
    #[must_use]
    pub fn silence(&self) -> Duration {
        self.heard_at.elapsed()
    }

    /// Waits for the next change of a channel or of the connection. It can be cancelled without loss.
    pub async fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.events.pop_front() {
                return event;
            }
            if self.socket.is_none() {
                sleep_until(self.connect_at).await;
                self.connect().await;
            } else if let Err(reason) = self.advance().await {
                self.disconnect(reason);
            }
        }
    }

    async fn connect(&mut self) {
        match Socket::open(&self.client.url().feed(), self.client.tls()).await {
            Ok(socket) => {
                let now = Instant::now();
                (self.socket, self.heard_at, self.ping_at) = (Some(socket), now, now + PING_INTERVAL);
                self.channels.values_mut().for_each(|subscription| subscription.request_at(now));
            }
            Err(reason) => self.disconnect(reason),
        }
    }

    /// Sends what is due, and handles one frame or the passing of time.
    async fn advance(&mut self) -> Result<(), String> {
        let Some(socket) = self.socket.as_mut() else { return Ok(()) };
        let now = Instant::now();
        for (channel, subscription) in &mut self.channels {
            if !subscription.is_due(now) {
                continue;
            }
            if *channel == Channel::Me {
                let client = self.client.clone();
                self.ticket.get_or_insert_with(|| Box::pin(async move { client.issue_feed_ticket().await }));
            } else {
                socket.send(subscribe(channel, subscription.resumable())).await?;
            }
            subscription.requested(now);
        }
        if now >= self.ping_at {
            socket.send(ping()).await?;
            self.ping_at = now + PING_INTERVAL;
        }
        let lost_at = self.heard_at + SILENCE_MAX;
        if now >= lost_at {
            return Err(format!("the server was silent for {} s", SILENCE_MAX.as_secs()));
        }
        let due = self.channels.values().filter_map(Subscription::due_at);
        let wake_at = due.chain([self.ping_at, lost_at]).min().unwrap_or(lost_at);
        let text = tokio::select! {
            frame = socket.receive() => frame?,
            ticket = issued(&mut self.ticket) => {
                match ticket {
                    Ok(FeedTicket { ticket, .. }) => socket.send(subscribe_me(&ticket)).await?,
                    Err(error) => self.take(Channel::Me, Content::Refusal(error.to_string())),
                }
                return Ok(());
            }
            () = sleep_until(wake_at) => return Ok(()),
        };
        self.heard_at = Instant::now();
        if let Some(text) = text {
            self.handle(&text)?;
        }
        Ok(())
    }

    fn handle(&mut self, text: &str) -> Result<(), String> {
        let frame = ServerFrame::read(text).map_err(|error| format!("a frame cannot be read: {error}"))?;
        let (name, content) = match frame {
            ServerFrame::Snapshot { channel, epoch, seq, data } => (channel, Content::Snapshot { epoch, seq, data }),
            ServerFrame::Delta { channel, epoch, prev, seq, ops, crc } => {
                (channel, Content::Delta(Delta { epoch, prev, seq, ops, crc }))
            }
            ServerFrame::Error { code, channel: Some(channel) } => (channel, Content::Refusal(code)),
            ServerFrame::Error { code, channel: None } => return Err(format!("the server answered {code}")),
            ServerFrame::Pong | ServerFrame::Other => return Ok(()),
        };
        // A channel that is not followed was not asked for, so its frames are not kept.
        let Some(channel) = Channel::read(&name) else { return Ok(()) };
        self.take(channel, content);
        Ok(())
    }

    fn take(&mut self, channel: Channel, content: Content) {
        let Some(subscription) = self.channels.get_mut(&channel) else { return };
        match subscription.take(content, Instant::now()) {
            Effect::Changed => {
                self.failures = 0;
                self.events.push_back(Event::Changed(channel));
            }
            Effect::Broken(reason) => self.events.push_back(Event::Stale(channel, reason)),
            Effect::Ignored => {}
        }
    }

    fn disconnect(&mut self, reason: String) {
        (self.socket, self.ticket) = (None, None);
        self.failures = self.failures.saturating_add(1);
        self.connect_at = Instant::now() + delay(self.failures, rand::random());
        for (channel, subscription) in &mut self.channels {
            if subscription.disconnect() {
                self.events.push_back(Event::Stale(channel.clone(), Staleness::Disconnected));
            }
        }
        self.events.push_back(Event::Disconnected(reason));
    }
}

/// Waits for the ticket that is requested, forever if none is. It can be cancelled without loss.
async fn issued(
    request: &mut Option<BoxFuture<'static, Result<FeedTicket, CallError>>>,
) -> Result<FeedTicket, CallError> {
    let Some(pending) = request else { return std::future::pending().await };
    let issued = pending.await;
    *request = None;
    issued
}
