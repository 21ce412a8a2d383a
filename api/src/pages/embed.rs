//! `/embed/borrow`, the only page that other sites may frame, and `/embed.js`, the script that frames it.
//!
//! The page holds no session and asks no wallet: it shows a public quote, and one link that opens the app in a tab of its
//! own. What a site that frames it can have a user press by deceit is this link, after which nothing is signed yet.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::page_mark::Framed;
use crate::web_app;

/// The path of the page.
pub const PATH: &str = "/embed/borrow";

/// The files of the built web app.
const PAGE: &str = "embed.html";
const SCRIPT: &str = "embed.js";

fn missing() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "the web app was built without this page")
}

/// Returns the page. Its policy is set here, on the page itself, and not by a comparison of paths.
///
/// # Errors
/// [`ErrorCode::NotFound`] if the web app was built without it.
pub async fn borrow(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let policy = app.content_policy.embed.clone();
    // A browser that asks whether its copy is current must not keep the policy of that copy.
    let mut response = web_app::file(&request, PAGE, policy.as_bytes()).ok_or_else(missing)?;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    if !app.settings.embeds.origins.is_empty() {
        response.extensions_mut().insert(Framed);
    }
    Ok(response)
}

/// Returns the script.
///
/// # Errors
/// [`ErrorCode::NotFound`] if the web app was built without it.
pub async fn script(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let mut response = web_app::file(&request, SCRIPT, &[]).ok_or_else(missing)?;
    let hour = HeaderValue::from_static("public, max-age=3600");
    response.headers_mut().insert(CACHE_CONTROL, hour);
    Ok(response)
}
