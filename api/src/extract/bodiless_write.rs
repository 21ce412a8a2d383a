//! Writes without a body, which are answered without one.

use actix_web::{HttpRequest, HttpResponse};
use engine::touched_books;

use super::signed_in::SignedIn;
use crate::app::App;
use crate::http::api_error::ApiError;
use crate::public_log::{self, RequestLine};

/// Executes a write within the caller's rate limit, and answers it with 204 and its receipt.
///
/// # Errors
/// Those of the write and of [`SignedIn::take_write`].
pub async fn no_content<F>(
    app: &App,
    request: &HttpRequest,
    caller: &SignedIn,
    work: F,
) -> Result<HttpResponse, ApiError>
where
    F: Future<Output = Result<(), ApiError>>,
{
    caller.take_write(app)?;
    let (done, touched) = touched_books::collect(work).await;
    done?;
    let line = RequestLine::of(request, &[]);
    let mut response = HttpResponse::NoContent();
    if let Some(receipt) = app.public_log.receipt(line, Some(&[]), (caller.user(), app.now()), touched).await {
        response.insert_header((public_log::HEADER, receipt));
    }
    Ok(response.finish())
}
