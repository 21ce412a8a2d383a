//! `/api/instant/runes/offers`: instant offers against runes that a borrower can take now.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use domain::{CollateralType, Offer, ProcessType, Quantity, SubCollectionId, UnitPrice};
use engine::wire::{BookOffer, OfferState, Percent, ProcessName};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The largest number of offers that are considered, best first.
const OFFERS_MAX: usize = 200;

/// Amounts in raw units, both ends included.
type RawRange = (u128, u128);

/// The query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RuneQuotesQuery {
    /// The slug of the collection group.
    collection_group_slug: String,
}

/// The offers of one sub-collection.
#[derive(Serialize, ToSchema)]
pub struct RuneQuotes {
    /// The slug of the sub-collection.
    collection_slug: String,
    /// Days until a loan is due.
    loan_term_days: u16,
    /// The interest for the whole term.
    #[schema(value_type = f64)]
    interest_rate_percentage: Percent,
    /// The amounts of tokens that can be pledged: disjoint ranges, ascending.
    valid_ranges: Vec<TokenRange>,
    /// The offers, best first.
    offers: Vec<RuneQuote>,
}

/// Amounts of tokens, both ends included.
#[derive(Serialize, ToSchema)]
pub struct TokenRange {
    /// The least in raw units, as a decimal string.
    from: String,
    /// The most in raw units, as a decimal string.
    to: String,
    /// The least, as a decimal string.
    min: String,
    /// The most, as a decimal string.
    max: String,
}

/// An instant offer against runes that can be taken, whole or in part.
#[derive(Serialize, ToSchema)]
pub struct RuneQuote {
    #[serde(rename = "offerId")]
    offer_id: String,
    /// The slug of the sub-collection.
    collection_slug: String,
    /// Days until a loan is due.
    loan_term_days: u16,
    /// The principal that is left, in sats.
    available_sats: u64,
    /// The collateral for all of the remaining principal, in raw units as a decimal string.
    available_collateral: String,
    /// The amounts of tokens that the offer takes.
    valid_range: TokenRange,
    /// The current LTV; `null` while no price is known.
    #[schema(value_type = Option<f64>, required)]
    ltv: Option<Percent>,
    /// The LTV of a loan of the whole remaining principal against all of `available_collateral`; `null` while no price
    /// is known.
    #[schema(value_type = Option<f64>, required)]
    direct_ltv: Option<Percent>,
}

/// Lists the instant offers of a rune's group that can be taken now, by term.
///
/// # Errors
/// [`ErrorCode::UnknownCollection`], also for groups of other collateral.
#[utoipa::path(get, path = "/api/instant/runes/offers", operation_id = "listInstantRuneQuotes", tag = "borrow", security(("session" = [])),
    params(RuneQuotesQuery), responses((status = 200, body = Vec<RuneQuotes>), (status = 404, body = Problem)))]
pub async fn list(
    app: web::Data<App>,
    _borrower: OwnRead,
    query: web::Query<RuneQuotesQuery>,
) -> Result<HttpResponse, ApiError> {
    let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
    let group = app.market.group_named(&query.collection_group_slug).ok_or_else(unknown)?;
    let CollateralType::Rune { decimals, .. } = group.collateral else { return Err(unknown()) };
    let book = app.market.book(group.id).await?;
    let is_quote = |offer: &&BookOffer| offer.process == ProcessName::Instant && offer.state == OfferState::Live;
    let mut by_sub_collection: BTreeMap<SubCollectionId, Vec<(Offer, u128, RawRange)>> = BTreeMap::new();
    for quote in book.offers.iter().filter(is_quote).take(OFFERS_MAX) {
        let Some(offer) = app.market.offer(quote.offer_id.0).await? else { continue };
        if let Some(range) = offer.takeable_range().filter(|_| offer.process == ProcessType::Instant) {
            let collateral_raw = quote.available_collateral.map_or(range.1, |raw| raw.0);
            by_sub_collection.entry(offer.sub_collection).or_default().push((offer, collateral_raw, range));
        }
    }
    let price = book.row.unit_price.map(|price| price.0);
    let shown = |raw: u128| Quantity { raw, decimals }.to_string();
    let range = |(min, max): RawRange| TokenRange {
        from: min.to_string(),
        to: max.to_string(),
        min: shown(min),
        max: shown(max),
    };
    let quotes = by_sub_collection.into_iter().filter_map(|(sub_collection, offers)| {
        let term = group.sub_collection(sub_collection)?;
        let valid_ranges = disjoint(offers.iter().map(|(_, _, range)| *range).collect());
        let quote = |(offer, collateral_raw, valid): &(Offer, u128, RawRange)| RuneQuote {
            offer_id: offer.id.to_string(),
            collection_slug: term.slug.to_string(),
            loan_term_days: term.term.0,
            available_sats: offer.takeable().get(),
            available_collateral: collateral_raw.to_string(),
            valid_range: range(*valid),
            ltv: price.map(|price| offer.current_ltv(price).into()),
            direct_ltv: price.map(|price| {
                let pledged = Quantity { raw: *collateral_raw, decimals };
                price.ltv_of(UnitPrice::quoted(offer.takeable(), pledged)).into()
            }),
        };
        Some(RuneQuotes {
            collection_slug: term.slug.to_string(),
            loan_term_days: term.term.0,
            interest_rate_percentage: term.interest.into(),
            valid_ranges: valid_ranges.into_iter().map(range).collect(),
            offers: offers.iter().map(quote).collect(),
        })
    });
    Ok(HttpResponse::Ok().json(quotes.collect::<Vec<_>>()))
}

/// Returns the same amounts in as few ranges as possible, ascending.
fn disjoint(mut ranges: Vec<RawRange>) -> Vec<RawRange> {
    ranges.sort_unstable();
    let mut joined: Vec<RawRange> = Vec::new();
    for (min, max) in ranges {
        match joined.last_mut() {
            Some((_, last)) if min <= last.saturating_add(1) => *last = max.max(*last),
            _ => joined.push((min, max)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_were_joined_hold_the_same_amounts_and_none_touches_another() {
        let ends = 0_u128..6;
        let all: Vec<_> = ends.clone().flat_map(|min| (min..6).map(move |max| (min, max))).collect();
        let holds = |ranges: &[(u128, u128)], raw| ranges.iter().any(|(min, max)| (*min..=*max).contains(&raw));
        for first in &all {
            for second in &all {
                for third in &all {
                    let ranges = vec![*first, *second, *third];
                    let joined = disjoint(ranges.clone());
                    assert!((0..8).all(|raw| holds(&ranges, raw) == holds(&joined, raw)), "{ranges:?}: {joined:?}");
                    assert!(joined.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0), "{ranges:?}: {joined:?}");
                }
            }
        }
        assert_eq!(disjoint(Vec::new()), []);
    }
}
