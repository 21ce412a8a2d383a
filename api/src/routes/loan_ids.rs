//! Loans as requests name them: by their own id, or by that of the acceptance they were prepared with.

use domain::{LoanId, ReservationId};

use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// A loan's id (`ln_...`).
///
/// # Errors
/// [`ErrorCode::UnknownLoan`].
pub fn loan(text: &str) -> Result<LoanId, ApiError> {
    text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownLoan))
}

/// The loan of an acceptance (`offerAcceptRequestId`, `rv_...`): both have the same number.
///
/// # Errors
/// [`ErrorCode::UnknownReservation`].
pub fn acceptance(text: &str) -> Result<LoanId, ApiError> {
    let id: ReservationId = text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownReservation))?;
    Ok(LoanId(id.0))
}
