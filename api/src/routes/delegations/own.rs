//! `/api/v1/delegations`: what the caller's wallet has permitted to programs, and how much of it is used.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{Delegation, DelegationId, DelegationRejection, OfferId, UnixMs, UserId};
use escrow::action::Action;
use escrow::delegation_id;
use serde::{Deserialize, Serialize};
use signer::delegation_request::{DelegationName, DelegationStatus};
use signer::vault_signer::VaultSigner as _;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::bodiless_write;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::answer::Answer;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::offers::delegated_text::limits_of;
use crate::routes::offers::signed_terms::{check_action, nonce_use};
use crate::session::signed_message::SignedMessage;

/// A delegation to create: everything about it is in the signed message.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateDelegation {
    /// The complete signed text, a `delegate quotes`.
    message: String,
    /// The signature of `message` by the payment address.
    signature: String,
}

/// The delegations of a lender.
#[derive(Serialize, ToSchema)]
pub struct MyDelegations {
    /// At most 16 that can be used, and the latest that have ended, by id.
    delegations: Vec<DelegationView>,
}

/// The state of a delegation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DelegationState {
    /// Its program can quote.
    Open,
    /// Its time is over.
    Expired,
    /// This server accepts nothing under it; the vault signer has not confirmed the revocation yet.
    Revoking,
    /// The vault signer lends nothing by it any more.
    Revoked,
}

/// A delegation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DelegationView {
    /// Its id: 32 hexadecimal digits.
    delegation_id: String,
    /// The x-only public key of the program, in hexadecimal.
    program_key: String,
    /// Whether its program can quote.
    state: DelegationState,
    /// The policies of the vaults that it may lend from; `null` for all.
    #[schema(required)]
    vaults: Option<Vec<String>>,
    /// The slugs that its offers may name; `null` for all.
    #[schema(required)]
    collections: Option<Vec<String>>,
    /// The largest principal of one loan.
    principal_max_sats: u64,
    /// The largest sum of the principals of loans within 24 hours.
    daily_max_sats: u64,
    /// The sum within the last 24 hours, as the vault signer counts it; `null` if the signer does not answer, or does not
    /// know the delegation.
    #[schema(required)]
    lent_within_day_sats: Option<u64>,
    /// The least interest for the whole term, in hundredths of a percent of the principal.
    interest_min_bps: u32,
    /// The longest term, in days.
    term_max_days: u16,
    /// The highest number that its program has used; the next text has a higher one.
    latest_number: u64,
    /// The open offers under it.
    offer_ids: Vec<String>,
    /// The time of its creation, in unix milliseconds.
    #[schema(value_type = u64)]
    created_at: UnixMs,
    /// The time from which nothing is lent by it, in unix milliseconds.
    #[schema(value_type = u64)]
    valid_until: UnixMs,
    /// The time of its revocation, in unix milliseconds; `null` if it was not revoked.
    #[schema(value_type = Option<u64>, required)]
    revoked_at: Option<UnixMs>,
    /// The time at which the vault signer confirmed the revocation, in unix milliseconds.
    #[schema(value_type = Option<u64>, required)]
    confirmed_at: Option<UnixMs>,
}

/// The effect of a revocation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevokedDelegation {
    /// The delegation afterwards: `revoked`, or `revoking` until the vault signer has confirmed it.
    delegation: DelegationView,
    /// The offers under it that were cancelled now; one that a borrower is signing for is paused.
    cancelled_offer_ids: Vec<String>,
}

impl DelegationView {
    async fn of(app: &App, own: &Delegation, statuses: &[DelegationStatus]) -> Result<Self, ApiError> {
        let (limits, _) = limits_of(own)?;
        let state = match own.check_open(app.now()) {
            Ok(()) => DelegationState::Open,
            Err(DelegationRejection::Revoked { .. }) if own.is_unconfirmed() => DelegationState::Revoking,
            Err(DelegationRejection::Revoked { .. }) => DelegationState::Revoked,
            Err(_) => DelegationState::Expired,
        };
        let status = statuses.iter().find(|status| status.delegation.0.0 == own.id.0);
        let offers = app.market.delegated_offers(own.user, own.id).await;
        Ok(Self {
            delegation_id: own.id.to_string(),
            program_key: limits.program_key.to_string(),
            state,
            vaults: limits.vaults,
            collections: limits.collections,
            principal_max_sats: limits.principal_max_sats,
            daily_max_sats: limits.daily_max_sats,
            lent_within_day_sats: status.map(|status| status.lent_within_day_sats),
            interest_min_bps: limits.interest_min_bps,
            term_max_days: limits.term_max_days,
            latest_number: own.latest_number,
            offer_ids: offers.iter().map(OfferId::to_string).collect(),
            created_at: own.created_at,
            valid_until: own.signed.valid_until,
            revoked_at: own.revoked_at,
            confirmed_at: own.confirmed_at,
        })
    }
}

/// Asks the vault signer for what it has counted; nothing if it does not answer.
async fn statuses(app: &App, own: &[Delegation]) -> Vec<DelegationStatus> {
    let Some(first) = own.first() else { return Vec::new() };
    let names = own.iter().map(|it| DelegationName(delegation_id::DelegationId(it.id.0))).collect();
    app.signer.delegation_status(first.user.0, names).await.unwrap_or_default()
}

/// Delegates quotes to a program, within the limits of a signed message. The vault signer admits it before this answers; if
/// it does not, the delegation is revoked again.
///
/// # Errors
/// The codes of messages and signatures; [`ErrorCode::VaultNotFound`], [`ErrorCode::DuplicateId`],
/// [`ErrorCode::TooManyDelegations`], [`ErrorCode::DelegationLimit`] for another vault.
#[utoipa::path(post, path = "/api/v1/delegations", operation_id = "createDelegation", tag = "offers", security(("session" = [])),
    request_body = CreateDelegation,
    responses((status = 201, body = DelegationView), (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn create(app: web::Data<App>, write: Write<CreateDelegation>) -> Result<HttpResponse, ApiError> {
    let Write { caller, body, execution } = write;
    let shared = app.clone();
    execution
        .once(&shared, async move {
            let signed = check_action(&app, &caller.signing_address(&app)?, &body.message, &body.signature)?;
            let Action::DelegateQuotes(limits) = signed.action() else {
                return Err(SignedMessage::wrong_action("delegate quotes"));
            };
            app.market.check_unused(nonce_use(&signed)).await?;
            let policy = app.vault_signer_id(caller.user()).await?;
            if !limits.covers_vault(&policy) {
                return Err(ApiError::from(&signer::delegation_refusal::DelegationRefusal::OtherVault { policy }));
            }
            let vault = app.market.vault_ledger(caller.user()).await;
            if vault.is_none_or(|vault| vault.keys().is_none()) {
                return Err(ApiError::plain(ErrorCode::VaultNotFound));
            }
            let id = DelegationId(limits.id.0);
            let valid_until = UnixMs(limits.valid_until_s.saturating_mul(1_000));
            let used = nonce_use(&signed);
            let CreateDelegation { message, signature } = body;
            let journaled = domain::SignedDelegation { message, signature, valid_until };
            let created = app.instant_offers().delegate(caller.user(), id, journaled, used).await?;
            let statuses = statuses(&app, std::slice::from_ref(&created)).await;
            Answer::created(&DelegationView::of(&app, &created, &statuses).await?)
        })
        .await
}

/// Lists the caller's delegations: those that can be used, and the latest that have ended, with what the vault signer has
/// counted.
///
/// # Errors
/// None but those of every read.
#[utoipa::path(get, path = "/api/v1/delegations", operation_id = "listDelegations", tag = "offers", security(("session" = [])),
    responses((status = 200, body = MyDelegations), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(MyDelegations { delegations: delegations(&app, caller.user()).await? }))
}

/// Returns the delegations of a lender.
pub(in crate::routes) async fn delegations(app: &App, user: UserId) -> Result<Vec<DelegationView>, ApiError> {
    let own = app.market.delegations(user).await;
    let statuses = statuses(app, &own).await;
    let mut delegations = Vec::with_capacity(own.len());
    for delegation in &own {
        delegations.push(DelegationView::of(app, delegation, &statuses).await?);
    }
    Ok(delegations)
}

/// Revokes a delegation for good; again without effect. This server accepts nothing under it from now on, and its open
/// offers are cancelled. It is complete, and its state `revoked`, when the vault signer has confirmed it: a signer that is
/// away hears of it again until it has. A key with the scope `cancel` may revoke.
///
/// # Errors
/// [`ErrorCode::UnknownDelegation`].
#[utoipa::path(delete, path = "/api/v1/delegations/{delegation_id}", operation_id = "revokeDelegation", tag = "offers", security(("session" = [])),
    params(("delegation_id" = String, Path,)),
    responses((status = 200, body = RevokedDelegation), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub async fn revoke(
    app: web::Data<App>,
    request: HttpRequest,
    caller: SignedIn,
    path: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let work = async {
        let id: delegation_id::DelegationId =
            path.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownDelegation))?;
        let revoked = app.instant_offers().revoke_delegation(caller.user(), DelegationId(id.0)).await?;
        let statuses = statuses(&app, std::slice::from_ref(&revoked.delegation)).await;
        Answer::ok(&RevokedDelegation {
            delegation: DelegationView::of(&app, &revoked.delegation, &statuses).await?,
            cancelled_offer_ids: revoked.cancelled.iter().map(OfferId::to_string).collect(),
        })
    };
    bodiless_write::execute(&app, &request, &caller, work).await
}
