//! `/api/v1/me/collateral`: the inscriptions and runes of the caller's ordinals address that can be pledged here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use actix_web::{HttpResponse, web};
use bitcoin::OutPoint;
use domain::{CollateralType, GroupId, Inscription, Outpoint, Quantity};
use engine::asset_index::InscriptionId;
use engine::wire::AsString;
use escrow::contract::assets::asset_coin::AssetCoin;
use lending::lookups::holdings::Holdings;
use lending::records::outpoint;
use ordinals::RuneId;
use providers::capability::InscriptionDetails;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::routes::inscriptions::mime_type;
use crate::routes::party::party;

/// The timeout for inscription numbers and content types, without which the list is complete too.
const DESCRIPTIONS_TIMEOUT: Duration = Duration::from_secs(2);

/// The collateral that the caller can pledge; balances of BRC-20 tokens are at `/api/v1/brc20/collateral`.
#[derive(Serialize, ToSchema)]
pub struct OwnCollateral {
    /// Inscriptions that belong to a collection of this market, each alone on a confirmed output.
    inscriptions: Vec<OwnInscription>,
    /// Runes that are accepted as collateral, on confirmed outputs that carry nothing else.
    runes: Vec<OwnRune>,
}

/// An inscription of the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnInscription {
    #[serde(rename = "inscription_id")]
    inscription_id: String,
    /// The name of its collection, and the beginning of its id.
    #[serde(rename = "inscription_name")]
    inscription_name: String,
    /// Its number in the order of all inscriptions; `null` if the indexer does not report it.
    #[serde(rename = "inscription_number")]
    #[schema(required)]
    inscription_number: Option<i64>,
    /// The content type, with parameters.
    #[serde(rename = "content_type")]
    #[schema(required)]
    content_type: Option<String>,
    /// The content type without parameters.
    #[serde(rename = "mime_type")]
    #[schema(required)]
    mime_type: Option<String>,
    /// A URL that shows its content; `null` if no indexer reports one.
    #[serde(rename = "content_url")]
    #[schema(required)]
    content_url: Option<String>,
    /// The collection group that it belongs to.
    #[schema(value_type = String)]
    collection_id: AsString<GroupId>,
    group_slug: String,
    collection_name: String,
    /// Whether a prepared or running loan already uses it.
    is_promised: bool,
}

/// The caller's balance of a rune.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnRune {
    /// The block and transaction index of its etching, `840000:1`.
    rune_id: String,
    /// The whole balance in raw units, as a decimal string.
    raw: String,
    /// The part that no loan uses, in raw units as a decimal string.
    free_raw: String,
    /// The same part in whole tokens.
    free: String,
}

/// Returns the collateral at the caller's ordinals address.
///
/// # Errors
/// The codes of wallet lookups, of the node and of indexers.
#[utoipa::path(get, path = "/api/v1/me/collateral", operation_id = "getMyCollateral", tag = "borrow", security(("session" = [])),
    responses((status = 200, body = OwnCollateral), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    let holdings = holdings(&app, &caller).await?;
    let places = holdings.coins.iter().map(|coin| outpoint::to_domain(coin.coin.outpoint));
    let reserved: BTreeSet<Outpoint> = app.market.locked_outputs(places).into_iter().collect();
    let is_reserved = |outpoint: OutPoint| reserved.contains(&outpoint::to_domain(outpoint));
    let sightings = sightings(&app, listed(&app, &holdings)).await;
    let sightings: BTreeMap<InscriptionId, InscriptionDetails> =
        sightings.into_iter().map(|seen| (seen.id, seen)).collect();
    let inscriptions = inscriptions(&app, &holdings, &sightings, is_reserved);
    Ok(HttpResponse::Ok().json(OwnCollateral { inscriptions, runes: runes(&app, &holdings, is_reserved) }))
}

/// Returns the caller's inscriptions of listed collections, each with its number if the indexer reports it in time.
///
/// # Errors
/// The codes of wallet lookups, of the node and of indexers.
pub async fn numbered_inscriptions(app: &App, caller: &SignedIn) -> Result<Vec<(Inscription, Option<i64>)>, ApiError> {
    let listed = listed(app, &holdings(app, caller).await?);
    let numbers: BTreeMap<InscriptionId, Option<i64>> =
        sightings(app, listed.clone()).await.into_iter().map(|seen| (seen.id, seen.number)).collect();
    Ok(listed.into_iter().map(|id| (id.into(), numbers.get(&id).copied().flatten())).collect())
}

async fn holdings(app: &App, caller: &SignedIn) -> Result<Holdings, ApiError> {
    let loan_service = app.loan_service_for_lookups(caller.user())?;
    Ok(loan_service.lookup().holdings(&party(app, caller)?.ordinals_key()).await?)
}

/// Returns the inscriptions that belong to a collection of this market.
fn listed(app: &App, holdings: &Holdings) -> Vec<InscriptionId> {
    holdings.inscriptions().map(|held| held.id).filter(|id| is_listed(app, *id)).collect()
}

/// Returns the indexer's descriptions of these inscriptions if they arrive within the timeout, else none.
async fn sightings(app: &App, ids: Vec<InscriptionId>) -> Vec<InscriptionDetails> {
    let Some(node) = app.node.clone().filter(|_| !ids.is_empty()) else { return Vec::new() };
    // A task of its own, so that the timeout does not cancel a request whose outcome decides whether the indexer counts
    // as unavailable.
    let lookup = tokio::spawn(async move { node.inscription_details(&ids).await });
    match tokio::time::timeout(DESCRIPTIONS_TIMEOUT, lookup).await {
        Ok(Ok(Ok(sightings))) => sightings,
        _ => Vec::new(),
    }
}

fn is_listed(app: &App, id: InscriptionId) -> bool {
    app.market.group_of_inscription(id.into()).is_some()
}

fn inscriptions(
    app: &App,
    holdings: &Holdings,
    sightings: &BTreeMap<InscriptionId, InscriptionDetails>,
    is_reserved: impl Fn(OutPoint) -> bool,
) -> Vec<OwnInscription> {
    let groups: BTreeMap<_, _> = app.market.groups().into_iter().map(|group| (group.id, group)).collect();
    let listed = holdings.inscriptions().filter_map(|held| {
        let group = groups.get(&app.market.group_of_inscription(held.id.into())?)?;
        let id = held.id.to_string();
        let start: String = id.chars().take(6).collect();
        let seen = sightings.get(&held.id);
        let content_type = seen.and_then(|seen| seen.content_type.clone());
        Some(OwnInscription {
            inscription_number: seen.and_then(|seen| seen.number),
            mime_type: content_type.as_deref().map(mime_type),
            content_type,
            content_url: seen.and_then(|seen| seen.content_uri.clone()),
            inscription_name: format!("{} {start}", group.name),
            inscription_id: id,
            collection_id: AsString(group.id),
            group_slug: group.slug.to_string(),
            collection_name: group.name.to_string(),
            is_promised: is_reserved(held.outpoint),
        })
    });
    let mut listed: Vec<_> = listed.collect();
    listed.sort_unstable_by(|one, other| one.inscription_name.cmp(&other.inscription_name));
    listed
}

fn runes(app: &App, holdings: &Holdings, is_reserved: impl Fn(OutPoint) -> bool) -> Vec<OwnRune> {
    let mut decimals: BTreeMap<String, u8> = BTreeMap::new();
    for group in app.market.groups() {
        if let CollateralType::Rune { rune_id, decimals: of_rune, .. } = &group.collateral {
            decimals.insert(rune_id.clone(), *of_rune);
        }
    }
    let held = holdings.runes().into_iter().filter_map(|(id, coins)| {
        let decimals = *decimals.get(&id.to_string())?;
        let amount = |coin: &AssetCoin| sum_of(&coin.runes, id);
        let all = coins.iter().map(amount).fold(0, u128::saturating_add);
        let free = coins.iter().filter(|coin| !is_reserved(coin.coin.outpoint)).map(amount);
        let free = free.fold(0, u128::saturating_add);
        Some(OwnRune {
            rune_id: id.to_string(),
            raw: all.to_string(),
            free_raw: free.to_string(),
            free: Quantity { raw: free, decimals }.to_string(),
        })
    });
    held.collect()
}

fn sum_of(runes: &[(RuneId, u128)], id: RuneId) -> u128 {
    runes.iter().filter(|(held, _)| *held == id).map(|(_, raw)| *raw).fold(0, u128::saturating_add)
}
