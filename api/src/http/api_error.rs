//! The error type of all endpoints, sent as a problem document.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::Value;

use super::error_code::ErrorCode;

/// The media type of every error (RFC 9457).
pub const PROBLEM_JSON: &str = "application/problem+json";

/// An error code with the details of one occurrence.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    code: ErrorCode,
    detail: String,
    values: Option<Value>,
}

/// The body of an error (RFC 9457).
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// `/errors/` followed by the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The title, which is the same for every occurrence of the code.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// A description of this occurrence, for humans.
    pub detail: String,
    /// The code, for programs.
    #[schema(value_type = ErrorCode)]
    pub code: &'static str,
    /// The `X-Request-Id` of the answer; `null` on the feed.
    #[schema(required)]
    pub request_id: Option<String>,
    /// The values on which the refusal is based.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub values: Option<Value>,
}

impl ApiError {
    /// Builds an error with a code and a description of this occurrence.
    #[must_use]
    pub fn new(code: ErrorCode, detail: impl fmt::Display) -> Self {
        Self { code, detail: detail.to_string(), values: None }
    }

    /// Builds an error whose title needs no further description.
    #[must_use]
    pub fn plain(code: ErrorCode) -> Self {
        Self::new(code, code.title())
    }

    /// Adds the values on which the refusal is based.
    #[must_use]
    pub fn with_values(mut self, values: Value) -> Self {
        self.values = Some(values);
        self
    }

    /// Returns the code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the description of this occurrence.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Returns the values on which the refusal is based.
    #[must_use]
    pub fn values(&self) -> Option<&Value> {
        self.values.as_ref()
    }

    /// Returns the body.
    #[must_use]
    pub fn problem(&self, request_id: Option<&str>) -> Problem {
        Problem {
            kind: format!("/errors/{}", self.code),
            title: self.code.title(),
            status: self.code.status(),
            detail: self.detail.clone(),
            code: self.code.code(),
            request_id: request_id.map(str::to_owned),
            values: self.values.clone(),
        }
    }

    /// Returns the complete HTTP response.
    #[must_use]
    pub fn respond(&self, request_id: Option<&str>) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status_code());
        answer.insert_header((CONTENT_TYPE, PROBLEM_JSON));
        if let Some(seconds) = self.code.retry_after_s() {
            answer.insert_header((RETRY_AFTER, seconds));
        }
        answer.body(serde_json::to_vec(&self.problem(request_id)).unwrap_or_default())
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for ApiError {}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Builds the response without the request's id, which [`super::request_id`] inserts.
    fn error_response(&self) -> HttpResponse {
        self.respond(None)
    }
}
