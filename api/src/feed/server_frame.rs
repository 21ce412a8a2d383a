//! Frames of the socket itself; snapshots and deltas are the engine's.

use engine::feed::{Encoded, Encoding, Topic};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// A frame of the socket itself.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum ServerFrame<'a> {
    /// The answer to a ping.
    Pong {
        /// The id of the ping; absent if it has none.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Value>,
    },
    /// A refusal of a frame or of a subscription.
    Error {
        /// A code of the table of all errors.
        #[schema(value_type = ErrorCode)]
        code: &'static str,
        /// A description of this occurrence, for humans.
        detail: &'a str,
        /// The channel that was asked for; absent if it is about no channel.
        #[serde(skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
    },
}

/// Returns the answer to a ping.
#[must_use]
pub fn pong(encoding: Encoding, id: Option<Value>) -> Encoded {
    encoding.encode(&ServerFrame::Pong { id })
}

/// Returns a refusal, with its channel if there is one.
#[must_use]
pub fn error(encoding: Encoding, refusal: &ApiError, channel: Option<Topic>) -> Encoded {
    let channel = channel.map(|topic| topic.to_string());
    encoding.encode(&ServerFrame::Error { code: refusal.code().code(), detail: refusal.detail(), channel })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_look_as_clients_expect_them() {
        let text = |encoded| match encoded {
            Encoded::Text(text) => text.to_string(),
            Encoded::Binary(bytes) => format!("{bytes:x?}"),
        };
        assert_eq!(text(pong(Encoding::Json, None)), r#"{"type":"pong"}"#);
        assert_eq!(text(pong(Encoding::Json, Some(Value::from(7)))), r#"{"type":"pong","id":7}"#);
        let refusal = ApiError::new(ErrorCode::UnknownChannel, "no");
        let frame = text(error(Encoding::Json, &refusal, Some(Topic::Me)));
        assert_eq!(frame, r#"{"type":"error","code":"unknown_channel","detail":"no","channel":"me"}"#);
        let binary = Encoded::Binary(b"\x92\xa4pong\x07".to_vec().into());
        assert_eq!(pong(Encoding::Binary, Some(Value::from(7))), binary);
    }
}
