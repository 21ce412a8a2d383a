//! `/api/v1/session`: sign-in, renewal, sign-out.

use actix_web::http::header::USER_AGENT;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::{AccountRejection, Session, UnixMs, UserId, WalletAddresses};
use engine::{NonceUse, Refusal};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::own_read::OwnRead;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::http::error_code::ErrorCode;
use crate::session::credential::Credential;
use crate::session::preferences::NotificationPreferences;
use crate::session::refresh_cookie;
use crate::session::sign_in::{self, PresentedWallet, Proof};
use crate::session::token::{RefreshProof, Subject};

/// A signed message and the wallet that signed it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// The complete signed text.
    message: String,
    /// The signature by the payment address: BIP-322 simple or BIP-137, in base64.
    signature: String,
    /// The signature of the same text by the ordinals address; omitted if both are one address.
    #[serde(default)]
    ordinal_signature: Option<String>,
    /// The wallet's name.
    #[expect(dead_code, reason = "sent by every client and of no consequence here")]
    wallet: String,
    /// Whether it is a hardware wallet.
    hardware_wallet: bool,
    /// The payment address, which receives bitcoin and signs the message.
    payment_address: String,
    /// The public key of the payment address in hexadecimal.
    payment_pubkey: String,
    /// The ordinals address, which holds inscriptions and runes.
    ordinal_address: String,
    /// The public key of the ordinals address in hexadecimal.
    ordinal_pubkey: String,
}

/// A session with its token.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedSession {
    /// The token for `Authorization: Bearer`.
    jwt: String,
    /// The time at which the token expires, in unix milliseconds; renew the session before.
    #[schema(value_type = u64)]
    expires_at: UnixMs,
    /// The user of the session.
    #[serde(flatten)]
    session: SessionView,
}

/// The user of a session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// The id of the user.
    user_id: String,
    /// Whether the wallet is a hardware wallet, as reported at sign-in.
    hardware_wallet: bool,
    /// The addresses and public keys of the wallet.
    addresses: AddressesView,
    /// Whether the ordinals address has signed. Without its signature no loan can be taken until the user signs in
    /// again.
    is_ordinals_proven: bool,
    /// Whether critical events can be sent to the user outside of the app.
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

/// Opens a session for the owner of both addresses, which sign one message.
///
/// # Errors
/// The codes of addresses, messages and signatures, [`ErrorCode::OrdinalsSignatureMissing`], [`ErrorCode::NonceUsed`],
/// [`ErrorCode::RateLimited`].
#[utoipa::path(post, path = "/api/v1/session", operation_id = "signIn", tag = "session", request_body = SignInRequest,
    responses((status = 200, body = OpenedSession), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn sign_in(
    app: web::Data<App>,
    request: HttpRequest,
    body: JsonBody<SignInRequest>,
) -> Result<HttpResponse, ApiError> {
    app.rates.sign_ins.take(app.client_ip(&request), app.now())?;
    let wanted = body.value;
    let shown = PresentedWallet {
        payment_address: &wanted.payment_address,
        payment_pubkey: &wanted.payment_pubkey,
        ordinal_address: &wanted.ordinal_address,
        ordinal_pubkey: &wanted.ordinal_pubkey,
    };
    let proof = Proof {
        message: &wanted.message,
        signature: &wanted.signature,
        ordinal_signature: wanted.ordinal_signature.as_deref(),
    };
    let (addresses, signed) = sign_in::check(app.signing_context(), shown, proof, app.now().seconds())?;
    let nonce_use = NonceUse { nonce: signed.nonce, expires_at: signed.expires_at };
    let (id, session) = app.market.open_session(&addresses, agent_of(&request), nonce_use).await?;
    let subject = Subject { user: session.user, session: id, is_hardware_wallet: wanted.hardware_wallet };
    open(&app, subject, &session).await
}

/// Returns the `User-Agent`; browsers restrict it to visible ASCII.
fn agent_of(request: &HttpRequest) -> &str {
    request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default()
}

/// Renews a session by its cookie, which is replaced. For some seconds the same cookie returns the same successor.
///
/// # Errors
/// [`ErrorCode::Unauthenticated`], [`ErrorCode::SessionExpired`], [`ErrorCode::SessionEnded`];
/// [`ErrorCode::RefreshReused`] ends every session of the user and clears the cookie.
#[utoipa::path(post, path = "/api/v1/session/refresh", operation_id = "renewSession", tag = "session",
    responses((status = 200, body = OpenedSession), (status = 401, body = Problem)))]
pub async fn refresh(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.rates.sign_ins.take(app.client_ip(&request), app.now())?;
    let proof = cookie_proof(&app, &request)?;
    let caller = SignedIn::confirm(&app, proof.subject.into()).await?;
    app.rates.renewals.take(caller.user(), app.now())?;
    match app.market.renew_session(proof.subject.session, proof.serial).await {
        Ok(session) => open(&app, proof.subject, &session).await,
        Err(Refusal::Account(AccountRejection::TokenReused)) => {
            // The owner and the holder of a stolen copy cannot be distinguished, so every session has ended.
            tracing::warn!(user = %proof.subject.user, "a refresh token came twice; all sessions ended");
            let mut refused = HttpResponse::from_error(ApiError::plain(ErrorCode::RefreshReused));
            let cleared = refresh_cookie::cleared(app.public_url.is_https());
            refused.add_cookie(&cleared).map_err(|error| ApiError::new(ErrorCode::Internal, error))?;
            Ok(refused)
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// Returns the user of the session.
#[utoipa::path(get, path = "/api/v1/session", operation_id = "getSession", tag = "session", security(("session" = [])),
    responses((status = 200, body = SessionView), (status = 401, body = Problem)))]
pub async fn show(app: web::Data<App>, OwnRead(caller): OwnRead) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(view(&app, caller.credential).await?))
}

/// Ends every session of the caller, identified by the token or, after it expired, by the cookie.
///
/// # Errors
/// [`ErrorCode::Unauthenticated`] and the other codes of sessions.
#[utoipa::path(delete, path = "/api/v1/session", operation_id = "signOut", tag = "session", security(("session" = [])),
    responses((status = 204, description = "Every session of the user has ended"), (status = 401, body = Problem)))]
pub async fn sign_out(
    app: web::Data<App>,
    request: HttpRequest,
    caller: Result<SignedIn, actix_web::Error>,
) -> Result<HttpResponse, ApiError> {
    let user: UserId = match caller {
        Ok(caller) => caller.user(),
        Err(error) if let Some(refusal) = key_refusal(&error) => return Err(refusal),
        Err(_) => SignedIn::confirm(&app, cookie_proof(&app, &request)?.subject.into()).await?.user(),
    };
    app.market.sign_out(user).await?;
    Ok(HttpResponse::NoContent().cookie(refresh_cookie::cleared(app.public_url.is_https())).finish())
}

/// Returns the refusal of an API key, in whose place no cookie is looked at.
fn key_refusal(error: &actix_web::Error) -> Option<ApiError> {
    error.as_error::<ApiError>().filter(|refusal| refusal.code().code().starts_with("api_key_")).cloned()
}

fn cookie_proof(app: &App, request: &HttpRequest) -> Result<RefreshProof, ApiError> {
    let token = refresh_cookie::token_of(request, app.public_url.is_https());
    Ok(app.keys.tokens.check_refresh(&token.ok_or_else(|| ApiError::plain(ErrorCode::Unauthenticated))?)?)
}

async fn open(app: &App, subject: Subject, session: &Session) -> Result<HttpResponse, ApiError> {
    let now_s = app.now().seconds();
    let token = app.keys.tokens.issue_session(subject, now_s, session.ends_at())?;
    let refresh = app.keys.tokens.issue_refresh(subject, session)?;
    let opened = OpenedSession {
        jwt: token.text,
        expires_at: UnixMs(token.expires_s.saturating_mul(1_000)),
        session: view(app, subject.into()).await?,
    };
    let lifetime_s = refresh.expires_s.saturating_sub(now_s);
    let cookie = refresh_cookie::with_token(refresh.text, lifetime_s, app.public_url.is_https());
    Ok(HttpResponse::Ok().cookie(cookie).json(opened))
}

async fn view(app: &App, credential: Credential) -> Result<SessionView, ApiError> {
    let ended = || ApiError::plain(ErrorCode::SessionEnded);
    let account = app.market.account(credential.user).await.ok_or_else(ended)?;
    Ok(SessionView {
        user_id: credential.user.to_string(),
        hardware_wallet: credential.is_hardware_wallet,
        addresses: account.addresses.into(),
        is_ordinals_proven: account.is_ordinals_proven,
        notification_preferences: app.market.contact(credential.user).await?.into(),
    })
}
