//! Parsing of loan ids in requests: a loan's own id, or the id of the acceptance it was prepared with.

use domain::{LoanId, ReservationId};

use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Parses a loan's id (`ln_...`).
///
/// # Errors
/// [`ErrorCode::UnknownLoan`].
pub fn loan(text: &str) -> Result<LoanId, ApiError> {
    text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownLoan))
}

/// Parses the id of an acceptance (`offerAcceptRequestId`, `rv_...`), whose number is that of its loan.
///
/// # Errors
/// [`ErrorCode::UnknownReservation`].
pub fn acceptance(text: &str) -> Result<LoanId, ApiError> {
    let id: ReservationId = text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownReservation))?;
    Ok(LoanId(id.0))
}
