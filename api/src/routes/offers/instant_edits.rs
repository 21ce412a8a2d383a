//! `/api/v1/offers/instant/batch-edit`: the replacement of an instant offer by another in one step.

use actix_web::{HttpResponse, web};
use domain::{KeyQuote, Sats};
use escrow::action::Action;
use serde::Deserialize;
use utoipa::ToSchema;

use super::manual::OneOffer;
use super::signed_batch::SignedBatch;
use super::signed_terms::{self, InstantKind, RequestedTerms};
use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::asked_conditions::AskedConditions;
use crate::offers::own_offer;
use crate::session::signed_message::{SignedMessage, check_equal};

/// The kind of collateral of the offer.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferType {
    /// An inscription.
    Inscription,
    /// Runes.
    Rune,
}

/// An edit of an instant offer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct BatchEdit {
    /// Selects which of the two edits is given.
    offer_type: OfferType,
    /// The payment address of the session.
    user_address: String,
    /// The signature of `message` by the payment address.
    signature: String,
    /// The public key of the payment address.
    public_key: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// `Nonce` of the message.
    nonce: String,
    /// The id of the vault signer.
    canister_id: String,
    /// The edit, for runes.
    #[serde(default)]
    edit_rune_offer: Option<EditRune>,
    /// The edit, for inscriptions.
    #[serde(default)]
    edit_ordinal_offer: Option<EditOrdinal>,
    /// The complete signed text.
    message: String,
    /// The caller's own vault.
    vault_address: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, rename = "cf_turnstile_response")]
    cf_turnstile_response: Option<String>,
}

/// An edit of a rune offer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct EditRune {
    delete_offer_external_id: String,
    new_offer: NewRune,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewRune {
    collection_slug: String,
    principal_amount_sats: u64,
    /// Raw units as a decimal string.
    fungible_amount: String,
    ltv_max: u32,
    accept_next_term: bool,
}

/// An edit of an offer against an inscription.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct EditOrdinal {
    delete_offer_external_id: String,
    new_offer: NewOrdinal,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewOrdinal {
    child_collection_slug: String,
    principal_amount_sats: u64,
    /// The least principal, if it follows the floor.
    #[serde(default)]
    principal_min_amount_sats: Option<u64>,
    ltv_max: u32,
    accept_next_term: bool,
}

/// Replaces an instant offer; the new one has a new id. Its time and its conditions stay; the message names the borrower
/// and a signed time again.
///
/// # Errors
/// The codes of messages, signatures, offers and the bot check.
#[utoipa::path(post, path = "/api/v1/offers/instant/batch-edit", operation_id = "editInstantOffer", tag = "offers", security(("session" = [])),
    request_body = BatchEdit,
    responses((status = 200, body = OneOffer), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn edit(app: web::Data<App>, write: Write<BatchEdit>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let (market, visitor) = (app.clone(), execution.visitor());
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
            let Action::EditOffer { delete_offer_id, new_offer } = signed.action() else {
                return Err(SignedMessage::wrong_action("edit offer"));
            };
            let signed_action = signed_terms::signed_action(&signed, body.message.clone(), body.signature.clone());
            let (deleted, mut terms) = requested(&body)?;
            check_equal("deleteOfferExternalId", &deleted, delete_offer_id)?;
            let lender = caller.user();
            let offer = own_offer::parse_id(&deleted)?;
            let old = own_offer::own_offer(&app, lender, offer).await?;
            let good_until = old.kept_good_until(app.now());
            let conditions = app.market.offer_conditions(offer).await?;
            // A time that was set without a signature stays without one.
            terms.good_until = good_until.map(|at| at.0).filter(|_| old.is_time_signed());
            let borrower = conditions.as_ref().and_then(|conditions| conditions.borrower.as_ref());
            terms.conditions = borrower.map(|named| AskedConditions::for_borrower(named.payment_address.clone()));
            terms.compare(new_offer, &body.canister_id)?;
            let mut placed = terms.validate(&app, lender).await?;
            (placed.draft.good_until, placed.draft.conditions) = (good_until, conditions);
            if placed.group.id != offer.group() {
                return Err(ApiError::new(ErrorCode::InvalidField, "an edit keeps the collection of the offer"));
            }
            app.admit(Guarded::Offer, visitor, body.cf_turnstile_response.as_deref()).await?;
            let quote = KeyQuote { group: offer.group(), principal: placed.draft.principal, count: 1 };
            let edit = async {
                Ok((app.instant_offers().edit(offer, lender, placed.draft, signed_action).await?, Sats::ZERO))
            };
            let offer = caller.quote_within_limits(&app, &[quote], &[offer], edit).await?;
            Answer::ok(&OneOffer { offer })
        })
        .await
}

/// Returns the edit that the request selects.
fn requested(body: &BatchEdit) -> Result<(String, RequestedTerms), ApiError> {
    let vault_address = body.vault_address.clone();
    match (body.offer_type, &body.edit_rune_offer, &body.edit_ordinal_offer) {
        (OfferType::Rune, Some(EditRune { delete_offer_external_id, new_offer }), None) => {
            let terms = RequestedTerms {
                kind: InstantKind::Rune,
                collection_slug: new_offer.collection_slug.clone(),
                principal_sats: new_offer.principal_amount_sats,
                principal_min_sats: None,
                fungible_amount: Some(signed_terms::parse_amount("fungibleAmount", &new_offer.fungible_amount)?),
                ltv_max: new_offer.ltv_max,
                accept_next_term: new_offer.accept_next_term,
                vault_address,
                good_until: None,
                conditions: None,
            };
            Ok((delete_offer_external_id.clone(), terms))
        }
        (OfferType::Inscription, None, Some(EditOrdinal { delete_offer_external_id, new_offer })) => {
            let terms = RequestedTerms {
                kind: InstantKind::Ordinal,
                collection_slug: new_offer.child_collection_slug.clone(),
                principal_sats: new_offer.principal_amount_sats,
                principal_min_sats: new_offer.principal_min_amount_sats,
                fungible_amount: None,
                ltv_max: new_offer.ltv_max,
                accept_next_term: new_offer.accept_next_term,
                vault_address,
                good_until: None,
                conditions: None,
            };
            Ok((delete_offer_external_id.clone(), terms))
        }
        _ => {
            let detail =
                "give editRuneOffer for offerType rune, editOrdinalOffer for offerType inscription, and not both";
            Err(ApiError::new(ErrorCode::InvalidField, detail))
        }
    }
}
