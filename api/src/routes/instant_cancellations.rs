//! `/api/v1/offers/instant/batch-cancel` and `/{kind}/{offerId}/cancel`: instant offers are taken back by signature.

use actix_web::{HttpResponse, web};
use domain::{CollateralType, Command, OfferId, ProcessType, UserId};
use escrow::action::{Action, CancelOffers};
use futures_util::future::join_all;
use serde::Deserialize;
use utoipa::ToSchema;

use super::offer_results::{self, OfferResult, OfferResults};
use super::signed_batch::SignedBatch;
use super::signed_terms::{self, InstantKind};
use crate::app::App;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::write::Write;
use crate::ledger_vault;
use crate::session::signed_message::{SignedMessage, same};

/// Offers to take back (SPEC section 7, `BatchCancel`).
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct BatchCancel {
    /// The payment address of the session.
    user_address: String,
    /// The public key of the payment address.
    public_key: String,
    /// Of the message, by the payment address.
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
    /// The whole text that was signed.
    message: String,
}

/// One offer to take back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelOne {
    /// Of the message, by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The whole text that was signed.
    message: String,
}

/// Takes instant offers back; each has its own result.
///
/// # Errors
/// The codes of messages and signatures; what is wrong with a single offer is in its result.
#[utoipa::path(post, path = "/api/v1/offers/instant/batch-cancel", operation_id = "cancelInstantOffers", tag = "offers", security(("session" = [])),
    request_body = BatchCancel,
    responses((status = 200, body = OfferResults), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn cancel_batch(app: web::Data<App>, write: Write<BatchCancel>) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let market = app.clone();
    turn.once(&market, async move {
        let batch = SignedBatch {
            user_address: &body.user_address,
            public_key: &body.public_key,
            signature: &body.signature,
            signature_timestamp: body.signature_timestamp,
            nonce: &body.nonce,
            canister_id: &body.canister_id,
            message: &body.message,
        };
        let signed = batch.check(&app, &lender)?;
        let said = cancellation(&signed)?;
        same("ordinalOfferIds", &body.ordinal_offer_ids.join(","), &said.ordinal_offer_ids.join(","))?;
        same("runeOfferIds", &body.rune_offer_ids.join(","), &said.rune_offer_ids.join(","))?;
        check_vault(&app, said)?;
        Answer::ok(&cancel(&app, lender.user(), &signed).await?)
    })
    .await
}

/// Takes one instant offer back.
///
/// # Errors
/// The codes of messages and signatures; [`ErrorCode::NotFound`] for another kind than `ordinals` and `runes`.
#[utoipa::path(post, path = "/api/v1/offers/instant/{kind}/{offer_id}/cancel", operation_id = "cancelInstantOffer", tag = "offers",
    security(("session" = [])), request_body = CancelOne,
    params(("kind" = String, Path, description = "ordinals or runes"), ("offer_id" = String, Path,)),
    responses((status = 200, body = OfferResults), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn cancel_one(
    app: web::Data<App>,
    path: web::Path<(String, String)>,
    write: Write<CancelOne>,
) -> Result<HttpResponse, ApiError> {
    let Write { lender, body, turn } = write;
    let market = app.clone();
    turn.once(&market, async move {
        let (kind, offer_id) = path.into_inner();
        let (ordinals, runes) = match kind.as_str() {
            "ordinals" => (offer_id.as_str(), ""),
            "runes" => ("", offer_id.as_str()),
            _ => return Err(ApiError::plain(ErrorCode::NotFound)),
        };
        let CancelOne { message, signature, signature_timestamp } = &body;
        let signed = signed_terms::check_message(&app, &lender, message, signature, *signature_timestamp)?;
        let said = cancellation(&signed)?;
        same("ordinal offer", &ordinals.to_owned(), &said.ordinal_offer_ids.join(","))?;
        same("rune offer", &runes.to_owned(), &said.rune_offer_ids.join(","))?;
        check_vault(&app, said)?;
        Answer::ok(&cancel(&app, lender.user(), &signed).await?)
    })
    .await
}

fn cancellation(signed: &SignedMessage) -> Result<&CancelOffers, ApiError> {
    match signed.action() {
        Action::CancelOffers(said) => Ok(said),
        _ => Err(SignedMessage::wrong_action("cancel offers")),
    }
}

fn check_vault(app: &App, said: &CancelOffers) -> Result<(), ApiError> {
    let said = said.vault.clone().unwrap_or_else(|| "none".to_owned());
    same("canisterId", &ledger_vault::signer_id(app.settings.network), &said)
}

/// Cancels what the message names.
///
/// A single offer goes in one batch with the nonce. Several may stand in several books, so the nonce is burned first:
/// a crash in between costs the lender a new signature and never lets the old one count twice.
async fn cancel(app: &App, lender: UserId, signed: &SignedMessage) -> Result<OfferResults, ApiError> {
    let said = cancellation(signed)?;
    let ordinals = said.ordinal_offer_ids.iter().map(|id| (InstantKind::Ordinal, id.clone()));
    let runes = said.rune_offer_ids.iter().map(|id| (InstantKind::Rune, id.clone()));
    let named: Vec<(InstantKind, String)> = ordinals.chain(runes).collect();
    let burn = signed_terms::burn(signed);
    if let [(kind, text)] = named.as_slice() {
        let offer = own_instant_offer(app, lender, *kind, text).await?;
        app.market.command(offer.group(), Command::Cancel { lender, offer }, Some(burn)).await?;
        return Ok(OfferResults { results: vec![OfferResult::new(text.clone(), Ok(()))] });
    }
    app.market.burn(burn).await?;
    let one = async |(kind, text): (InstantKind, String)| {
        let outcome = async {
            let offer = own_instant_offer(app, lender, kind, &text).await?;
            app.market.command(offer.group(), Command::Cancel { lender, offer }, None).await?;
            Ok(())
        };
        let outcome = outcome.await;
        OfferResult::new(text, outcome)
    };
    Ok(OfferResults { results: join_all(named.into_iter().map(one)).await })
}

/// The caller's own instant offer against the kind of collateral under which it was named.
async fn own_instant_offer(app: &App, lender: UserId, kind: InstantKind, text: &str) -> Result<OfferId, ApiError> {
    let id = offer_results::parse_id(text)?;
    let offer = offer_results::own_offer(app, lender, id).await?;
    let collateral = app.market.group(id.group()).map(|group| group.collateral.clone());
    let is_kind = match kind {
        InstantKind::Ordinal => matches!(collateral, Some(CollateralType::Inscription)),
        InstantKind::Rune => matches!(collateral, Some(CollateralType::Rune { .. })),
    };
    if offer.process == ProcessType::Instant && is_kind {
        Ok(id)
    } else {
        Err(ApiError::new(ErrorCode::InvalidField, format!("{id} is not an instant offer of this kind")))
    }
}
