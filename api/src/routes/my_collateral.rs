//! `/api/v1/me/collateral`: what the caller's ordinals address holds that can be pledged here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use actix_web::{HttpResponse, web};
use bitcoin::OutPoint;
use domain::{CollateralType, GroupId, Outpoint, Quantity};
use engine::asset_index::InscriptionId;
use engine::wire::Shown;
use escrow::contract::asset_coin::AssetCoin;
use lending::holdings::Holdings;
use lending::outpoint;
use ordinals::RuneId;
use providers::capability::Sighting;
use serde::Serialize;
use utoipa::ToSchema;

use super::brc20::party;
use super::inscriptions::mime_type;
use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::own_read::OwnRead;

/// How long numbers and content types are waited for.
const ORNAMENT_PATIENCE: Duration = Duration::from_secs(2);

/// What the caller can pledge; balances of BRC-20 tokens are at `/api/v1/brc20/collateral`.
#[derive(Serialize, ToSchema)]
pub struct OwnCollateral {
    /// Inscriptions that belong to a collection of this market, each alone on a confirmed output.
    inscriptions: Vec<OwnInscription>,
    /// Runes that are lent against here, on confirmed outputs with nothing else.
    runes: Vec<OwnRune>,
}

/// An inscription of the caller's (SPEC section 3, Collateral item).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnInscription {
    #[serde(rename = "inscription_id")]
    inscription_id: String,
    /// Its collection's name, and the beginning of its id.
    #[serde(rename = "inscription_name")]
    inscription_name: String,
    /// Its number in the order of all inscriptions, where the indexer tells it.
    #[serde(rename = "inscription_number")]
    #[schema(required)]
    inscription_number: Option<i64>,
    /// What its content is, with parameters.
    #[serde(rename = "content_type")]
    #[schema(required)]
    content_type: Option<String>,
    /// The same without.
    #[serde(rename = "mime_type")]
    #[schema(required)]
    mime_type: Option<String>,
    /// Where its content is shown; `null` where no indexer tells.
    #[serde(rename = "content_url")]
    #[schema(required)]
    content_url: Option<String>,
    /// The group that it belongs to.
    #[schema(value_type = String)]
    collection_id: Shown<GroupId>,
    group_slug: String,
    collection_name: String,
    /// Another loan, or one that is prepared, has it already.
    is_promised: bool,
}

/// What the caller holds of a rune.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnRune {
    /// Block and transaction of its etching, `840000:1`.
    rune_id: String,
    /// All of it in raw units, as a decimal string.
    raw: String,
    /// What is promised to no loan, in raw units as a decimal string.
    free_raw: String,
    /// The same in whole tokens.
    free: String,
}

/// Shows what the caller's ordinals address holds that is lent against here.
///
/// # Errors
/// Those of a look at a wallet, of a node or an indexer that gives no answer.
#[utoipa::path(get, path = "/api/v1/me/collateral", operation_id = "getMyCollateral", tag = "borrow", security(("session" = [])),
    responses((status = 200, body = OwnCollateral), (status = 401, body = Problem), (status = 503, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(person): OwnRead) -> Result<HttpResponse, ApiError> {
    let (desk, home) = (app.desk_for_lookups(person.user())?, party(&app, &person)?.assets());
    let holdings = desk.lookup().holdings(&home).await?;
    let places = holdings.coins.iter().map(|coin| outpoint::to_domain(coin.coin.outpoint));
    let promised: BTreeSet<Outpoint> = app.market.promised(places).into_iter().collect();
    let is_promised = |outpoint: OutPoint| promised.contains(&outpoint::to_domain(outpoint));
    let listed: Vec<InscriptionId> =
        holdings.inscriptions().map(|held| held.id).filter(|id| is_listed(&app, *id)).collect();
    let sightings = sightings(&app, listed).await;
    let sightings: BTreeMap<InscriptionId, Sighting> = sightings.into_iter().map(|seen| (seen.id, seen)).collect();
    let inscriptions = inscriptions(&app, &holdings, &sightings, is_promised);
    Ok(HttpResponse::Ok().json(OwnCollateral { inscriptions, runes: runes(&app, &holdings, is_promised) }))
}

/// What the indexer says of these, if it says so at once: the list is what it is without.
async fn sightings(app: &App, ids: Vec<InscriptionId>) -> Vec<Sighting> {
    let Some(node) = app.node.clone().filter(|_| !ids.is_empty()) else { return Vec::new() };
    // In a task of its own, so that nobody gives up a question on which it hangs whether the indexer counts as away.
    let asked = tokio::spawn(async move { node.sightings(&ids).await });
    match tokio::time::timeout(ORNAMENT_PATIENCE, asked).await {
        Ok(Ok(Ok(sightings))) => sightings,
        _ => Vec::new(),
    }
}

fn is_listed(app: &App, id: InscriptionId) -> bool {
    app.market.group_of_inscription(outpoint::inscription(id)).is_some()
}

fn inscriptions(
    app: &App,
    holdings: &Holdings,
    sightings: &BTreeMap<InscriptionId, Sighting>,
    is_promised: impl Fn(OutPoint) -> bool,
) -> Vec<OwnInscription> {
    let groups: BTreeMap<_, _> = app.market.groups().into_iter().map(|group| (group.id, group)).collect();
    let listed = holdings.inscriptions().filter_map(|held| {
        let group = groups.get(&app.market.group_of_inscription(outpoint::inscription(held.id))?)?;
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
            collection_id: Shown(group.id),
            group_slug: group.slug.to_string(),
            collection_name: group.name.clone(),
            is_promised: is_promised(held.outpoint),
        })
    });
    let mut listed: Vec<_> = listed.collect();
    listed.sort_unstable_by(|one, other| one.inscription_name.cmp(&other.inscription_name));
    listed
}

fn runes(app: &App, holdings: &Holdings, is_promised: impl Fn(OutPoint) -> bool) -> Vec<OwnRune> {
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
        let free = coins.iter().filter(|coin| !is_promised(coin.coin.outpoint)).map(amount);
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
