//! `/api/v1/collections/{name}/price-source`: the origin of a collection's price.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::UnixMs;
use engine::wire::PriceNumber;
use serde::Serialize;
use utoipa::ToSchema;

use super::read_of;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::prices::board::{PriceStatus, SourceReport};
use crate::prices::judge::{HoldReason, PriceRules};

/// The origin of a collection's price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceSource {
    /// The price at which loans are valued, in sats per whole unit; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    price: Option<PriceNumber>,
    /// The time of the last request to marketplaces, in unix milliseconds; absent if an operator sets the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    asked_at: Option<UnixMs>,
    /// The time at which their price was last adopted, in unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    taken_at: Option<UnixMs>,
    /// The reason why the last prices were not adopted.
    #[serde(skip_serializing_if = "Option::is_none")]
    hold: Option<PriceHold>,
    /// The marketplaces that were asked.
    sources: Vec<PriceTeller>,
    /// Whether only one marketplace reports a price now.
    is_one_source: bool,
    /// Whether the operator permits a price from one marketplace alone, within narrower bounds and after more rounds.
    #[serde(rename = "believesOneSource")]
    accepts_one_source: bool,
}

/// The reason why new prices were not adopted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", tag = "reason")]
enum PriceHold {
    /// No marketplace has reported a price recently.
    NoSource,
    /// Too few marketplaces have reported a price recently.
    TooFewSources {
        /// The number of marketplaces that have.
        found: usize,
        /// The number required.
        needed: usize,
    },
    /// The marketplaces disagree.
    Disagreement {
        /// The lowest price.
        #[schema(value_type = f64)]
        low: PriceNumber,
        /// The highest price.
        #[schema(value_type = f64)]
        high: PriceNumber,
    },
    /// The price moved so far that further rounds must confirm it.
    Jump {
        /// The new price.
        #[schema(value_type = f64)]
        to: PriceNumber,
        /// The number of rounds that reported it.
        rounds: u8,
        /// The number of rounds required.
        #[serde(rename = "roundsNeeded")]
        rounds_needed: u8,
    },
}

/// A marketplace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PriceTeller {
    /// The name of the marketplace.
    name: String,
    /// Its last reported price, in sats per whole unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    price: Option<PriceNumber>,
    /// The time of that report, in unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    #[serde(rename = "toldAt")]
    reported_at: Option<UnixMs>,
    /// Whether it reported no price in the last round.
    is_silent: bool,
}

impl PriceSource {
    fn new(price: Option<PriceNumber>, standing: Option<PriceStatus>, rules: &PriceRules) -> Self {
        let accepts_one_source = rules.single_source.is_some();
        let Some(PriceStatus { asked_at, adopted, hold, sources, is_one_source }) = standing else {
            let (is_one_source, sources) = (false, Vec::new());
            return Self {
                price,
                asked_at: None,
                taken_at: None,
                hold: None,
                sources,
                is_one_source,
                accepts_one_source,
            };
        };
        let marketplace = |source: SourceReport| PriceTeller {
            name: source.name,
            price: source.sample.map(|sample| PriceNumber(sample.price)),
            reported_at: source.sample.map(|sample| sample.at),
            is_silent: source.error.is_some(),
        };
        Self {
            price,
            asked_at: Some(asked_at),
            taken_at: adopted.map(|(_, at)| at),
            hold: hold.map(|hold| PriceHold::new(hold, rules)),
            sources: sources.into_iter().map(marketplace).collect(),
            is_one_source,
            accepts_one_source,
        }
    }
}

impl PriceHold {
    fn new(hold: HoldReason, rules: &PriceRules) -> Self {
        match hold {
            HoldReason::NoSource => Self::NoSource,
            HoldReason::TooFewSources { found, needed } => Self::TooFewSources { found, needed },
            HoldReason::Disagreement { low, high } => {
                Self::Disagreement { low: PriceNumber(low), high: PriceNumber(high) }
            }
            HoldReason::Jump(jump) => Self::Jump {
                to: PriceNumber(jump.to),
                rounds: jump.rounds,
                rounds_needed: rules.rounds_of(jump.is_single_source),
            },
        }
    }
}

/// Returns the origin of a collection's price, and the reason why new prices were not adopted, if so.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/collections/{name}/price-source", operation_id = "getPriceSource", tag = "market",
    params(("name" = String, Path, description = "Id or group slug")),
    responses((status = 200, body = PriceSource), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let group = read_of(&app, &request, &name)?;
    let price = app.market.row(group.id).and_then(|row| row.unit_price).map(|price| PriceNumber(price.0));
    let source = PriceSource::new(price, app.prices.of(group.id), &PriceRules::of(&app.settings.prices));
    Ok(HttpResponse::Ok().json(source))
}
