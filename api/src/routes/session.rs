//! `/api/v1/session`: signing in, renewing, signing out.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{AccountRejection, UnixMs, UserId, WalletAddresses};
use engine::{Burn, Refusal};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::http::error_code::ErrorCode;
use crate::http::own_read::OwnRead;
use crate::session::preferences::NotificationPreferences;
use crate::session::refresh_cookie;
use crate::session::sign_in::{self, Shown};
use crate::session::signed_in::SignedIn;
use crate::session::token::{RefreshProof, Subject};

/// A signed message and the wallet that signed it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// The whole text that was signed.
    message: String,
    /// BIP-322 simple or BIP-137, in base64.
    signature: String,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet: String,
    /// Whether it is a hardware wallet.
    hardware_wallet: bool,
    /// Where the person is paid; signs the message.
    payment_address: String,
    /// Its public key in hexadecimal.
    payment_pubkey: String,
    /// Where the person keeps assets.
    ordinal_address: String,
    /// Its public key in hexadecimal.
    ordinal_pubkey: String,
}

/// A session with its token (SPEC section 3).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedSession {
    /// For `Authorization: Bearer`.
    jwt: String,
    /// Unix milliseconds; renew before.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
    /// Whose it is.
    #[serde(flatten)]
    session: SessionView,
}

/// Whose session it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Who.
    user_id: String,
    /// Whether the wallet said that it is a hardware wallet.
    hardware_wallet: bool,
    /// What the wallet showed.
    addresses: AddressesView,
    /// Whether the person can be told of critical events outside of the app.
    notification_preferences: NotificationPreferences,
}

#[derive(Serialize, ToSchema)]
struct AddressesView {
    payment: AddressView,
    ordinals: AddressView,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AddressView {
    address: String,
    pub_key: String,
}

impl From<WalletAddresses> for AddressesView {
    fn from(addresses: WalletAddresses) -> Self {
        Self {
            payment: AddressView { address: addresses.payment_address, pub_key: addresses.payment_pubkey },
            ordinals: AddressView { address: addresses.ordinal_address, pub_key: addresses.ordinal_pubkey },
        }
    }
}

/// Opens a session for whoever signed the message.
///
/// # Errors
/// The codes of addresses, messages and signatures, [`ErrorCode::NonceUsed`], [`ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/session", operation_id = "signIn", tag = "session", request_body = SignInRequest,
    responses((status = 200, body = OpenedSession), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn sign_in(
    app: web::Data<App>,
    request: HttpRequest,
    body: JsonBody<SignInRequest>,
) -> Result<HttpResponse, ApiError> {
    app.rates.sign_ins.take(app.client_ip(&request), app.now())?;
    let wanted = body.value;
    let shown = Shown {
        payment_address: &wanted.payment_address,
        payment_pubkey: &wanted.payment_pubkey,
        ordinal_address: &wanted.ordinal_address,
        ordinal_pubkey: &wanted.ordinal_pubkey,
    };
    let now_s = app.now().seconds();
    let (addresses, signed) = sign_in::check(app.place(), shown, &wanted.message, &wanted.signature, now_s)?;
    let burn = Burn { nonce: signed.nonce, expires_at: signed.expires_at };
    let account = app.market.sign_in(&addresses, burn).await?;
    let is_hardware_wallet = wanted.hardware_wallet;
    let subject = Subject { user: account.user, generation: account.generation, is_hardware_wallet };
    open(&app, subject, addresses).await
}

/// Renews a session by its cookie, which is replaced.
///
/// # Errors
/// [`ErrorCode::Unauthenticated`], [`ErrorCode::SessionExpired`], [`ErrorCode::SessionEnded`];
/// [`ErrorCode::RefreshReused`] ends every session of the user and takes the cookie back.
#[utoipa::path(post, path = "/api/v1/session/refresh", operation_id = "renewSession", tag = "session",
    responses((status = 200, body = OpenedSession), (status = 401, body = Problem)))]
pub async fn refresh(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.rates.sign_ins.take(app.client_ip(&request), app.now())?;
    let proof = cookie_proof(&app, &request)?;
    let person = SignedIn::confirm(&app, proof.subject).await?;
    app.rates.renewals.take(person.user(), app.now())?;
    let burn = Burn { nonce: proof.nonce, expires_at: UnixMs(proof.expires_s.saturating_mul(1_000)) };
    match app.market.burn(burn).await {
        Ok(()) => app.renewals.remember(proof.nonce, app.now()),
        Err(Refusal::Account(AccountRejection::NonceUsed)) if app.renewals.is_recent(proof.nonce, app.now()) => {}
        Err(Refusal::Account(AccountRejection::NonceUsed)) => {
            // Somebody has a copy of the cookie. Nobody can tell who is who, so nobody stays.
            app.market.sign_out(proof.subject.user).await?;
            tracing::warn!(user = %proof.subject.user, "a refresh token came twice; all sessions ended");
            let mut refused = HttpResponse::from_error(ApiError::plain(ErrorCode::RefreshReused));
            let cleared = refresh_cookie::cleared(app.public_url.is_https());
            refused.add_cookie(&cleared).map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
            return Ok(refused);
        }
        Err(refusal) => return Err(refusal.into()),
    }
    open(&app, proof.subject, person.addresses).await
}

/// Shows whose session it is.
#[utoipa::path(get, path = "/api/v1/session", operation_id = "getSession", tag = "session", security(("session" = [])),
    responses((status = 200, body = SessionView), (status = 401, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(person): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(view(&app, person.subject, person.addresses).await?))
}

/// Ends every session of the caller, who is known by token or, when that expired, by cookie.
///
/// # Errors
/// [`ErrorCode::Unauthenticated`] and the other codes of sessions.
#[utoipa::path(delete, path = "/api/v1/session", operation_id = "signOut", tag = "session", security(("session" = [])),
    responses((status = 204, description = "Every session of the user has ended"), (status = 401, body = Problem)))]
pub async fn sign_out(
    app: web::Data<App>,
    request: HttpRequest,
    person: Option<SignedIn>,
) -> Result<HttpResponse, ApiError> {
    let user: UserId = match person {
        Some(person) => person.user(),
        None => SignedIn::confirm(&app, cookie_proof(&app, &request)?.subject).await?.user(),
    };
    app.market.sign_out(user).await?;
    Ok(HttpResponse::NoContent().cookie(refresh_cookie::cleared(app.public_url.is_https())).finish())
}

fn cookie_proof(app: &App, request: &HttpRequest) -> Result<RefreshProof, ApiError> {
    let cookie = request.cookie(refresh_cookie::NAME).ok_or_else(|| ApiError::plain(ErrorCode::Unauthenticated))?;
    Ok(app.keys.tokens.check_refresh(cookie.value())?)
}

async fn open(app: &App, subject: Subject, addresses: WalletAddresses) -> Result<HttpResponse, ApiError> {
    let now_s = app.now().seconds();
    let session = app.keys.tokens.issue_session(subject, now_s)?;
    let refresh = app.keys.tokens.issue_refresh(subject, now_s)?;
    let opened = OpenedSession {
        jwt: session.text,
        expires_at: UnixMs(session.expires_s.saturating_mul(1_000)),
        session: view(app, subject, addresses).await?,
    };
    let cookie = refresh_cookie::with_token(refresh.text, app.public_url.is_https());
    Ok(HttpResponse::Ok().cookie(cookie).json(opened))
}

async fn view(app: &App, subject: Subject, addresses: WalletAddresses) -> Result<SessionView, ApiError> {
    Ok(SessionView {
        user_id: subject.user.to_string(),
        hardware_wallet: subject.is_hardware_wallet,
        addresses: addresses.into(),
        notification_preferences: app.market.contact(subject.user).await?.into(),
    })
}
