//! An extractor for writes of a signed-in caller.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::bot_check::Visitor;
use crate::extract::halt_effect::{self, HaltEffect};
use crate::extract::signed_in::SignedIn;
use crate::http::answer::Answer;
use crate::http::api_error::ApiError;
use crate::http::body::JsonBody;
use crate::http::client_ip;
use crate::http::error_code::ErrorCode;
use crate::http::idempotency_key::{Fingerprint, IdempotencyKey, MaybeKey};
use crate::public_log::RequestLine;

/// The session, the body and the idempotency key of a write that is within the rate limit of its user.
pub struct Write<T> {
    /// The caller.
    pub caller: SignedIn,
    /// The request body.
    pub body: T,
    /// Distinguishes the write from others.
    pub execution: WriteExecution,
}

/// The permission to execute a write once.
pub struct WriteExecution {
    caller: SignedIn,
    key: Option<IdempotencyKey>,
    fingerprint: Fingerprint,
    visitor: Visitor,
    line: RequestLine,
}

impl WriteExecution {
    /// Returns the idempotency key of the client, if any.
    #[must_use]
    pub fn key(&self) -> Option<&IdempotencyKey> {
        self.key.as_ref()
    }

    /// Returns the caller's user and address, for the bot check.
    #[must_use]
    pub fn visitor(&self) -> Visitor {
        self.visitor
    }

    /// Executes the write, or returns the answer of its first execution, with its receipt.
    ///
    /// # Errors
    /// Those of the write and of [`crate::http::idempotency::IdempotencyStore::once`].
    pub async fn once<F>(self, app: &App, work: F) -> Result<HttpResponse, ApiError>
    where
        F: Future<Output = Result<Answer, ApiError>> + 'static,
    {
        let memory = Arc::clone(&app.idempotency);
        let (log, user, line) = (Arc::clone(&app.public_log), self.caller.user(), self.line);
        let work = async move { log.receipted(line, user, work).await };
        let answer = memory.once(user, self.key, self.fingerprint, app.now(), Box::pin(work)).await?;
        Ok(answer.respond())
    }
}

impl<T: DeserializeOwned + 'static> FromRequest for Write<T> {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Self::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = JsonBody::<T>::from_request(request, payload);
        let key = MaybeKey::from_request(request, payload);
        let caller = SignedIn::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let app = request.app_data::<web::Data<App>>().ok_or_else(|| ApiError::plain(ErrorCode::Internal))?;
            let caller = caller.await?;
            caller.take_write(app)?;
            if halt_effect::of(request.method(), request.match_pattern().as_deref()) == HaltEffect::Refused {
                app.market.check_new_loan().await.map_err(ApiError::from)?;
            }
            let MaybeKey(key) = key.await?;
            let JsonBody { value, bytes } = body.await?;
            let fingerprint = Fingerprint::of(&request, &bytes);
            let address = app.client_address(&request);
            let line = RequestLine::of(&request, &bytes);
            let visitor = Visitor { user: caller.user(), address, network: client_ip::network_of(address) };
            Ok(Self {
                caller: caller.clone(),
                body: value,
                execution: WriteExecution { caller, key, fingerprint, visitor, line },
            })
        })
    }
}
