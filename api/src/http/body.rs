//! Request bodies: limited in size and time, declared as JSON, and of exactly the expected shape.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest, web};
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::api_error::ApiError;
use super::error_code::ErrorCode;
use super::request_form;
use super::request_limits::BODY_LENGTH_MAX;

/// The timeout within which a request body must arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// A parsed body and its bytes.
pub struct JsonBody<T> {
    /// The parsed value.
    pub value: T,
    /// The bytes, which distinguish a repeated request from a different one.
    pub bytes: web::Bytes,
}

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Self::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_json = is_declared_json(request);
        let bytes = web::Bytes::from_request(request, payload);
        Box::pin(async move {
            if !is_json {
                return Err(ApiError::plain(ErrorCode::UnsupportedMediaType).into());
            }
            // A client that sends a byte per minute would otherwise hold its connection for days.
            let arrived = tokio::time::timeout(READ_TIMEOUT, bytes).await;
            let bytes = arrived.map_err(|_| ApiError::plain(ErrorCode::RequestTimeout))?;
            let bytes = bytes.map_err(|error| refuse_payload(&error))?;
            Ok(Self { value: read(&bytes)?, bytes })
        })
    }
}

/// Parses a body of exactly this shape, whose fields have their usual forms.
///
/// # Errors
/// As [`parse`], and [`ErrorCode::InvalidField`].
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let value = parse(bytes)?;
    request_form::check(&parse(bytes)?)?;
    Ok(value)
}

/// Parses JSON of exactly this shape.
///
/// # Errors
/// [`ErrorCode::MalformedJson`] and [`ErrorCode::InvalidBody`], which names the position.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // serde would accept an array for an object, field by field.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(ApiError::new(ErrorCode::InvalidBody, "the request body must be an object"));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let code = match error.classify() {
            Category::Data => ErrorCode::InvalidBody,
            Category::Syntax | Category::Eof | Category::Io => ErrorCode::MalformedJson,
        };
        // The text may quote the client's input, so it is truncated.
        ApiError::new(code, error.to_string().chars().take(300).collect::<String>())
    })
}

fn is_declared_json(request: &HttpRequest) -> bool {
    let declared = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

fn refuse_payload(error: &actix_web::Error) -> ApiError {
    if error.as_response_error().status_code().as_u16() == 413 {
        return ApiError::new(
            ErrorCode::PayloadTooLarge,
            format!("a request body has at most {BODY_LENGTH_MAX} bytes"),
        );
    }
    let detail = match error.as_error::<PayloadError>() {
        // The decoder's error is wrapped as the reason for an incomplete body; a closed connection has no such reason.
        Some(PayloadError::Incomplete(Some(_)) | PayloadError::Io(_) | PayloadError::EncodingCorrupted) => {
            "the request body is not encoded as its Content-Encoding says"
        }
        _ => "the request body ended early",
    };
    ApiError::new(ErrorCode::MalformedJson, detail)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shape {
        #[expect(dead_code, reason = "only its parsing is tested")]
        count: u8,
    }

    #[test]
    fn malformed_json_and_json_of_another_shape_have_different_codes() {
        assert!(parse::<Shape>(br#"{"count":5}"#).is_ok());
        for text in ["", "{", "nul", "{\"count\":5}x", "\u{0}", "{\"count\":\"\u{1}\"}"] {
            assert_eq!(parse::<Shape>(text.as_bytes()).unwrap_err().code(), ErrorCode::MalformedJson, "{text:.40}");
        }
        for text in [
            "{}",
            "[]",
            "[5]",
            " [5]",
            &"[".repeat(10_000),
            &"{\"a\":".repeat(10_000),
            "5",
            "null",
            r#"{"count":-1}"#,
            r#"{"count":256}"#,
            r#"{"count":1e3}"#,
            r#"{"count":1,"other":2}"#,
            r#"{"count":1,"count":2}"#,
            r#"{"count":"1"}"#,
        ] {
            assert_eq!(parse::<Shape>(text.as_bytes()).unwrap_err().code(), ErrorCode::InvalidBody, "{text:.40}");
        }
    }
}
