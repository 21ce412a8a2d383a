//! `/api/v1/collections/{name}/orderbook`: all offers and running loans of a collection.

use actix_web::{HttpRequest, HttpResponse, web};
use engine::wire::{BookLoan, BookOffer, CollateralName, ProcessName, Row};
use serde::Serialize;
use utoipa::ToSchema;

use super::read_of;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};

/// A complete order book.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderBookView<'a> {
    /// The collection's row, and its unit price under the name that order books use.
    collection: BookCollection<'a>,
    /// The epoch of the feed; sequences are comparable only within one epoch.
    epoch: &'a str,
    /// The sequence of the book at which this snapshot was taken.
    seq: u64,
    /// Offers that their lenders counter-sign, best first.
    manual_offers: Vec<&'a BookOffer>,
    /// Offers against inscriptions that a vault funds, best first.
    instant_ordinal_offers: Vec<&'a BookOffer>,
    /// Offers against runes that a vault funds, best first.
    instant_rune_offers: Vec<&'a BookOffer>,
    /// Running loans, oldest first.
    loans: &'a [BookLoan],
}

/// A row with its unit price.
#[derive(Serialize, ToSchema)]
struct BookCollection<'a> {
    /// The row.
    #[serde(flatten)]
    row: &'a Row,
    /// Sats per token with eight decimals; `null` for inscriptions.
    #[schema(required)]
    fungible_floor_price_sats: Option<String>,
}

/// Returns the order book of a collection.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/collections/{name}/orderbook", operation_id = "getOrderBook", tag = "market",
    params(("name" = String, Path, description = "Id or group slug")),
    responses((status = 200, body = OrderBookView), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let group = read_of(&app, &request, &name)?;
    let book = app.market.book(group.id).await?;
    let row = &*book.row;
    let is_inscription = row.collateral_type == CollateralName::Inscription;
    let unit_price = row.unit_price.map(|price| price.0.to_string()).filter(|_| !is_inscription);
    let (instant, manual): (Vec<_>, Vec<_>) =
        book.offers.iter().partition(|offer| offer.process == ProcessName::Instant);
    let (ordinals, runes) = if is_inscription { (instant, Vec::new()) } else { (Vec::new(), instant) };
    Ok(HttpResponse::Ok().json(OrderBookView {
        collection: BookCollection { row, fungible_floor_price_sats: unit_price },
        epoch: app.market.epoch(),
        seq: book.seq,
        manual_offers: manual,
        instant_ordinal_offers: ordinals,
        instant_rune_offers: runes,
        loans: &book.loans,
    }))
}
