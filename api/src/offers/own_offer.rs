//! The caller's own offers by their ids.

use domain::{Offer, OfferId, ProcessType, UserId};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// Parses the id of an offer.
///
/// # Errors
/// [`ErrorCode::UnknownOffer`]: text that is not an id names no offer.
pub fn parse_id(text: &str) -> Result<OfferId, ApiError> {
    text.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownOffer))
}

/// Returns the caller's own offer with this id.
///
/// # Errors
/// [`ErrorCode::UnknownOffer`], [`ErrorCode::NotOwner`].
pub async fn own_offer(app: &App, lender: UserId, id: OfferId) -> Result<Offer, ApiError> {
    let unknown = || ApiError::plain(ErrorCode::UnknownOffer);
    // An id names its group, so an id with an unknown group names no offer.
    app.market.group(id.group()).ok_or_else(unknown)?;
    let offer = app.market.offer(id).await?.ok_or_else(unknown)?;
    if offer.lender == lender { Ok(offer) } else { Err(ApiError::plain(ErrorCode::NotOwner)) }
}

/// Returns the caller's own manual offer. Instant offers are refused: they change by signed
/// messages.
///
/// # Errors
/// Those of [`own_offer`], and [`ErrorCode::ProcessNotTaken`].
pub async fn own_manual_offer(app: &App, lender: UserId, id: OfferId) -> Result<Offer, ApiError> {
    let offer = own_offer(app, lender, id).await?;
    match offer.process {
        ProcessType::Manual => Ok(offer),
        ProcessType::Instant => {
            Err(ApiError::new(ErrorCode::ProcessNotTaken, "an instant offer changes by a signed message"))
        }
    }
}
