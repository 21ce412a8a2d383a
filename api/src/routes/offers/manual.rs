//! `/api/v1/offers/manual`: offers that the lender counter-signs for each loan.

use actix_web::{HttpResponse, web};
use domain::{AccountRejection, Command, KeyQuote, OfferId, Sats, UnixMs, UserId};
use engine::wire::MyOffer;
use engine::{NonceUse, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::results::{self, OfferIds, OfferResults};
use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::idempotency_key::{IdempotencyKey, RETENTION_MS};
use crate::http::request_limits::MANUAL_OFFERS_MAX;
use crate::offers::asked_conditions::AskedConditions;
use crate::offers::manual_offer::{AskedEdit, AskedOffer, Bounds, CheckedOffer};
use crate::offers::own_offer::{own_manual_offer, parse_id};
use crate::routes::session::wallet;

/// Offers to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateManualOffers {
    /// 1 to 20 items.
    offers: Vec<ManualItem>,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    cf_turnstile_response: Option<String>,
}

/// Equal offers in one sub-collection.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ManualItem {
    /// The slug of the sub-collection.
    collection_slug: String,
    /// The principal of each offer, in sats; the largest one if it follows the floor.
    principal_amount: u64,
    /// The least principal in sats of offers whose principal follows the floor; absent if it is fixed.
    #[serde(default)]
    principal_min_amount: Option<u64>,
    /// The LTV at which it follows the floor, in hundredths of a percent; only with `principal_min_amount`.
    #[serde(default)]
    ltv_max: Option<u32>,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet: String,
    /// The number of offers, 1 to 5.
    quantity: u8,
    /// The addresses and keys of the session, which will sign the loan.
    payment_address: String,
    payment_pubkey: String,
    ordinal_address: String,
    ordinal_pubkey: String,
    /// Whether it is a hardware wallet.
    #[expect(dead_code, reason = "the session knows")]
    hardware_wallet: bool,
    /// The time from which the offers cannot be taken, in unix milliseconds, 10 minutes to a year from now; absent if
    /// they are good until they are cancelled.
    #[serde(default)]
    good_until: Option<u64>,
    /// The conditions of the offers for borrowers; absent if anyone can take them.
    #[serde(default)]
    conditions: Option<AskedConditions>,
}

/// The created offers, and the items that were refused.
#[derive(Serialize, ToSchema)]
pub struct CreatedOffers {
    /// The offers, in the order of the items.
    offers: Vec<MyOffer>,
    /// Items that were refused although they had passed all checks, because the market moved in between.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedItem>,
}

/// An item that was not created.
#[derive(Serialize, ToSchema)]
pub struct RefusedItem {
    /// The index of the item in the request, from 0.
    index: usize,
    /// The reason.
    error: Problem,
}

/// A new principal of an offer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditManualOffer {
    /// The id of the offer, which must be that of the path if given.
    #[serde(default)]
    offer_id: Option<String>,
    /// The new principal in sats; the largest one if it follows the floor.
    principal_amount: u64,
    /// The new least principal in sats; absent if the principal is fixed from now on.
    #[serde(default)]
    principal_min_amount: Option<u64>,
    /// The new LTV at which it follows the floor, in hundredths of a percent; only with `principal_min_amount`.
    #[serde(default)]
    ltv_max: Option<u32>,
    /// The new time from which the offer cannot be taken, in unix milliseconds. Absent if it stays; an offer that has
    /// expired is then good until it is cancelled.
    #[serde(default)]
    good_until: Option<u64>,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    cf_turnstile_response: Option<String>,
}

/// An offer after a request of its lender.
#[derive(Serialize, ToSchema)]
pub struct OneOffer {
    /// The offer, with a new id when it was edited.
    pub offer: MyOffer,
}

/// Creates manual offers: every item is checked before any is created.
///
/// # Errors
/// The codes of offers and of the bot check; [`ErrorCode::IdempotencySpent`] when the same request was accepted before
/// a restart.
#[utoipa::path(post, path = "/api/v1/offers/manual", operation_id = "createManualOffers", tag = "offers", security(("session" = [])),
    request_body = CreateManualOffers,
    responses((status = 201, body = CreatedOffers), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn create(app: web::Data<App>, write: Write<CreateManualOffers>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let (market, key, visitor) = (app.clone(), execution.key().cloned(), execution.visitor());
    execution
        .once(&market, async move {
            let count = body.offers.len();
            if !(1..=MANUAL_OFFERS_MAX).contains(&count) {
                return Err(ApiError::new(
                    ErrorCode::InvalidField,
                    format!("offers must have 1 to {MANUAL_OFFERS_MAX} items"),
                ));
            }
            let mut items = Vec::with_capacity(count);
            for (index, item) in body.offers.iter().enumerate() {
                items.push(check(&app, &caller, item).await.map_err(|refusal| at(index, refusal))?);
            }
            app.admit(Guarded::Offer, visitor, body.cf_turnstile_response.as_deref()).await?;
            let quotes: Vec<KeyQuote> = items.iter().map(CheckedOffer::quote).collect();
            let lender = caller.user();
            caller.quote_within_limits(&app, &quotes, &[], create_all(&app, lender, items, key.as_ref())).await
        })
        .await
}

/// Creates the offers of checked items; returns the answer and the principal of those that were refused.
async fn create_all(
    app: &App,
    lender: UserId,
    items: Vec<CheckedOffer>,
    key: Option<&IdempotencyKey>,
) -> Result<(Answer, Sats), ApiError> {
    let mut refused = Sats::ZERO;
    let mut created = CreatedOffers { offers: Vec::new(), refused: Vec::new() };
    if key.is_some() {
        app.rates.keyed_creations.take(lender, app.now())?;
    }
    let mut nonce_use =
        key.map(|key| NonceUse { nonce: key.nonce(lender), expires_at: app.now().plus_ms(RETENTION_MS) });
    for (index, item) in items.into_iter().enumerate() {
        let principal = item.quote().sum();
        match app.market.command(item.group(), item.command(lender), nonce_use).await {
            Ok(applied) => {
                // The nonce of the key is consumed with the first event, so a repeated request is recognized whatever
                // the outcome of the other items.
                nonce_use = None;
                created.offers.extend(applied.offers);
            }
            Err(Refusal::Account(AccountRejection::NonceUsed)) => {
                return Err(ApiError::plain(ErrorCode::IdempotencySpent));
            }
            // Nothing was created, so the request as a whole is refused.
            Err(refusal) if created.offers.is_empty() => return Err(at(index, refusal.into())),
            Err(refusal) => {
                refused = refused.saturating_add(principal);
                created.refused.push(RefusedItem { index, error: ApiError::from(refusal).problem(None) });
            }
        }
    }
    Ok((Answer::created(&created)?, refused))
}

/// Changes the principal of a manual offer, which gets a new id and loses its time priority. Its conditions stay.
///
/// # Errors
/// The codes of offers and the bot check.
#[utoipa::path(patch, path = "/api/v1/offers/manual/{offer_id}", operation_id = "editManualOffer", tag = "offers", security(("session" = [])),
    params(("offer_id" = String, Path,)), request_body = EditManualOffer,
    responses((status = 200, body = OneOffer), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn edit(
    app: web::Data<App>,
    path: web::Path<String>,
    write: Write<EditManualOffer>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let (market, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&market, async move {
            if body.offer_id.as_ref().is_some_and(|id| *id != *path) {
                return Err(ApiError::new(ErrorCode::InvalidField, "offer_id is not the one of the path"));
            }
            let id = parse_id(&path)?;
            let lender = caller.user();
            let asked = AskedEdit {
                offer: id,
                bounds: Bounds::new(body.principal_amount, body.principal_min_amount, body.ltv_max),
                good_until: body.good_until.map(UnixMs),
                cancels_on_disconnect: false,
            };
            let checked = asked.check(&app, lender).await?;
            app.admit(Guarded::Offer, visitor, body.cf_turnstile_response.as_deref()).await?;
            let quotes = [checked.quote()];
            let edit = async { Ok((app.market.command(id.group(), checked.command(lender), None).await?, Sats::ZERO)) };
            let applied = caller.quote_within_limits(&app, &quotes, &[id], edit).await?;
            Answer::ok(&OneOffer { offer: last(applied.offers)? })
        })
        .await
}

/// Cancels manual offers; each has its own result.
///
/// # Errors
/// [`ErrorCode::InvalidField`]; the failure of a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/manual/cancel", operation_id = "cancelManualOffers", tag = "offers", security(("session" = [])),
    request_body = OfferIds, responses((status = 200, body = OfferResults), (status = 401, body = Problem)))]
pub async fn cancel(app: web::Data<App>, write: Write<OfferIds>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let lender = caller.user();
            let cancel = async |offer: OfferId| {
                own_manual_offer(&app, lender, offer).await?;
                app.market.command(offer.group(), Command::Cancel { lender, offer }, None).await?;
                Ok(())
            };
            Answer::ok(&results::each(body.bounded()?, cancel).await?)
        })
        .await
}

/// Returns the last of the offers that a command returned.
///
/// # Errors
/// [`ErrorCode::Internal`] when there is none, which would be a bug.
pub(in crate::routes) fn last(offers: Vec<MyOffer>) -> Result<MyOffer, ApiError> {
    offers.into_iter().next_back().ok_or_else(|| ApiError::new(ErrorCode::Internal, "the offer is not in the answer"))
}

async fn check(app: &App, lender: &SignedIn, item: &ManualItem) -> Result<CheckedOffer, ApiError> {
    let given = [
        ("payment_address", item.payment_address.as_str()),
        ("payment_pubkey", &item.payment_pubkey),
        ("ordinal_address", &item.ordinal_address),
        ("ordinal_pubkey", &item.ordinal_pubkey),
    ];
    wallet::check(&lender.addresses, given)?;
    let asked = AskedOffer {
        collection_slug: &item.collection_slug,
        bounds: Bounds::new(item.principal_amount, item.principal_min_amount, item.ltv_max),
        quantity: item.quantity,
        good_until: item.good_until.map(UnixMs),
        conditions: item.conditions.as_ref(),
        cancels_on_disconnect: false,
    };
    asked.check(app, lender.user()).await
}

fn at(index: usize, refusal: ApiError) -> ApiError {
    let values = refusal.values().cloned().unwrap_or_else(|| json!({}));
    let mut values = if values.is_object() { values } else { json!({"value": values}) };
    values["index"] = json!(index);
    refusal.with_values(values)
}
