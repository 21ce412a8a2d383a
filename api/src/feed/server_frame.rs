//! Frames of the socket itself; snapshots and deltas are the engine's.

use engine::feed::{Encoded, Encoding, Topic};
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
    use crate::http::error_code::ErrorCode;

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
