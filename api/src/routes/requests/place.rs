//! `POST /api/v1/requests`: a borrower requests a loan.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use domain::{
    BookEvent, CollateralType, CollectionGroup, Command, InterestRate, NamedBorrower, Quantity, RequestTerms, Sats,
    TermDays, UnixMs,
};
use engine::wire::AsString;
use escrow::action::{Action, NewRequest, RequestedPledge};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::app::App;
use crate::bot_check::Guarded;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::http::inscription_ids;
use crate::routes::offers::signed_terms;
use crate::session::signed_message::{SignedMessage, check_equal};

/// A loan to request. Exactly one of `inscriptionId`, `inscriptionIds` and `fungibleAmount` names the collateral.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PlaceRequest {
    /// The slug of the collection.
    collection: String,
    /// The inscription to pledge.
    #[serde(default)]
    inscription_id: Option<String>,
    /// The inscriptions to pledge together, up to 20, each once.
    #[serde(default)]
    inscription_ids: Option<Vec<String>>,
    /// The amount of tokens to pledge, in raw units.
    #[serde(default)]
    fungible_amount: Option<String>,
    /// The wanted principal.
    principal_amount_sats: u64,
    /// The highest interest for the whole term, in percent times 100.
    interest_max: u32,
    /// The shortest term, in days.
    term_min_days: u16,
    /// The longest term, in days.
    term_max_days: u16,
    /// The time from which it cannot be filled, in unix milliseconds and whole seconds, 10 minutes to 31 days from now.
    good_until: u64,
    /// The signature of `message` by the payment address.
    signature: String,
    /// `Issued` of the message, in unix seconds.
    signature_timestamp: u64,
    /// The complete signed text.
    message: String,
    /// The token of the bot check; needed only after a refusal that asks for it.
    #[serde(default, rename = "cf_turnstile_response")]
    cf_turnstile_response: Option<String>,
}

/// A borrow request that was placed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacedRequest {
    /// Its id.
    #[schema(value_type = String)]
    request_id: AsString<domain::RequestId>,
}

/// Places a borrow request. The collateral must be the caller's and not pledged for another loan, tokens in the amount of
/// all the caller's requests together; it is not reserved.
///
/// # Errors
/// The codes of messages, signatures, wallet lookups and the bot check; [`ErrorCode::NoTermOfRequest`],
/// [`ErrorCode::AlreadyRequested`], [`ErrorCode::TooManyBorrowRequests`], [`ErrorCode::CollateralPledged`],
/// [`ErrorCode::InsufficientTokens`].
#[utoipa::path(post, path = "/api/v1/requests", operation_id = "placeBorrowRequest", tag = "borrow", security(("session" = [])),
    request_body = PlaceRequest,
    responses((status = 201, body = PlacedRequest), (status = 401, body = Problem), (status = 422, body = Problem)))]
pub async fn place(app: web::Data<App>, write: Write<PlaceRequest>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let (shared, visitor) = (app.clone(), execution.visitor());
    execution
        .once(&shared, async move {
            let PlaceRequest { message, signature, signature_timestamp, .. } = &body;
            let signed =
                signed_terms::check_unused_message(&app, &caller, message, signature, *signature_timestamp).await?;
            let Action::RequestLoan(request) = signed.action() else {
                return Err(SignedMessage::wrong_action("borrow request"));
            };
            body.compare(request)?;
            let unknown = || ApiError::plain(ErrorCode::UnknownCollection);
            let group = app.market.group_named(&body.collection).ok_or_else(unknown)?;
            let terms = body.terms(&caller, &group)?;
            let price = app.market.row(group.id).and_then(|row| row.unit_price).map(|price| price.0);
            terms.check(&group, &app.settings.limits, price, app.now())?;
            let lookups = app.loan_service_for_lookups(caller.user())?;
            lookups.check_held_collateral(caller.user(), &terms.inscriptions, terms.quantity.raw, &group).await?;
            let held_raw = match group.collateral {
                CollateralType::Inscription => None,
                CollateralType::Rune { .. } | CollateralType::Brc20 { .. } => {
                    Some(lookups.held_tokens(caller.user(), &group).await?)
                }
            };
            app.admit(Guarded::Offer, visitor, body.cf_turnstile_response.as_deref()).await?;
            let command = Command::PlaceRequest { terms: Arc::new(terms), held_raw };
            let applied = app.market.command(group.id, command, Some(signed_terms::nonce_use(&signed))).await?;
            let placed = applied.events.iter().find_map(|event| match event {
                BookEvent::RequestPlaced { request, .. } => Some(*request),
                _ => None,
            });
            let placed =
                placed.ok_or_else(|| ApiError::new(ErrorCode::Internal, "the request is not in the answer"))?;
            Answer::created(&PlacedRequest { request_id: AsString(placed) })
        })
        .await
}

impl PlaceRequest {
    /// Compares every field with the signed message.
    fn compare(&self, signed: &NewRequest) -> Result<(), ApiError> {
        let (name, pledge) = match &signed.collateral {
            RequestedPledge::Inscriptions(ids) if self.inscription_ids.is_none() => ("inscriptionId", ids.join(", ")),
            RequestedPledge::Inscriptions(ids) => ("inscriptionIds", ids.join(", ")),
            RequestedPledge::Amount(raw) => ("fungibleAmount", raw.to_string()),
        };
        let given = match (&self.inscription_id, &self.inscription_ids, &self.fungible_amount) {
            (Some(id), None, None) if name == "inscriptionId" => id.clone(),
            (None, Some(ids), None) if name == "inscriptionIds" => ids.join(", "),
            (None, None, Some(raw)) if name == "fungibleAmount" => raw.clone(),
            _ => "none".to_owned(),
        };
        check_equal("collection", &self.collection, &signed.collection_slug)?;
        check_equal(name, &given, &pledge)?;
        check_equal("principalAmountSats", &self.principal_amount_sats, &signed.principal_sats)?;
        check_equal("interestMax", &self.interest_max, &signed.interest_max)?;
        check_equal("termMinDays", &self.term_min_days, &signed.term_min_days)?;
        check_equal("termMaxDays", &self.term_max_days, &signed.term_max_days)?;
        check_equal("goodUntil", &self.good_until, &signed.good_until_s.saturating_mul(1_000))
    }

    fn terms(&self, borrower: &SignedIn, group: &CollectionGroup) -> Result<RequestTerms, ApiError> {
        let ids = self.inscription_ids.iter().flatten().chain(&self.inscription_id);
        let inscriptions = inscription_ids::parse(ids.map(String::as_str))?;
        let quantity = match (&group.collateral, &self.fungible_amount) {
            (CollateralType::Inscription, None) if !inscriptions.is_empty() => Quantity::of_inscriptions(&inscriptions),
            (CollateralType::Rune { .. } | CollateralType::Brc20 { .. }, Some(raw)) if inscriptions.is_empty() => {
                let raw = signed_terms::parse_amount("fungibleAmount", raw)?;
                Some(Quantity::tokens(raw, group.collateral.decimals()))
            }
            _ => None,
        };
        let Some(quantity) = quantity else {
            let detail = "inscriptions are pledged in a collection of inscriptions, an amount in one of tokens";
            let values = json!({"collection": self.collection});
            return Err(ApiError::new(ErrorCode::WrongQuantity, detail).with_values(values));
        };
        Ok(RequestTerms {
            borrower: NamedBorrower {
                user: borrower.user(),
                payment_address: borrower.addresses.payment_address.clone(),
            },
            inscriptions,
            quantity,
            principal: Sats::new(self.principal_amount_sats),
            interest_max: InterestRate::from_basis_points(self.interest_max),
            term_min: TermDays(self.term_min_days),
            term_max: TermDays(self.term_max_days),
            good_until: UnixMs(self.good_until),
        })
    }
}
