//! `/api/v1/delegated-offers/cancel`: the cancellation of offers by the program that signed them.

use actix_web::{HttpResponse, web};
use domain::OfferId;
use escrow::action::Action;
use serde::{Deserialize, Serialize};
use signer::delegation_refusal::DelegationRefusal;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::offers::delegated_text::CheckedText;
use crate::offers::own_offer;
use crate::session::signed_message::SignedMessage;

/// A cancellation that a program signed under a delegation.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegatedCancellation {
    /// The complete signed text, a `cancel offers`.
    message: String,
    /// The BIP-340 signature of the tagged hash of `message`, in 128 hexadecimal digits.
    signature: String,
}

/// Cancelled offers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelledOffers {
    /// Those that were cancelled now; one that a borrower is signing for is paused. Offers that had ended before are left
    /// out, so a repeated request has an empty list.
    cancelled_offer_ids: Vec<String>,
}

/// Cancels offers under a delegation by a text of its program, also after the delegation has ended; again without effect.
///
/// # Errors
/// The codes of messages and signatures; [`crate::http::error_code::ErrorCode::DelegationLimit`] for an offer that is not
/// under the delegation.
#[utoipa::path(post, path = "/api/v1/delegated-offers/cancel", operation_id = "cancelByDelegation", tag = "offers", security(("session" = [])),
    request_body = DelegatedCancellation,
    responses((status = 200, body = CancelledOffers), (status = 401, body = Problem), (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn cancel(app: web::Data<App>, write: Write<DelegatedCancellation>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let market = app.clone();
    execution
        .once(&market, async move {
            let lender = caller.user();
            let checked = CheckedText::check(&app, lender, &body.message, &body.signature).await?;
            let Action::CancelOffers(cancel) = checked.action.action() else {
                return Err(SignedMessage::wrong_action("cancel offers"));
            };
            let mut offers = Vec::new();
            for text in cancel.ordinal_offer_ids.iter().chain(&cancel.rune_offer_ids) {
                let offer = own_offer::parse_id(text)?;
                let owner = app.market.delegation_of(lender, offer).await;
                let is_open = match app.market.group(offer.group()) {
                    Some(_) => app.market.offer(offer).await?.is_some(),
                    None => false,
                };
                if is_open && owner != Some(checked.delegation.id) {
                    return Err(ApiError::from(&DelegationRefusal::ForeignOffer { offer_id: text.clone() }));
                }
                if is_open {
                    offers.push(offer);
                }
            }
            let text = checked.into_text().text;
            let cancelled = app.instant_offers().cancel_delegated(lender, &offers, text).await?;
            let cancelled_offer_ids = cancelled.iter().map(OfferId::to_string).collect();
            Answer::ok(&CancelledOffers { cancelled_offer_ids })
        })
        .await
}
