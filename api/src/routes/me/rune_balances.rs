//! `/api/v1/me/rune-balances`: the rune balances of the caller's ordinals address as an indexer reports them.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use domain::{CollateralType, Quantity};
use engine::asset_index::AssetError;
use ordinals::{RuneId, SpacedRune};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::routes::party::party;

/// The caller's rune balances as one indexer reports them, for display only: what can be pledged is at
/// `/api/v1/me/collateral`, which examines every output.
#[derive(Serialize, ToSchema)]
pub struct RuneBalances {
    /// The indexer's name in the configuration.
    provider: String,
    /// Runes that are accepted as collateral.
    runes: Vec<CountedRune>,
}

/// The balance of a rune.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CountedRune {
    /// The block and transaction index of its etching, `840000:1`.
    rune_id: String,
    /// Its name with spacers.
    rune_name: String,
    /// The balance in raw units, as a decimal string.
    raw: String,
    /// The balance in whole tokens.
    amount: String,
}

/// Returns the balances of the accepted runes at the caller's ordinals address, from the first indexer that reports
/// them. This works even while no indexer is available that can examine outputs.
///
/// # Errors
/// [`ErrorCode::IndexerUnavailable`] when no indexer reports them.
#[utoipa::path(get, path = "/api/v1/me/rune-balances", operation_id = "getMyRuneBalances", tag = "borrow",
    security(("session" = [])),
    responses((status = 200, body = RuneBalances), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let owner = party(&app, &caller)?.ordinals_key().script_pubkey();
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
