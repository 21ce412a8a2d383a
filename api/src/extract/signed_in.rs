//! The extractor that requires a session.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use domain::{UserId, WalletAddresses};
use escrow::address::WalletAddress;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::session::token::Subject;

/// A user with an open session: a handler with this argument runs for signed-in callers only.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The user and the session.
    pub subject: Subject,
    /// The addresses and public keys of the last sign-in.
    pub addresses: WalletAddresses,
    is_ordinals_proven: bool,
}

impl SignedIn {
    /// Returns the user's id.
    #[must_use]
    pub fn user(&self) -> UserId {
        self.subject.user
    }

    /// Checks that the session of a token's subject has not ended; its user counts as heard.
    ///
    /// # Errors
    /// [`ErrorCode::SessionEnded`].
    pub async fn confirm(app: &App, subject: Subject) -> Result<Self, ApiError> {
        let ended = || ApiError::plain(ErrorCode::SessionEnded);
        let (session, account) = app.market.session(subject.session).await.ok_or_else(ended)?;
        if session.user != subject.user {
            return Err(ended());
        }
        app.market.hear(subject.user).await;
        Ok(Self { subject, addresses: account.addresses, is_ordinals_proven: account.is_ordinals_proven })
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

    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let app = request.app_data::<web::Data<App>>().ok_or_else(|| ApiError::plain(ErrorCode::Internal))?;
        let token = bearer(request).ok_or_else(|| ApiError::plain(ErrorCode::Unauthenticated))?;
        let subject = app.keys.tokens.check_session(token)?;
        Self::confirm(app, subject).await
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
