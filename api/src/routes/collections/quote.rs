//! `/api/v1/collections/{name}/quote`: the best offer against an inscription, in one small answer.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::{CollateralType, OfferId, Sats, Slug};
use engine::asset_index::InscriptionId;
use engine::wire::{AsString, Percent, ProcessName};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::read_of;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::share::best_quote::BestQuote;

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct QuoteQuery {
    /// An inscription that has to belong to the collection.
    inscription_id: Option<String>,
}

/// The best offer against an inscription of a collection.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteView<'a> {
    /// The slug of the collection.
    #[schema(value_type = String)]
    group_slug: &'a Slug,
    /// The name of the collection.
    collection_name: &'a str,
    /// The inscription that was asked about; `null` without one.
    #[schema(required)]
    inscription_id: Option<String>,
    /// Whether new offers are accepted.
    is_lending_allowed: bool,
    /// The floor price in sats; `null` while unknown.
    #[schema(value_type = Option<u64>, required)]
    floor: Option<Sats>,
    /// The best offer that anyone can take; `null` when there is none.
    #[schema(required)]
    best: Option<BestQuoteView>,
}

/// An offer as its borrower would take it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BestQuoteView {
    /// Its id.
    #[schema(value_type = String)]
    offer_id: AsString<OfferId>,
    /// Its process type.
    process: ProcessName,
    /// The principal that the borrower receives, in sats, before the network's fee.
    #[schema(value_type = u64)]
    principal_sats: Sats,
    /// The interest for the whole term, in percent.
    #[schema(value_type = f64)]
    interest: Percent,
    /// The same interest in sats.
    #[schema(value_type = u64)]
    interest_sats: Sats,
    /// The sum that ends the loan, in sats.
    #[schema(value_type = u64)]
    repayment_sats: Sats,
    /// The days until the loan is due.
    term_days: u16,
    /// The LTV at the floor price, in percent; `null` while the price is unknown.
    #[schema(value_type = Option<f64>, required)]
    ltv: Option<Percent>,
}

impl BestQuoteView {
    fn new(quote: &BestQuote) -> Option<Self> {
        Some(Self {
            offer_id: AsString(quote.offer),
            process: quote.process,
            principal_sats: quote.principal,
            interest: quote.interest,
            interest_sats: quote.interest_sats()?,
            repayment_sats: quote.repayment()?,
            term_days: quote.term_days,
            ltv: quote.ltv,
        })
    }
}

/// Returns the best offer against an inscription of a collection, which may be five seconds old. It is enough to ask every
/// 15 seconds.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`], also for one of tokens; [`ErrorCode::UnknownInscription`] for one that does not
/// belong to the collection.
#[utoipa::path(get, path = "/api/v1/collections/{name}/quote", operation_id = "getQuote", tag = "market",
    params(("name" = String, Path, description = "Id or group slug"), QuoteQuery),
    responses((status = 200, body = QuoteView), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<QuoteQuery>,
) -> Result<HttpResponse, ApiError> {
    let group = read_of(&app, &request, &name)?;
    let unknown = |detail: &str| ApiError::new(ErrorCode::UnknownCollection, detail);
    if !matches!(group.collateral, CollateralType::Inscription) {
        return Err(unknown("this is no collection of inscriptions"));
    }
    if let Some(text) = &query.inscription_id {
        let belongs = |id: InscriptionId| app.market.group_of_inscription(id.into()) == Some(group.id);
        if !text.parse().is_ok_and(belongs) {
            return Err(ApiError::plain(ErrorCode::UnknownInscription));
        }
    }
    let row = app.market.row(group.id).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
    let view = QuoteView {
        group_slug: &row.group_slug,
        collection_name: &row.collection_name,
        inscription_id: query.into_inner().inscription_id,
        is_lending_allowed: row.is_lending_allowed,
        floor: row.floor,
        best: BestQuote::of(&row).as_ref().and_then(BestQuoteView::new),
    };
    let caching = (CACHE_CONTROL, "public, max-age=5");
    Ok(HttpResponse::Ok().insert_header(caching).json(view))
}
