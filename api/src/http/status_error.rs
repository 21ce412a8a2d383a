//! The error code of an answer that has only a status, such as those of the HTTP framework.

use actix_web::http::StatusCode;

use super::error_code::ErrorCode;

/// Returns the code of an error that has only a status.
#[must_use]
pub fn code_of(status: StatusCode) -> ErrorCode {
    match status.as_u16() {
        404 => ErrorCode::NotFound,
        405 => ErrorCode::MethodNotAllowed,
        406 => ErrorCode::NotAcceptable,
        408 => ErrorCode::RequestTimeout,
        413 => ErrorCode::PayloadTooLarge,
        415 => ErrorCode::UnsupportedMediaType,
        400..=499 => ErrorCode::InvalidQuery,
        _ => ErrorCode::Internal,
    }
}
