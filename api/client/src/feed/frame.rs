//! The frames of the feed.

use serde::Deserialize;
use serde_json::{Value, json};

use super::channel::Channel;

/// A frame of the server.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum ServerFrame {
    /// The whole state of a channel.
    Snapshot { channel: String, epoch: String, seq: u64, data: Value },
    /// The changes since `prev`.
    Delta { channel: String, epoch: String, prev: u64, seq: u64, ops: Vec<Value>, crc: Option<u32> },
    /// The answer to a ping.
    Pong,
    /// A refusal.
    Error { code: String, channel: Option<String> },
    /// A frame that this version of the client does not know.
    #[serde(other)]
    Other,
}

impl ServerFrame {
    /// Reads a text frame.
    pub(crate) fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// The end of what is known of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) epoch: String,
    pub(crate) seq: u64,
}

/// Returns the frame that subscribes to a channel, from a position on if there is one.
pub(crate) fn subscribe(channel: &Channel, after: Option<&Position>) -> String {
    let mut frame = json!({"op": "subscribe", "channel": channel.to_string()});
    if let Some(Position { epoch, seq }) = after {
        frame["after"] = json!({"epoch": epoch, "seq": seq});
    }
    frame.to_string()
}

/// Returns the frame that subscribes to the private channel with a ticket.
pub(crate) fn subscribe_me(ticket: &str) -> String {
    json!({"op": "subscribe", "channel": Channel::Me.to_string(), "ticket": ticket}).to_string()
}

/// Returns the frame that shows the server that the client is there.
pub(crate) fn ping() -> String {
    json!({"op": "ping"}).to_string()
}
