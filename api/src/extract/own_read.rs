//! An extractor for reads of the caller's own data.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};

use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// The caller, who is within the rate limit of reads.
pub struct OwnRead(pub SignedIn);

impl FromRequest for OwnRead {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Self::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = SignedIn::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let app = request.app_data::<web::Data<App>>().ok_or_else(|| ApiError::plain(ErrorCode::Internal))?;
            let caller = caller.await?;
            caller.take_own_read(app)?;
            Ok(Self(caller))
        })
    }
}
