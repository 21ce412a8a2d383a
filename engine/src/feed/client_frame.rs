//! The frames that a client may send.

use std::{fmt, str::FromStr};

use domain::{GroupId, ParseIdError};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A channel as a client names it; the owner of `me` follows from the ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub enum Topic {
    /// `market`.
    Market,
    /// `requests`.
    Requests,
    /// `halts`.
    Halts,
    /// `book:g_1`.
    Book(GroupId),
    /// `me`.
    Me,
}

impl FromStr for Topic {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        match text {
            "market" => Ok(Self::Market),
            "requests" => Ok(Self::Requests),
            "halts" => Ok(Self::Halts),
            "me" => Ok(Self::Me),
            other => other.strip_prefix("book:").unwrap_or_default().parse().map(Self::Book),
        }
    }
}

impl TryFrom<String> for Topic {
    type Error = ParseIdError;

    fn try_from(text: String) -> Result<Self, ParseIdError> {
        text.parse()
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Market => f.write_str("market"),
            Self::Requests => f.write_str("requests"),
            Self::Halts => f.write_str("halts"),
            Self::Book(group) => write!(f, "book:{group}"),
            Self::Me => f.write_str("me"),
        }
    }
}

/// The end of what a client has seen of a channel, as its last frame gave it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedPosition {
    /// The epoch of the frame.
    pub epoch: String,
    /// The `seq` of the frame.
    pub seq: u64,
}

/// A frame from a client.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum ClientFrame {
    /// Opens a channel; its first frame is a snapshot, or the changes after a position.
    Subscribe {
        /// The channel.
        #[schema(value_type = String)]
        channel: Topic,
        /// A one-time ticket, required for `me`.
        #[serde(default)]
        ticket: Option<String>,
        /// The position that the client continues at, if it was connected before.
        #[serde(default)]
        after: Option<FeedPosition>,
    },
    /// Closes a channel.
    Unsubscribe {
        /// The channel.
        #[schema(value_type = String)]
        channel: Topic,
    },
    /// Requests a pong.
    Ping {
        /// Echoed in the pong.
        #[serde(default)]
        id: Option<Value>,
    },
}

impl ClientFrame {
    /// Parses a frame.
    ///
    /// # Errors
    /// If the text is not one of the three frames.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_frames_are_read_and_nothing_else_is() {
        let subscribe = ClientFrame::read(r#"{"op":"subscribe","channel":"book:g_1"}"#).unwrap();
        assert_eq!(subscribe, ClientFrame::Subscribe { channel: Topic::Book(GroupId(1)), ticket: None, after: None });
        let me = ClientFrame::read(r#"{"op":"subscribe","channel":"me","ticket":"t"}"#).unwrap();
        assert_eq!(me, ClientFrame::Subscribe { channel: Topic::Me, ticket: Some("t".to_owned()), after: None });
        let resumed = r#"{"op":"subscribe","channel":"book:g_1","after":{"epoch":"e","seq":7}}"#;
        let after = Some(FeedPosition { epoch: "e".to_owned(), seq: 7 });
        let resume = ClientFrame::Subscribe { channel: Topic::Book(GroupId(1)), ticket: None, after };
        assert_eq!(ClientFrame::read(resumed).unwrap(), resume);
        let ping = ClientFrame::read(r#"{"op":"ping","id":7}"#).unwrap();
        assert_eq!(ping, ClientFrame::Ping { id: Some(Value::from(7)) });
        for garbage in [
            "",
            "[]",
            r#"{"op":"order"}"#,
            r#"{"op":"subscribe"}"#,
            r#"{"op":"unsubscribe","channel":"book:1"}"#,
            r#"{"op":"ping","extra":1}"#,
            r#"{"op":"subscribe","channel":"market","after":{"seq":1}}"#,
            r#"{"op":"subscribe","channel":"market","after":{"epoch":"e","seq":-1}}"#,
        ] {
            assert!(ClientFrame::read(garbage).is_err(), "{garbage} was taken for a frame");
        }
    }
}
