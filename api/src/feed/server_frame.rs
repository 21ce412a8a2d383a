//! Frames of the socket itself; snapshots and deltas are the engine's.

use bytestring::ByteString;
use engine::feed::Topic;
use serde::Serialize;
use serde_json::Value;

use crate::http::api_error::ApiError;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ServerFrame<'a> {
    Pong {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Value>,
    },
    Error {
        code: &'static str,
        detail: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
    },
}

/// Returns the answer to a ping.
#[must_use]
pub fn pong(id: Option<Value>) -> ByteString {
    encode(&ServerFrame::Pong { id })
}

/// Returns a refusal, with its channel if there is one.
#[must_use]
pub fn error(refusal: &ApiError, channel: Option<Topic>) -> ByteString {
    let channel = channel.map(|topic| topic.to_string());
    encode(&ServerFrame::Error { code: refusal.code().code(), detail: refusal.detail(), channel })
}

fn encode(frame: &ServerFrame<'_>) -> ByteString {
    // JSON can express everything in these frames.
    serde_json::to_string(frame).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::error_code::ErrorCode;

    #[test]
    fn frames_look_as_clients_expect_them() {
        assert_eq!(pong(None), r#"{"type":"pong"}"#);
        assert_eq!(pong(Some(Value::from(7))), r#"{"type":"pong","id":7}"#);
        let refusal = ApiError::new(ErrorCode::UnknownChannel, "no");
        let frame = error(&refusal, Some(Topic::Me));
        assert_eq!(frame, r#"{"type":"error","code":"unknown_channel","detail":"no","channel":"me"}"#);
    }
}
