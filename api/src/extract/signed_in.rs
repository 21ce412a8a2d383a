//! The extractor that requires a session or an API key.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use domain::{Account, ApiKey, ApiKeyId, SessionId, UserId, WalletAddresses};
use escrow::address::WalletAddress;
use serde_json::json;

use super::key_access::{self, KeyAccess};
use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::quota_report::QuotaReport;
use crate::http::rate_client::RateClient;
use crate::session::api_key_secret;
use crate::session::credential::{Credential, CredentialId};

/// A user with an open session, or a program with a key of the user: a handler with this argument runs for them only, and
/// for a key only if [`key_access::TABLE`] and the key's scopes permit it.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The user and the session or key.
    pub credential: Credential,
    /// The addresses and public keys of the last sign-in.
    pub addresses: WalletAddresses,
    is_ordinals_proven: bool,
    key: Option<ApiKey>,
    quota: QuotaReport,
}

impl SignedIn {
    /// Returns the user's id.
    #[must_use]
    pub fn user(&self) -> UserId {
        self.credential.user
    }

    /// Returns the API key of the request; `None` for a session.
    #[must_use]
    pub fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    /// Returns the session of the request; `None` for a key.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self.credential.id {
            CredentialId::Session(session) => Some(session),
            CredentialId::Key(_) => None,
        }
    }

    /// Checks that a session or key has not ended; its user counts as heard.
    ///
    /// # Errors
    /// [`ErrorCode::SessionEnded`]; [`ErrorCode::ApiKeyInvalid`], [`ErrorCode::ApiKeyRevoked`],
    /// [`ErrorCode::ApiKeyExpired`].
    pub async fn confirm(app: &App, credential: Credential) -> Result<Self, ApiError> {
        let confirmed = match credential.id {
            CredentialId::Session(session) => {
                let ended = || ApiError::plain(ErrorCode::SessionEnded);
                let (session, account) = app.market.session(session).await.ok_or_else(ended)?;
                if session.user != credential.user {
                    return Err(ended());
                }
                Self::new(credential, account, None)
            }
            CredentialId::Key(id) => {
                let invalid = || ApiError::plain(ErrorCode::ApiKeyInvalid);
                let (key, account) = app.market.api_key(id).await.ok_or_else(invalid)?;
                key.check_open(app.now())?;
                if key.user != credential.user {
                    return Err(invalid());
                }
                Self::new(credential, account, Some(key))
            }
        };
        app.market.hear(credential.user).await;
        Ok(confirmed)
    }

    /// Refuses an address that the API key is not valid from.
    ///
    /// # Errors
    /// [`ErrorCode::ApiKeyAddress`] and the codes of keys that have ended.
    pub fn check_address(&self, app: &App, address: IpAddr) -> Result<(), ApiError> {
        Ok(self.key().map_or(Ok(()), |key| key.check_use(address, app.now()))?)
    }

    /// Checks a session or key that was confirmed before for its next use from an address; a key counts as used.
    ///
    /// # Errors
    /// Those of [`Self::confirm`] and [`Self::check_address`].
    pub async fn confirm_use(app: &App, credential: Credential, address: IpAddr) -> Result<Self, ApiError> {
        let confirmed = Self::confirm(app, credential).await?;
        confirmed.check_address(app, address)?;
        if let Some(key) = confirmed.key() {
            app.key_uses.record(key.id, app.now());
        }
        Ok(confirmed)
    }

    /// Refuses an API key for which a route does not take it, or without the scope of the route.
    ///
    /// # Errors
    /// [`ErrorCode::ApiKeyScope`], [`ErrorCode::ApiKeyNotAccepted`].
    pub fn check_route(&self, method: &Method, pattern: Option<&str>) -> Result<(), ApiError> {
        let Some(key) = self.key() else { return Ok(()) };
        match key_access::of(method, pattern) {
            KeyAccess::Scope(scope) => Ok(key.check_scope(scope)?),
            KeyAccess::AnyKey => Ok(()),
            KeyAccess::SessionOnly => {
                let values = json!({"method": method.as_str(), "route": pattern});
                Err(ApiError::plain(ErrorCode::ApiKeyNotAccepted).with_values(values))
            }
        }
    }

    /// Refuses a user whose ordinals key has not signed. Every action that pledges something in the name of the
    /// ordinals address checks this first.
    ///
    /// # Errors
    /// [`ErrorCode::OrdinalsUnproven`].
    pub fn require_proven(&self) -> Result<(), ApiError> {
        if self.is_ordinals_proven { Ok(()) } else { Err(ApiError::plain(ErrorCode::OrdinalsUnproven)) }
    }

    /// Returns the address that signs this user's messages.
    ///
    /// # Errors
    /// Fails if the journal holds an address of another network, after the setting was changed.
    pub fn signing_address(&self, app: &App) -> Result<WalletAddress, ApiError> {
        Ok(WalletAddress::parse(&self.addresses.payment_address, app.settings.network)?)
    }

    /// Counts a write.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`].
    pub fn take_write(&self, app: &App) -> Result<(), ApiError> {
        app.rates.writes.take_reported("writes", self.rate_client(), app.now(), &self.quota)
    }

    /// Counts a read of the caller's own data.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`].
    pub fn take_own_read(&self, app: &App) -> Result<(), ApiError> {
        app.rates.own_reads.take_reported("own-reads", self.rate_client(), app.now(), &self.quota)
    }

    fn rate_client(&self) -> RateClient {
        self.key().map_or(RateClient::User(self.user()), |key| RateClient::Key(key.id))
    }

    fn new(credential: Credential, account: Account, key: Option<ApiKey>) -> Self {
        let Account { addresses, is_ordinals_proven, .. } = account;
        Self { credential, addresses, is_ordinals_proven, key, quota: QuotaReport::default() }
    }

    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let app = request.app_data::<web::Data<App>>().ok_or_else(|| ApiError::plain(ErrorCode::Internal))?;
        let token = bearer(request).ok_or_else(|| ApiError::plain(ErrorCode::Unauthenticated))?;
        let confirmed = if api_key_secret::is_secret(token) {
            Self::of_key(app, request, token).await?
        } else {
            let subject = app.keys.tokens.check_session(token)?;
            Self::confirm(app, subject.into()).await?
        };
        Ok(Self { quota: QuotaReport::of(request), ..confirmed })
    }

    async fn of_key(app: &App, request: &HttpRequest, secret: &str) -> Result<Self, ApiError> {
        let invalid = || ApiError::plain(ErrorCode::ApiKeyInvalid);
        let id: ApiKeyId = api_key_secret::key_of(secret).ok_or_else(invalid)?;
        let found = app.market.api_key(id).await;
        let stored = found.as_ref().map_or([0; 32], |(key, _)| key.secret_hash);
        // Hashes are compared in constant time, and also for an unknown key.
        if api_key_secret::hash(secret) != blake3::Hash::from_bytes(stored) {
            return Err(invalid());
        }
        let (key, account) = found.ok_or_else(invalid)?;
        key.check_use(app.client_address(request), app.now())?;
        let (user, is_hardware_wallet) = (key.user, key.terms.is_hardware_wallet);
        let credential = Credential { user, id: CredentialId::Key(id), is_hardware_wallet };
        let caller = Self::new(credential, account, Some(key));
        caller.check_route(request.method(), request.match_pattern().as_deref())?;
        app.key_uses.record(id, app.now());
        app.market.hear(user).await;
        Ok(caller)
    }
}

impl FromRequest for SignedIn {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Self::Error>>>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Ok(Self::of(&request).await?) })
    }
}

fn bearer(request: &HttpRequest) -> Option<&str> {
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
