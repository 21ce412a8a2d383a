//! `/api/v1/devnet`: the faucet, mining and broadcast of the demo's chain. Other servers return 404 here.

use actix_web::{HttpRequest, HttpResponse, web};
use bitcoin::Transaction;
use bitcoin::consensus::encode::deserialize_hex;
use devchain::ControlError;
use domain::{Bundle, CollateralType, CollectionGroup, Sats, WalletAddresses};
use engine::chain::Chain as _;
use escrow::address::WalletAddress;
use serde::{Deserialize, Serialize};
use serde_json::json;
use simulator::{DemoGift, GiveError};
use utoipa::ToSchema;

use super::devnet::Devnet;
use super::miner;
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;

/// The limits of one gift in sats: more than the dust limit of any output, and at most 1 BTC.
const SATS_MIN: u64 = 1_000;
const SATS_MAX: u64 = 100_000_000;
/// The default gift: 0.05 BTC.
const SATS_USUAL: u64 = 5_000_000;
/// The limit of one gift of tokens, in multiples of the group's largest bundle.
const BUNDLES_MAX: u128 = 4;

/// A request for coins or collateral.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FaucetRequest {
    /// The slug of a collection group; sats if omitted.
    collection_group_slug: Option<String>,
    /// Sats, or raw units of the group's token; by default 5,000,000 sats or the smallest bundle. Not used for
    /// inscriptions.
    amount: Option<String>,
    /// Whether a BRC-20 amount is sent as a transfer inscription that can be pledged at once, not as an available
    /// balance.
    #[serde(default)]
    as_note: bool,
}

/// The gift that was broadcast.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaucetAnswer {
    /// The receiving address: the payment address for sats, the ordinals address for everything else.
    address: String,
    /// The id of the transaction, which waits for the next block.
    txid: String,
    /// The index of the output.
    vout: u32,
    /// Sats, raw units, or 1 inscription.
    amount: String,
    /// The id of the inscription on the output, if there is one.
    #[schema(required)]
    inscription_id: Option<String>,
}

/// A block that was mined.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MinedBlock {
    /// The height of the block.
    height: u32,
    /// The hash of the block.
    block_hash: String,
}

/// A transaction that was made elsewhere.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BroadcastRequest {
    /// The signed transaction, in hexadecimal.
    transaction: String,
}

/// A transaction that waits for the next block.
#[derive(Serialize, ToSchema)]
pub struct BroadcastAnswer {
    /// The id of the transaction.
    txid: String,
}

/// A validated request: the gift and its amount.
struct GiftRequest {
    gift: DemoGift,
    amount: u128,
    is_sats: bool,
}

/// Sends sats, an inscription, runes or BRC-20 tokens to the caller on the demo's chain. Available in the demo only.
///
/// # Errors
/// [`ErrorCode::NotFound`] outside the demo, [`ErrorCode::UnknownCollection`], [`ErrorCode::InvalidField`],
/// [`ErrorCode::FaucetLimit`], [`ErrorCode::RateLimited`] and [`ErrorCode::NodeUnavailable`].
#[utoipa::path(post, path = "/api/v1/devnet/faucet", operation_id = "askFaucet", tag = "devnet", security(("session" = [])),
    request_body = FaucetRequest,
    responses((status = 200, body = FaucetAnswer), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 422, body = Problem), (status = 429, body = Problem)))]
pub async fn give(
    devnet: web::Data<Devnet>,
    app: web::Data<App>,
    write: Write<FaucetRequest>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let GiftRequest { gift, amount, is_sats } = parse_gift(&app, &body)?;
            let WalletAddresses { payment_address, ordinal_address, .. } = &caller.addresses;
            let address =
                WalletAddress::parse(if is_sats { payment_address } else { ordinal_address }, app.settings.network)?;
            devnet.count_gift(caller.user(), app.now())?;
            let given = devnet.faucet.give(&address.script_pubkey(), gift).await.map_err(refusal)?;
            Answer::ok(&FaucetAnswer {
                address: address.to_string(),
                txid: given.outpoint.txid.to_string(),
                vout: given.outpoint.vout,
                amount: amount.to_string(),
                inscription_id: given.inscription.map(|id| id.to_string()),
            })
        })
        .await
}

/// Mines a block of the mempool at once. Available in the demo only.
///
/// # Errors
/// [`ErrorCode::NotFound`] outside the demo, [`ErrorCode::RateLimited`] and [`ErrorCode::NodeUnavailable`].
#[utoipa::path(post, path = "/api/v1/devnet/mine", operation_id = "mineBlock", tag = "devnet",
    responses((status = 200, body = MinedBlock), (status = 404, body = Problem), (status = 429, body = Problem)))]
pub async fn mine(
    devnet: web::Data<Devnet>,
    app: web::Data<App>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    devnet.count_block(app.client_ip(&request), app.now())?;
    miner::mine_one(&devnet.chain).await.map_err(unavailable)?;
    let tip = devnet.chain.tip().await.map_err(unavailable)?;
    Ok(HttpResponse::Ok().json(MinedBlock { height: tip.height, block_hash: tip.hash.to_string() }))
}

/// Broadcasts a transaction that was made elsewhere on the demo's chain. Available in the demo only.
///
/// # Errors
/// [`ErrorCode::NotFound`] outside the demo, [`ErrorCode::InvalidField`] for text that is not a transaction,
/// [`ErrorCode::TransactionNotTaken`], [`ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/devnet/broadcast", operation_id = "broadcastTransaction", tag = "devnet",
    security(("session" = [])), request_body = BroadcastRequest,
    responses((status = 200, body = BroadcastAnswer), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn broadcast(
    devnet: web::Data<Devnet>,
    app: web::Data<App>,
    write: Write<BroadcastRequest>,
) -> Result<HttpResponse, ApiError> {
    let Write { body, execution, .. } = write;
    execution
        .once(&app, async move {
            let transaction: Transaction = deserialize_hex(&body.transaction).map_err(|error| {
                let detail = format!("transaction is no transaction in hexadecimal: {error}");
                ApiError::new(ErrorCode::InvalidField, detail).with_values(json!({"field": "transaction"}))
            })?;
            let txid = transaction.compute_txid().to_string();
            devnet.chain.broadcast(&[transaction]).await?;
            Answer::ok(&BroadcastAnswer { txid })
        })
        .await
}

fn parse_gift(app: &App, request: &FaucetRequest) -> Result<GiftRequest, ApiError> {
    let FaucetRequest { collection_group_slug, amount, as_note } = request;
    let group = match collection_group_slug {
        Some(slug) => {
            let known = app.market.group_named(slug);
            Some(known.ok_or_else(|| ApiError::plain(ErrorCode::UnknownCollection))?)
        }
        None => None,
    };
    let collateral = group.as_ref().map(|group| (group, &group.collateral));
    if *as_note && !matches!(collateral, Some((_, CollateralType::Brc20 { .. }))) {
        return Err(ApiError::new(ErrorCode::InvalidField, "only BRC-20 comes as a note"));
    }
    match collateral {
        None => {
            let sats = within(amount.as_deref(), SATS_USUAL, SATS_MIN..=SATS_MAX)?;
            Ok(GiftRequest { gift: DemoGift::Coins(Sats::new(sats)), amount: sats.into(), is_sats: true })
        }
        Some((group, CollateralType::Inscription)) => {
            within(amount.as_deref(), 1_u64, 1..=1)?;
            Ok(GiftRequest { gift: DemoGift::Inscription(group.id), amount: 1, is_sats: false })
        }
        Some((group, collateral)) => {
            let (smallest, largest) = bundles(group)?;
            let raw = within(amount.as_deref(), smallest, 1..=largest.saturating_mul(BUNDLES_MAX))?;
            let gift = match (collateral, as_note) {
                (CollateralType::Rune { .. }, _) => DemoGift::Runes(group.id, raw),
                (_, true) => DemoGift::TransferInscription(group.id, raw),
                (_, false) => DemoGift::Balance(group.id, raw),
            };
            Ok(GiftRequest { gift, amount: raw, is_sats: false })
        }
    }
}

/// The smallest and the largest bundle of a group, in raw units.
fn bundles(group: &CollectionGroup) -> Result<(u128, u128), ApiError> {
    let fixed = group.sub_collections.iter().filter_map(|sub| match sub.bundle {
        Bundle::Fixed(quantity) => Some(quantity.raw),
        Bundle::Open => None,
    });
    let (smallest, largest) = (fixed.clone().min(), fixed.max());
    smallest.zip(largest).ok_or_else(|| ApiError::new(ErrorCode::UnknownCollection, "the group has no bundles"))
}

/// Parses the requested amount within the range, or returns the default.
fn within<T: std::str::FromStr + PartialOrd + std::fmt::Display>(
    requested: Option<&str>,
    usual: T,
    range: std::ops::RangeInclusive<T>,
) -> Result<T, ApiError> {
    let Some(text) = requested else { return Ok(usual) };
    let amount = text.parse().ok().filter(|amount| range.contains(amount));
    amount.ok_or_else(|| {
        let (least, most) = range.into_inner();
        ApiError::new(ErrorCode::InvalidField, format!("amount must be a whole number from {least} to {most}"))
    })
}

fn refusal(error: GiveError) -> ApiError {
    match error {
        GiveError::UnknownGroup(_) | GiveError::OtherKind(_) => ApiError::new(ErrorCode::UnknownCollection, error),
        GiveError::Listing(refusal) => refusal.into(),
        GiveError::Faucet(ControlError::FaucetEmpty { .. } | ControlError::RunesUsedUp { .. }) => {
            ApiError::new(ErrorCode::NodeUnavailable, format!("{error}; after the next block there is more"))
        }
        GiveError::Faucet(_) | GiveError::Chain(_) => unavailable(error),
    }
}

fn unavailable(why: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorCode::NodeUnavailable, why)
}
