//! `/api/v1/offers/instant/batch-cancel`, `/cancel-all` and `/{kind}/{offerId}/cancel`: cancellation of instant offers by
//! signature.

use actix_web::{HttpResponse, web};
use domain::{CollateralType, Offer, OfferId, ProcessType, Rejection, Sats, UserId};
use escrow::action::{Action, CancelOffers};
use futures_util::future::join_all;
use serde::Deserialize;
use utoipa::ToSchema;

use super::results::OfferResults;
use super::signed_batch::SignedBatch;
use super::signed_terms::{self, InstantKind};
use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::own_offer;
use crate::session::signed_message::{SignedMessage, check_equal};

/// Offers to cancel.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct BatchCancel {
    /// The payment address of the session.
    user_address: String,
    /// The public key of the payment address.
    public_key: String,
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// `Nonce` of the message.
    nonce: String,
    /// The id of the vault signer, which is `Vault` in the message.
    canister_id: String,
    /// Offers against inscriptions.
    ordinal_offer_ids: Vec<String>,
    /// Offers against runes.
    rune_offer_ids: Vec<String>,
    /// The complete signed text.
    message: String,
}

/// The signed cancellation of one offer, or of all.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedCancel {
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The complete signed text.
    message: String,
}

/// Cancels instant offers; each has its own result.
///
/// # Errors
/// The codes of messages and signatures; the failure of a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/instant/batch-cancel", operation_id = "cancelInstantOffers", tag = "offers", security(("session" = [])),
    request_body = BatchCancel,
    responses((status = 200, body = OfferResults), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn cancel_batch(app: web::Data<App>, write: Write<BatchCancel>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let batch = SignedBatch {
                user_address: &body.user_address,
                public_key: &body.public_key,
                signature: &body.signature,
                signature_timestamp: body.signature_timestamp,
                nonce: &body.nonce,
                canister_id: &body.canister_id,
                message: &body.message,
            };
            let signed = batch.check(&app, &caller).await?;
            let signed_action = cancellation(&signed)?;
            check_equal(
                "ordinalOfferIds",
                &body.ordinal_offer_ids.join(","),
                &signed_action.ordinal_offer_ids.join(","),
            )?;
            check_equal("runeOfferIds", &body.rune_offer_ids.join(","), &signed_action.rune_offer_ids.join(","))?;
            check_vault(&app, caller.user(), signed_action).await?;
            Answer::ok(&cancel(&app, caller.user(), &signed, (body.message, body.signature)).await?)
        })
        .await
}

/// Cancels one instant offer.
///
/// # Errors
/// [`ErrorCode::NotFound`] for kinds other than `ordinals` and `runes`, and the codes of messages and signatures.
#[utoipa::path(post, path = "/api/v1/offers/instant/{kind}/{offer_id}/cancel", operation_id = "cancelInstantOffer", tag = "offers",
    security(("session" = [])), request_body = SignedCancel,
    params(("kind" = String, Path, description = "ordinals or runes"), ("offer_id" = String, Path,)),
    responses((status = 200, body = OfferResults), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn cancel_one(
    app: web::Data<App>,
    path: web::Path<(String, String)>,
    write: Write<SignedCancel>,
) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let (kind, offer_id) = path.into_inner();
            let (ordinals, runes) = match kind.as_str() {
                "ordinals" => (offer_id.as_str(), ""),
                "runes" => ("", offer_id.as_str()),
                _ => return Err(ApiError::plain(ErrorCode::NotFound)),
            };
            let SignedCancel { message, signature, signature_timestamp } = &body;
            let signed =
                signed_terms::check_unused_message(&app, &caller, message, signature, *signature_timestamp).await?;
            let signed_action = cancellation(&signed)?;
            check_equal("ordinal offer", &ordinals.to_owned(), &signed_action.ordinal_offer_ids.join(","))?;
            check_equal("rune offer", &runes.to_owned(), &signed_action.rune_offer_ids.join(","))?;
            check_vault(&app, caller.user(), signed_action).await?;
            Answer::ok(&cancel(&app, caller.user(), &signed, (body.message, body.signature)).await?)
        })
        .await
}

/// Cancels all instant offers of the caller, whose number one message does not limit; each has its own result. An offer that
/// a borrower is signing for stays in the book until then, and the vault no longer pays for it.
///
/// # Errors
/// The codes of messages and signatures.
#[utoipa::path(post, path = "/api/v1/offers/instant/cancel-all", operation_id = "cancelAllInstantOffers", tag = "offers",
    security(("session" = [])), request_body = SignedCancel,
    responses((status = 200, body = OfferResults), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn cancel_all(app: web::Data<App>, write: Write<SignedCancel>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let SignedCancel { message, signature, signature_timestamp } = body;
            let signed =
                signed_terms::check_unused_message(&app, &caller, &message, &signature, signature_timestamp).await?;
            let Action::CancelAllOffers { vault } = signed.action() else {
                return Err(SignedMessage::wrong_action("cancel all offers"));
            };
            check_equal("Vault", &app.vault_signer_id(caller.user()).await?, vault)?;
            let signed = signed_terms::signed_action(&signed, message, signature);
            let outcomes = app.instant_offers().cancel_all(caller.user(), signed).await?.into_iter();
            let outcomes = outcomes.map(|(id, outcome)| (id.to_string(), outcome.map_err(ApiError::from)));
            Answer::ok(&OfferResults::of(outcomes.collect())?)
        })
        .await
}

fn cancellation(signed: &SignedMessage) -> Result<&CancelOffers, ApiError> {
    match signed.action() {
        Action::CancelOffers(signed_action) => Ok(signed_action),
        _ => Err(SignedMessage::wrong_action("cancel offers")),
    }
}

async fn check_vault(app: &App, lender: UserId, signed_action: &CancelOffers) -> Result<(), ApiError> {
    let signed_action = signed_action.vault.clone().unwrap_or_else(|| "none".to_owned());
    check_equal("canisterId", &app.vault_signer_id(lender).await?, &signed_action)
}

/// Cancels the offers that the message names, at the signer and then in the books.
async fn cancel(
    app: &App,
    lender: UserId,
    signed: &SignedMessage,
    (message, signature): (String, String),
) -> Result<OfferResults, ApiError> {
    let signed_action = cancellation(signed)?;
    let ordinals = signed_action.ordinal_offer_ids.iter().map(|id| (InstantKind::Ordinal, id));
    let runes = signed_action.rune_offer_ids.iter().map(|id| (InstantKind::Rune, id));
    let named: Vec<(InstantKind, &String)> = ordinals.chain(runes).collect();
    let own = join_all(named.iter().map(|(kind, text)| own_instant_offer(app, lender, *kind, text))).await;
    if let [Ok(offer)] = own.as_slice()
        && offer.held > Sats::ZERO
    {
        // A borrower is signing for this offer: a cancellation at the signer could not be reversed.
        return Err(Rejection::UnderOffer(offer.id).into());
    }
    if let [Err(refusal)] = own.as_slice()
        && refusal.code() != ErrorCode::UnknownOffer
    {
        // None of the offers is the lender's, so the signer has nothing to cancel either.
        return Err(refusal.clone());
    }
    let offers: Vec<OfferId> = own.iter().filter_map(|own| Some(own.as_ref().ok()?.id)).collect();
    // An offer that is in no book may still be open at the signer.
    let signed_action = signed_terms::signed_action(signed, message, signature);
    let mut outcomes = app.instant_offers().cancel(lender, &offers, signed_action).await?.into_iter();
    let mut results = Vec::new();
    for ((_, text), own) in named.iter().zip(own) {
        let outcome = match own {
            Ok(_) => outcomes.next().unwrap_or(Ok(())).map_err(ApiError::from),
            Err(refusal) if named.len() == 1 => return Err(refusal),
            Err(refusal) => Err(refusal),
        };
        results.push(((*text).clone(), outcome));
    }
    OfferResults::of(results)
}

/// Returns the caller's own instant offer if it lends against the kind of collateral under which it was named.
async fn own_instant_offer(app: &App, lender: UserId, kind: InstantKind, text: &str) -> Result<Offer, ApiError> {
    let id = own_offer::parse_id(text)?;
    let offer = own_offer::own_offer(app, lender, id).await?;
    let collateral = app.market.group(id.group()).map(|group| group.collateral.clone());
    let is_kind = match kind {
        InstantKind::Ordinal => matches!(collateral, Some(CollateralType::Inscription)),
        InstantKind::Rune => matches!(collateral, Some(CollateralType::Rune { .. })),
    };
    if offer.process == ProcessType::Instant && is_kind {
        Ok(offer)
    } else {
        Err(ApiError::new(ErrorCode::InvalidField, format!("{id} is not an instant offer of this kind")))
    }
}
