//! A refusal on its way to the client.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::Value;

use super::error_code::ErrorCode;

/// The media type of every error (RFC 9457).
pub const PROBLEM_JSON: &str = "application/problem+json";

/// A code of the table with what is particular to this occurrence.
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
    /// `/errors/` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The same for every occurrence of the code.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong this time, for people.
    pub detail: String,
    /// The code, for programs.
    #[schema(value_type = ErrorCode)]
    pub code: &'static str,
    /// The `X-Request-Id` of the answer; null on the feed.
    #[schema(required)]
    pub request_id: Option<String>,
    /// The values that the refusal was decided by.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub values: Option<Value>,
}

impl ApiError {
    /// A refusal with a code and what is wrong this time.
    #[must_use]
    pub fn new(code: ErrorCode, detail: impl fmt::Display) -> Self {
        Self { code, detail: detail.to_string(), values: None }
    }

    /// A refusal whose title says everything.
    #[must_use]
    pub fn plain(code: ErrorCode) -> Self {
        Self::new(code, code.title())
    }

    /// The same refusal with the values that it was decided by.
    #[must_use]
    pub fn with_values(mut self, values: Value) -> Self {
        self.values = Some(values);
        self
    }

    /// Its code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What is wrong this time.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The values that it was decided by.
    #[must_use]
    pub fn values(&self) -> Option<&Value> {
        self.values.as_ref()
    }

    /// The body that says so.
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

    /// The whole answer.
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

    /// Without the request's id, which [`super::request_id`] puts in.
    fn error_response(&self) -> HttpResponse {
        self.respond(None)
    }
}
