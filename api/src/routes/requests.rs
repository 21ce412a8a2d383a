//! `/api/v1/requests`: what borrowers ask for, and how lenders fill it.

pub mod borrower;
pub mod fill;
pub mod list;
pub mod place;
pub mod withdraw;

use actix_web::web::ServiceConfig;
use domain::RequestId;

use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::methods::at;

/// Registers the resources at their paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/requests").read(list::list).post(place::place))
        .service(at("/requests/{request_id}/borrower").read(borrower::show))
        .service(at("/requests/{request_id}").delete(withdraw::withdraw))
        .service(at("/requests/{request_id}/fill").post(fill::fill));
}

/// Parses the id of a borrow request.
///
/// # Errors
/// [`ErrorCode::UnknownRequest`]: text that is not an id names no request.
fn parse_id(text: &str) -> Result<RequestId, ApiError> {
    text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownRequest))
}
