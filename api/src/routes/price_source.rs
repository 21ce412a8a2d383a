//! `/api/v1/collections/{name}/price-source`.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::UnixMs;
use engine::wire::PriceNumber;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::prices::board::{PriceStanding, SourceReport};
use crate::prices::judge::{Hold, PriceRules};

/// Where a collection's price comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceSource {
    /// The price that loans are valued at, in sats for a whole unit; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    price: Option<PriceNumber>,
    /// When marketplaces were asked last, in unix milliseconds; absent when they are not, and an operator sets the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    asked_at: Option<UnixMs>,
    /// When what they told was last believed, in unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    taken_at: Option<UnixMs>,
    /// Why the price stays as it was although they were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    hold: Option<PriceHold>,
    /// Who was asked.
    sources: Vec<PriceTeller>,
    /// Whether one marketplace alone tells a price now.
    is_one_source: bool,
    /// Whether one alone is believed, by the operator's choice, within narrower bounds and after more rounds.
    believes_one_source: bool,
}

/// Why a price stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", tag = "reason")]
enum PriceHold {
    /// Nobody told anything lately.
    NoSource,
    /// Too few told anything lately.
    TooFewSources {
        /// How many did.
        found: usize,
        /// How many must.
        needed: usize,
    },
    /// They do not tell about the same.
    Disagreement {
        /// The lowest.
        #[schema(value_type = f64)]
        low: PriceNumber,
        /// The highest.
        #[schema(value_type = f64)]
        high: PriceNumber,
    },
    /// It moved so far that it must be told again.
    Jump {
        /// To which price.
        #[schema(value_type = f64)]
        to: PriceNumber,
        /// How often it was told.
        rounds: u8,
        /// How often it must be.
        #[serde(rename = "roundsNeeded")]
        rounds_needed: u8,
    },
}

/// A marketplace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PriceTeller {
    /// How it is called.
    name: String,
    /// What it told last, in sats for a whole unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    price: Option<PriceNumber>,
    /// When, in unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    told_at: Option<UnixMs>,
    /// Whether it told nothing when it was asked last.
    is_silent: bool,
}

impl PriceSource {
    fn new(price: Option<PriceNumber>, standing: Option<PriceStanding>, rules: &PriceRules) -> Self {
        let believes_one_source = rules.alone.is_some();
        let Some(PriceStanding { asked_at, taken, hold, sources, is_one_source }) = standing else {
            let (is_one_source, sources) = (false, Vec::new());
            return Self {
                price,
                asked_at: None,
                taken_at: None,
                hold: None,
                sources,
                is_one_source,
                believes_one_source,
            };
        };
        let teller = |source: SourceReport| PriceTeller {
            name: source.name,
            price: source.sample.map(|sample| PriceNumber(sample.price)),
            told_at: source.sample.map(|sample| sample.at),
            is_silent: source.trouble.is_some(),
        };
        Self {
            price,
            asked_at: Some(asked_at),
            taken_at: taken.map(|(_, at)| at),
            hold: hold.map(|hold| PriceHold::new(hold, rules)),
            sources: sources.into_iter().map(teller).collect(),
            is_one_source,
            believes_one_source,
        }
    }
}

impl PriceHold {
    fn new(hold: Hold, rules: &PriceRules) -> Self {
        match hold {
            Hold::NoSource => Self::NoSource,
            Hold::TooFewSources { found, needed } => Self::TooFewSources { found, needed },
            Hold::Disagreement { low, high } => Self::Disagreement { low: PriceNumber(low), high: PriceNumber(high) },
            Hold::Jump(jump) => Self::Jump {
                to: PriceNumber(jump.to),
                rounds: jump.rounds,
                rounds_needed: rules.rounds_of(jump.is_alone),
            },
        }
    }
}

/// Shows where a collection's price comes from, and why it stays as it was where it does.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`].
#[utoipa::path(get, path = "/api/v1/collections/{name}/price-source", operation_id = "getPriceSource", tag = "market",
    params(("name" = String, Path, description = "Id or group slug")),
    responses((status = 200, body = PriceSource), (status = 404, body = Problem)))]
pub async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    name: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    app.rates.reads.take(app.client_ip(&request), app.now())?;
    let group = app.market.group_named(&name).ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?;
    let price = app.market.row(group.id).and_then(|row| row.unit_price).map(|price| PriceNumber(price.0));
    let source = PriceSource::new(price, app.prices.of(group.id), &PriceRules::of(&app.settings.prices));
    Ok(HttpResponse::Ok().json(source))
}
