//! `/api/v1/me/api-keys`: the caller's API keys, for programs.

use std::collections::BTreeSet;

use actix_web::{HttpResponse, web};
use domain::{AddressRange, ApiKey, ApiKeyId, ApiKeyRejection, ApiKeyTerms, GroupId, KeyScope, Sats, UnixMs};
use escrow::action::Action;
use escrow::new_api_key::{self, NewApiKey};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::extract::write::Write;
use crate::http::api_error::{ApiError, Problem};
use crate::http::error_code::ErrorCode;
use crate::routes::offers::signed_terms::{check_action, nonce_use};
use crate::session::api_key_secret::{self, RandomPart};
use crate::session::signed_message::SignedMessage;

/// A key to create: everything about it is in the signed message.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateApiKey {
    /// The complete signed text, a `create api key`.
    message: String,
    /// The signature of `message` by the payment address.
    signature: String,
}

/// A created key with its secret, which is shown this once.
#[derive(Serialize, ToSchema)]
pub struct CreatedApiKey {
    /// The secret for `Authorization: Bearer`, beginning with `lbk_`. The server keeps only its hash.
    secret: String,
    /// The key.
    key: ApiKeyView,
}

/// The keys of a user.
#[derive(Serialize, ToSchema)]
pub struct MyApiKeys {
    /// In the order of their creation: at most 20 that can be used, and the latest that have ended.
    keys: Vec<ApiKeyView>,
}

/// The state of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApiKeyState {
    /// It can be used.
    Open,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
}

/// A key.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyView {
    /// The id of the key.
    key_id: String,
    /// The user's name for it.
    name: String,
    /// Whether it can be used.
    state: ApiKeyState,
    /// The permitted groups of requests: `read`, `quote`, `cancel`, `lend`, `borrow`, `vault`.
    scopes: Vec<String>,
    /// The largest principal of one offer.
    #[schema(value_type = u64)]
    principal_max_sats: Sats,
    /// The largest sum of the principals of all open offers and running loans of the user at once.
    #[schema(value_type = u64)]
    outstanding_max_sats: Sats,
    /// The largest sum of principals quoted in a UTC day.
    #[schema(value_type = u64)]
    daily_max_sats: Sats,
    /// The sum of principals quoted in this UTC day.
    #[schema(value_type = u64)]
    quoted_today_sats: Sats,
    /// The slugs of the collections that it may quote in; `null` for all.
    #[schema(required)]
    collections: Option<Vec<String>>,
    /// The networks that it may be used from, in CIDR notation; `null` for any.
    #[schema(required)]
    addresses: Option<Vec<String>>,
    /// The time of its creation, in unix milliseconds.
    #[schema(value_type = u64)]
    created_at: UnixMs,
    /// The time from which it is refused, in unix milliseconds.
    #[schema(value_type = u64)]
    valid_until: UnixMs,
    /// The time of its revocation, in unix milliseconds; `null` if it was not revoked.
    #[schema(value_type = Option<u64>, required)]
    revoked_at: Option<UnixMs>,
    /// The time of its last use, in unix milliseconds; `null` if this server has seen none since its start.
    #[schema(value_type = Option<u64>, required)]
    last_used_at: Option<UnixMs>,
}

impl ApiKeyView {
    pub(super) fn of(app: &App, key: &ApiKey) -> Self {
        let (now, terms) = (app.now(), &key.terms);
        let slug =
            |group: &GroupId| app.market.group(*group).map_or_else(|| group.to_string(), |it| it.slug.to_string());
        Self {
            key_id: key.id.to_string(),
            name: terms.name.clone(),
            state: match key.check_open(now) {
                Ok(()) => ApiKeyState::Open,
                Err(ApiKeyRejection::Revoked { .. }) => ApiKeyState::Revoked,
                Err(_) => ApiKeyState::Expired,
            },
            scopes: terms.scopes.iter().map(KeyScope::to_string).collect(),
            principal_max_sats: terms.principal_max,
            outstanding_max_sats: terms.outstanding_max,
            daily_max_sats: terms.daily_max,
            quoted_today_sats: key.quoted.on(now.day()),
            collections: terms.collections.as_ref().map(|groups| groups.iter().map(slug).collect()),
            addresses: terms.addresses.as_ref().map(|ranges| ranges.iter().map(AddressRange::to_string).collect()),
            created_at: key.created_at,
            valid_until: terms.valid_until,
            revoked_at: key.revoked_at,
            last_used_at: app.key_uses.last(key.id),
        }
    }
}

/// Creates an API key with the rights and limits of a signed message. Its secret is in this answer only; a repeated
/// message is refused.
///
/// # Errors
/// The codes of messages and signatures; [`ErrorCode::UnknownCollection`] with the slug, [`ErrorCode::TooManyApiKeys`];
/// [`ErrorCode::ApiKeyNotAccepted`] for a request with a key.
#[utoipa::path(post, path = "/api/v1/me/api-keys", operation_id = "createApiKey", tag = "session", security(("session" = [])),
    request_body = CreateApiKey,
    responses((status = 201, body = CreatedApiKey), (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn create(app: web::Data<App>, write: Write<CreateApiKey>) -> Result<HttpResponse, ApiError> {
    // Not by the idempotency key: the stored answer would keep the secret.
    let Write { caller, body, .. } = write;
    let signed = check_action(&app, &caller.signing_address(&app)?, &body.message, &body.signature)?;
    let Action::CreateApiKey(wanted) = signed.action() else {
        return Err(SignedMessage::wrong_action("create api key"));
    };
    let terms = terms(&app, wanted, caller.credential.is_hardware_wallet)?;
    let random = RandomPart::draw();
    let hash = |id: ApiKeyId| *api_key_secret::hash(&random.secret_of(id)).as_bytes();
    let key = app.market.create_api_key(caller.user(), terms, nonce_use(&signed), hash).await?;
    let created = CreatedApiKey { secret: random.secret_of(key.id), key: ApiKeyView::of(&app, &key) };
    Ok(HttpResponse::Created().json(created))
}

/// Lists the caller's API keys: those that can be used, and the latest that have ended. No secret is shown.
#[utoipa::path(get, path = "/api/v1/me/api-keys", operation_id = "listApiKeys", tag = "session", security(("session" = [])),
    responses((status = 200, body = MyApiKeys), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn list(app: web::Data<App>, OwnRead(caller): OwnRead) -> HttpResponse {
    let keys = app.market.api_keys(caller.user()).await;
    HttpResponse::Ok().json(MyApiKeys { keys: keys.iter().map(|key| ApiKeyView::of(&app, key)).collect() })
}

/// Revokes an API key of the caller, which is refused from now on; again without effect. The offers and loans made with it
/// stay.
///
/// # Errors
/// [`ErrorCode::UnknownApiKey`].
#[utoipa::path(delete, path = "/api/v1/me/api-keys/{key_id}", operation_id = "revokeApiKey", tag = "session", security(("session" = [])),
    params(("key_id" = String, Path,)),
    responses((status = 204, description = "The key is revoked"), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub async fn revoke(app: web::Data<App>, caller: SignedIn, path: web::Path<String>) -> Result<HttpResponse, ApiError> {
    caller.take_write(&app)?;
    let id: ApiKeyId = path.parse().map_err(|_| ApiError::plain(ErrorCode::UnknownApiKey))?;
    app.market.revoke_api_key(caller.user(), id).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn terms(app: &App, wanted: &NewApiKey, is_hardware_wallet: bool) -> Result<ApiKeyTerms, ApiError> {
    let group = |slug: &String| {
        let found = app.market.group_named(slug).filter(|group| group.slug.as_str() == slug);
        let unknown = || ApiError::plain(ErrorCode::UnknownCollection).with_values(json!({"collection": slug}));
        Ok(found.ok_or_else(unknown)?.id)
    };
    let groups = |slugs: &Vec<String>| slugs.iter().map(group).collect::<Result<BTreeSet<_>, ApiError>>();
    Ok(ApiKeyTerms {
        name: wanted.name.clone(),
        scopes: wanted.scopes.iter().copied().map(scope).collect(),
        principal_max: Sats::new(wanted.principal_max_sats),
        outstanding_max: Sats::new(wanted.outstanding_max_sats),
        daily_max: Sats::new(wanted.daily_max_sats),
        collections: wanted.collections.as_ref().map(groups).transpose()?,
        addresses: wanted.addresses.as_ref().map(|ranges| ranges.iter().copied().map(AddressRange::from).collect()),
        valid_until: UnixMs(wanted.valid_until_s.saturating_mul(1_000)),
        is_hardware_wallet,
    })
}

const fn scope(signed: new_api_key::KeyScope) -> KeyScope {
    match signed {
        new_api_key::KeyScope::Read => KeyScope::Read,
        new_api_key::KeyScope::Quote => KeyScope::Quote,
        new_api_key::KeyScope::Cancel => KeyScope::Cancel,
        new_api_key::KeyScope::Lend => KeyScope::Lend,
        new_api_key::KeyScope::Borrow => KeyScope::Borrow,
        new_api_key::KeyScope::Vault => KeyScope::Vault,
    }
}
