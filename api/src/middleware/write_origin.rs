//! The middleware that refuses writes from pages of other origins.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;
use actix_web::{Error, web};

use crate::app::App;

/// Refuses writes that a page of another origin sent.
///
/// # Errors
/// Never: a refusal is a response.
pub async fn check_writes<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_write = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let app = request.app_data::<web::Data<App>>().filter(|_| is_write);
    match app.map_or(Ok(()), |app| app.origins.check(request.headers())) {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(refusal) => Ok(request.error_response(refusal)),
    }
}
