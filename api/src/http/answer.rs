//! The answer of a write, in a form that can be stored and repeated.

use actix_web::http::StatusCode;
use actix_web::http::header::{ContentType, HeaderName};
use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// The header of an answer with its receipt.
pub const RECEIPT: HeaderName = HeaderName::from_static("lienbook-receipt");

/// A status and a JSON body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    status: StatusCode,
    body: web::Bytes,
    /// The signed receipt, as its header has it.
    receipt: Option<Box<str>>,
}

impl Answer {
    /// Returns a 200 with this body.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] for a body that JSON cannot express.
    pub fn ok(body: &impl Serialize) -> Result<Self, ApiError> {
        Self::new(StatusCode::OK, body)
    }

    /// Returns a 201 with this body.
    ///
    /// # Errors
    /// Those of [`Self::ok`].
    pub fn created(body: &impl Serialize) -> Result<Self, ApiError> {
        Self::new(StatusCode::CREATED, body)
    }

    /// Returns a 204.
    #[must_use]
    pub const fn no_content() -> Self {
        Self { status: StatusCode::NO_CONTENT, body: web::Bytes::new(), receipt: None }
    }

    fn new(status: StatusCode, body: &impl Serialize) -> Result<Self, ApiError> {
        let bytes = serde_json::to_vec(body).map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
        // Answers are stored for a day, so excess capacity is dropped.
        Ok(Self { status, body: bytes.into_boxed_slice().into(), receipt: None })
    }

    /// Returns the answer with a receipt.
    #[must_use]
    pub fn with_receipt(self, receipt: String) -> Self {
        Self { receipt: Some(receipt.into_boxed_str()), ..self }
    }

    /// Returns the body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the length of what is stored, in bytes.
    pub(super) fn len(&self) -> usize {
        self.body.len() + self.receipt.as_ref().map_or(0, |receipt| receipt.len())
    }

    /// Converts the answer into an HTTP response.
    #[must_use]
    pub fn respond(self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if let Some(receipt) = &self.receipt {
            response.insert_header((RECEIPT, receipt.as_ref()));
        }
        if self.body.is_empty() {
            return response.finish();
        }
        response.content_type(ContentType::json()).body(self.body)
    }
}
