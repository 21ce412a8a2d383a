//! What a write answers, in a form that can be given again.

use actix_web::http::StatusCode;
use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// A status and a JSON body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    status: StatusCode,
    body: web::Bytes,
}

impl Answer {
    /// 200 with this body.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] for what JSON cannot express.
    pub fn ok(body: &impl Serialize) -> Result<Self, ApiError> {
        Self::new(StatusCode::OK, body)
    }

    /// 201 with this body.
    ///
    /// # Errors
    /// As [`Self::ok`].
    pub fn created(body: &impl Serialize) -> Result<Self, ApiError> {
        Self::new(StatusCode::CREATED, body)
    }

    fn new(status: StatusCode, body: &impl Serialize) -> Result<Self, ApiError> {
        let bytes = serde_json::to_vec(body).map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
        // Answers are kept for a day, so they take no more than they need.
        Ok(Self { status, body: bytes.into_boxed_slice().into() })
    }

    /// How many bytes the body has.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// The answer on the wire.
    #[must_use]
    pub fn respond(self) -> HttpResponse {
        HttpResponse::build(self.status).content_type(ContentType::json()).body(self.body)
    }
}
