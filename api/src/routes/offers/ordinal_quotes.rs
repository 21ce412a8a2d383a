//! `/api/instant/ordinals/offers`: instant offers against an inscription that a borrower can take now.

use actix_web::{HttpResponse, web};
use domain::{Bundle, UnitPrice};
use engine::wire::{BookOffer, CollateralName, OfferState, Percent, ProcessName, Row};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct QuotesQuery {
    /// The slug of the collection group.
    collection_group_slug: String,
}

/// An instant offer against an inscription.
#[derive(Serialize, ToSchema)]
pub struct OrdinalQuote {
    #[serde(rename = "offerId")]
    offer_id: String,
    available_sats: u64,
    loan_term_days: u16,
    #[schema(value_type = f64)]
    interest_rate_percentage: Percent,
    /// The current LTV; `null` while no price is known.
    #[schema(value_type = Option<f64>, required)]
    ltv: Option<Percent>,
}

/// Lists the instant offers of a group that can be taken now, best first.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`], also for groups of tokens.
#[utoipa::path(get, path = "/api/instant/ordinals/offers", operation_id = "listInstantOrdinalQuotes", tag = "borrow", security(("session" = [])),
    params(QuotesQuery), responses((status = 200, body = Vec<OrdinalQuote>), (status = 404, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    _borrower: OwnRead,
    query: web::Query<QuotesQuery>,
) -> Result<HttpResponse, ApiError> {
    let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
    let group = app.market.group_named(&query.collection_group_slug).ok_or_else(unknown)?;
    let book = app.market.book(group.id).await?;
    if book.row.collateral_type != CollateralName::Inscription {
        return Err(unknown());
    }
    let is_quote = |offer: &&BookOffer| offer.process == ProcessName::Instant && offer.state == OfferState::Live;
    let quotes: Vec<OrdinalQuote> = book
        .offers
        .iter()
        .filter(is_quote)
        .map(|offer| OrdinalQuote {
            offer_id: offer.offer_id.0.to_string(),
            available_sats: offer.available_sats.get(),
            loan_term_days: offer.loan_term_days,
            interest_rate_percentage: offer.interest_rate_percentage,
            ltv: current_ltv(&group, &book.row, offer),
        })
        .collect();
    Ok(HttpResponse::Ok().json(quotes))
}

fn current_ltv(group: &domain::CollectionGroup, row: &Row, offer: &BookOffer) -> Option<Percent> {
    let sub_collection = group.sub_collections.get(usize::from(offer.sub_collection_id.0))?;
    let Bundle::Fixed(quantity) = sub_collection.bundle else { return None };
    let quote = UnitPrice::quoted(offer.principal_amount_sats, quantity);
    row.unit_price.map(|price| price.0.ltv_of(quote).into())
}
