//! `/api/v1/offers/instant/ordinals` and `/runes`: offers that the lender's vault funds.

use actix_web::{HttpResponse, web};
use domain::{KeyQuote, Sats};
use escrow::action::Action;
use serde::Deserialize;
use utoipa::ToSchema;

use super::manual::OneOffer;
use super::signed_terms::{self, InstantKind, RequestedTerms};
use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::{Write, WriteExecution};
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::offers::asked_conditions::AskedConditions;
use crate::session::signed_message::SignedMessage;

/// An instant offer against an inscription.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateOrdinalOffer {
    /// The slug of the sub-collection.
    collection_slug: String,
    /// The principal in sats; the largest one if it follows the floor.
    principal_amount_sats: u64,
    /// The least principal in sats of an offer whose principal follows the floor, at the LTV `ltv_max`, as `Min principal
    /// sats` of the message says; the vault signer lends nothing outside these bounds. Absent if the principal is fixed.
    #[serde(default)]
    principal_min_amount_sats: Option<u64>,
    /// The maximum LTV in hundredths of a percent.
    ltv_max: u32,
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The caller's own vault.
    vault_address: String,
    /// Whether an announced term change is accepted in advance.
    accept_next_term: bool,
    /// The time from which nothing is lent, in unix milliseconds and whole seconds, 10 minutes to a year from now, as
    /// `Good until` of the message says; absent if the offer is good until it is cancelled.
    #[serde(default)]
    good_until: Option<u64>,
    /// The conditions of the offer for borrowers; absent if anyone can take it. A borrower named here is the `Borrower`
    /// of the message, and the vault signer lends to no other; the order book alone checks the other conditions.
    #[serde(default)]
    conditions: Option<AskedConditions>,
    /// The complete signed text.
    message: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    cf_turnstile_response: Option<String>,
}

/// An instant offer against runes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateRuneOffer {
    /// The slug of the sub-collection.
    collection_slug: String,
    /// The principal in sats.
    principal_amount_sats: u64,
    /// The largest collateral that is taken, in raw units as a decimal string.
    fungible_amount: String,
    /// The maximum LTV in hundredths of a percent.
    ltv_max: u32,
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The caller's own vault.
    vault_address: String,
    /// Whether an announced term change is accepted in advance.
    accept_next_term: bool,
    /// The time from which nothing is lent, in unix milliseconds and whole seconds, 10 minutes to a year from now, as
    /// `Good until` of the message says; absent if the offer is good until it is cancelled.
    #[serde(default)]
    good_until: Option<u64>,
    /// The conditions of the offer for borrowers; absent if anyone can take it. A borrower named here is the `Borrower`
    /// of the message, and the vault signer lends to no other; the order book alone checks the other conditions.
    #[serde(default)]
    conditions: Option<AskedConditions>,
    /// The complete signed text.
    message: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default)]
    cf_turnstile_response: Option<String>,
}

/// The parts that both kinds have in common: the terms, and the proof that they were signed.
struct SignedOffer {
    terms: RequestedTerms,
    message: String,
    signature: String,
    signature_timestamp: u64,
    token: Option<String>,
}

/// Creates an instant offer against an inscription.
///
/// # Errors
/// The codes of messages, signatures, offers and the bot check.
#[utoipa::path(post, path = "/api/v1/offers/instant/ordinals", operation_id = "createInstantOrdinalOffer", tag = "offers", security(("session" = [])),
    request_body = CreateOrdinalOffer,
    responses((status = 201, body = OneOffer), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn create_ordinal(app: web::Data<App>, write: Write<CreateOrdinalOffer>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let terms = RequestedTerms {
        kind: InstantKind::Ordinal,
        collection_slug: body.collection_slug,
        principal_sats: body.principal_amount_sats,
        principal_min_sats: body.principal_min_amount_sats,
        fungible_amount: None,
        ltv_max: body.ltv_max,
        accept_next_term: body.accept_next_term,
        vault_address: body.vault_address,
        good_until: body.good_until,
        conditions: body.conditions,
    };
    let CreateOrdinalOffer { message, signature, signature_timestamp, cf_turnstile_response: token, .. } = body;
    create(app, caller, execution, SignedOffer { terms, message, signature, signature_timestamp, token }).await
}

/// Creates an instant offer against runes.
///
/// # Errors
/// The codes of messages, signatures, offers and the bot check.
#[utoipa::path(post, path = "/api/v1/offers/instant/runes", operation_id = "createInstantRuneOffer", tag = "offers", security(("session" = [])),
    request_body = CreateRuneOffer,
    responses((status = 201, body = OneOffer), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn create_rune(app: web::Data<App>, write: Write<CreateRuneOffer>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let terms = RequestedTerms {
        kind: InstantKind::Rune,
        collection_slug: body.collection_slug,
        principal_sats: body.principal_amount_sats,
        principal_min_sats: None,
        fungible_amount: Some(signed_terms::parse_amount("fungible_amount", &body.fungible_amount)?),
        ltv_max: body.ltv_max,
        accept_next_term: body.accept_next_term,
        vault_address: body.vault_address,
        good_until: body.good_until,
        conditions: body.conditions,
    };
    let CreateRuneOffer { message, signature, signature_timestamp, cf_turnstile_response: token, .. } = body;
    create(app, caller, execution, SignedOffer { terms, message, signature, signature_timestamp, token }).await
}

async fn create(
    app: web::Data<App>,
    lender: SignedIn,
    execution: WriteExecution,
    offer: SignedOffer,
) -> Result<HttpResponse, ApiError> {
    let (market, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&market, async move {
            let SignedOffer { terms, message, signature, signature_timestamp, token } = offer;
            let signed =
                signed_terms::check_unused_message(&app, &lender, &message, &signature, signature_timestamp).await?;
            let Action::CreateOffer(signed_action) = signed.action() else {
                return Err(SignedMessage::wrong_action("create offer"));
            };
            terms.compare(signed_action, &app.vault_signer_id(lender.user()).await?)?;
            let user = lender.user();
            let placed = terms.validate(&app, user).await?;
            app.admit(Guarded::Offer, visitor, token.as_deref()).await?;
            let signed_action = signed_terms::signed_action(&signed, message, signature);
            let group = placed.group.id;
            let quote = KeyQuote { group, principal: placed.draft.principal, count: 1 };
            let create = async {
                Ok((app.instant_offers().create(group, user, placed.draft, signed_action).await?, Sats::ZERO))
            };
            let offer = lender.quote_within_limits(&app, &[quote], &[], create).await?;
            Answer::created(&OneOffer { offer })
        })
        .await
}
