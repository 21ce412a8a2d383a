//! `/api/v1/delegated-offers`: instant offers that a program signed under a delegation.

use actix_web::{HttpResponse, web};
use domain::{CollateralType, KeyQuote, Sats, UnixMs};
use escrow::action::{Action, NewOffer, OfferProcess};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::asked_conditions::AskedConditions;
use crate::offers::delegated_text::CheckedText;
use crate::offers::own_offer;
use crate::routes::offers::manual::OneOffer;
use crate::routes::offers::signed_terms::{InstantKind, RequestedTerms, ValidatedOffer};
use crate::session::signed_message::SignedMessage;

/// A text that a program signed under a delegation: everything about the offer is in it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegatedQuote {
    /// The complete signed text: a `create offer`, or an `edit offer` of an offer under the same delegation.
    message: String,
    /// The BIP-340 signature of the tagged hash of `message`, in 128 hexadecimal digits.
    signature: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    cf_turnstile_response: Option<String>,
}

/// Creates or replaces an instant offer by a text that a program signed under a delegation. Server and vault signer check
/// the signature and every limit, each for itself. The number of the text is above all that the program has used, also in
/// texts that were refused later; an offer is good until the delegation ends at the latest.
///
/// # Errors
/// The codes of messages, signatures, delegations, offers and the bot check.
#[utoipa::path(post, path = "/api/v1/delegated-offers", operation_id = "quoteByDelegation", tag = "offers", security(("session" = [])),
    request_body = DelegatedQuote,
    responses((status = 201, body = OneOffer), (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn quote(app: web::Data<App>, write: Write<DelegatedQuote>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let (market, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&market, async move {
            let lender = caller.user();
            let checked = CheckedText::check(&app, lender, &body.message, &body.signature).await?;
            let wrong = || SignedMessage::wrong_action("create offer");
            let new_offer = checked.action.new_offer().ok_or_else(wrong)?.clone();
            let mut placed = validate(&app, &checked, &new_offer, lender).await?;
            app.admit(Guarded::Offer, visitor, body.cf_turnstile_response.as_deref()).await?;
            let group = placed.group.id;
            let quote = KeyQuote { group, principal: placed.draft.principal, count: 1 };
            let replaced = match checked.action.action() {
                Action::EditOffer { delete_offer_id, .. } => {
                    let offer = own_offer::parse_id(delete_offer_id)?;
                    let old = own_offer::own_offer(&app, lender, offer).await?;
                    if app.market.delegation_of(lender, offer).await != Some(checked.delegation.id) {
                        let refusal = signer::delegation_refusal::DelegationRefusal::ForeignOffer {
                            offer_id: delete_offer_id.clone(),
                        };
                        return Err(ApiError::from(&refusal));
                    }
                    if offer.group() != group {
                        return Err(ApiError::new(
                            ErrorCode::InvalidField,
                            "an edit keeps the collection of the offer",
                        ));
                    }
                    // A time that was set without a signature stays without one.
                    let end = checked.delegation.signed.valid_until;
                    if placed.draft.good_until == Some(end) {
                        placed.draft.good_until =
                            old.kept_good_until(app.now()).map(|kept| kept.min(end)).or(Some(end));
                    }
                    Some(offer)
                }
                _ => None,
            };
            let text = checked.into_text();
            let place = async {
                let offers = app.instant_offers();
                let offer = match replaced {
                    Some(old) => offers.edit_delegated(old, lender, placed.draft, text).await?,
                    None => offers.create_delegated(group, lender, placed.draft, text).await?,
                };
                Ok((offer, Sats::ZERO))
            };
            let replaced: Vec<_> = replaced.into_iter().collect();
            let offer = caller.quote_within_limits(&app, &[quote], &replaced, place).await?;
            Answer::created(&OneOffer { offer })
        })
        .await
}

/// Checks the terms against the delegation and against the market.
async fn validate(
    app: &App,
    checked: &CheckedText,
    new_offer: &NewOffer,
    lender: domain::UserId,
) -> Result<ValidatedOffer, ApiError> {
    let OfferProcess::Instant(terms) = &new_offer.process else {
        return Err(SignedMessage::wrong_action("Process: instant"));
    };
    checked.check_vault(&terms.vault, &app.vault_signer_id(lender).await?)?;
    if terms.inscriptions.is_some() {
        return Err(ApiError::new(ErrorCode::InvalidField, "an offer under a delegation is against one inscription"));
    }
    let slug = &new_offer.collection_slug;
    let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
    let (group, sub_collection) = app.market.sub_collection_named(slug).ok_or_else(unknown)?;
    let listed = group.sub_collections.iter().find(|it| it.id == sub_collection).ok_or_else(unknown)?;
    checked.check_offer(app, new_offer.principal_sats, listed)?;
    let vault = app.market.vault(lender).await.and_then(|vault| vault.vault_address);
    let requested = RequestedTerms {
        kind: match group.collateral {
            CollateralType::Inscription => InstantKind::Ordinal,
            _ => InstantKind::Rune,
        },
        collection_slug: slug.clone(),
        principal_sats: new_offer.principal_sats,
        principal_min_sats: terms.principal_min_sats,
        fungible_amount: terms.fungible_amount,
        ltv_max: terms.ltv_max,
        accept_next_term: terms.accept_next_term,
        vault_address: vault.ok_or_else(|| ApiError::plain(ErrorCode::VaultNotFound))?,
        good_until: terms.good_until_s.map(|good_until_s| good_until_s.saturating_mul(1_000)),
        conditions: terms.borrower.clone().map(AskedConditions::for_borrower),
    };
    let mut placed = requested.validate(app, lender).await?;
    let end: UnixMs = checked.delegation.signed.valid_until;
    placed.draft.good_until = Some(placed.draft.good_until.map_or(end, |good_until| good_until.min(end)));
    Ok(placed)
}
