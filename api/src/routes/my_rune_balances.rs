//! `/api/v1/me/rune-balances`: what the caller's ordinals address holds of runes, as somebody adds it up.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use domain::{CollateralType, Quantity};
use engine::asset_index::AssetError;
use ordinals::{RuneId, SpacedRune};
use serde::Serialize;
use utoipa::ToSchema;

use super::brc20::party;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::own_read::OwnRead;

/// What somebody adds up of the caller's runes. Sums are to be looked at: what can be pledged is at
/// `/api/v1/me/collateral`, which looks at every output.
#[derive(Serialize, ToSchema)]
pub struct RuneBalances {
    /// Who says so, as the configuration calls them.
    provider: String,
    /// Runes that are lent against here.
    runes: Vec<CountedRune>,
}

/// A sum of a rune.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CountedRune {
    /// Block and transaction of its etching, `840000:1`.
    rune_id: String,
    /// Its name with spacers.
    rune_name: String,
    /// In raw units, as a decimal string.
    raw: String,
    /// The same in whole tokens.
    amount: String,
}

/// Shows what the caller's ordinals address holds of the runes that are lent against here, by the first indexer that adds
/// it up: also while none is there that could look at outputs.
///
/// # Errors
/// [`ErrorCode::IndexerUnavailable`] when nobody does.
#[utoipa::path(get, path = "/api/v1/me/rune-balances", operation_id = "getMyRuneBalances", tag = "borrow",
    security(("session" = [])),
    responses((status = 200, body = RuneBalances), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(person): OwnRead) -> Result<HttpResponse, ApiError> {
    let owner = party(&app, &person)?.assets().script_pubkey();
    let mut listed: BTreeMap<RuneId, (SpacedRune, u8)> = BTreeMap::new();
    for group in app.market.groups() {
        if let CollateralType::Rune { rune_id, rune_name, decimals } = &group.collateral
            && let (Ok(id), Ok(name)) = (rune_id.parse(), rune_name.parse())
        {
            listed.insert(id, (name, *decimals));
        }
    }
    let wanted = listed.iter().map(|(id, (name, _))| (*id, name.rune)).collect();
    let unavailable = |error: AssetError| ApiError::new(ErrorCode::IndexerUnavailable, error);
    let (provider, sums) = app.node()?.rune_balances(&owner, &wanted).await.map_err(unavailable)?;
    let runes = sums.into_iter().filter_map(|(id, raw)| {
        let (name, decimals) = listed.get(&id)?;
        Some(CountedRune {
            rune_id: id.to_string(),
            rune_name: name.to_string(),
            raw: raw.to_string(),
            amount: Quantity { raw, decimals: *decimals }.to_string(),
        })
    });
    Ok(HttpResponse::Ok().json(RuneBalances { provider, runes: runes.collect() }))
}
