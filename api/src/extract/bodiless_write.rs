//! Writes without a body.

use actix_web::{HttpRequest, HttpResponse};

use super::signed_in::SignedIn;
use crate::app::App;
use crate::http::answer::Answer;
use crate::http::api_error::ApiError;
use crate::public_log::RequestLine;

/// Executes a write within the caller's rate limit, and answers it with its receipt.
///
/// # Errors
/// Those of the write and of [`SignedIn::take_write`].
pub async fn execute<F>(app: &App, request: &HttpRequest, caller: &SignedIn, work: F) -> Result<HttpResponse, ApiError>
where
    F: Future<Output = Result<Answer, ApiError>>,
{
    caller.take_write(app)?;
    let answer = app.public_log.receipted(RequestLine::of(request, &[]), caller.user(), work).await?;
    Ok(answer.respond())
}
