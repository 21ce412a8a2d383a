//! `/api/v1/build`: what the running program was built from, with the hashes of it and of its web app.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::binary_hash;
use crate::http::api_error::{ApiError, Problem};
use crate::source::{COMMIT, VERSION};
use crate::web_files::{WebFile, WebManifest};

/// The sources and files that the running program was built from. A server that lies can lie here as well: compare with a published release.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Build {
    /// The version of Lienbook.
    version: &'static str,
    /// The commit of the sources; `null` if the build did not name one.
    #[schema(required)]
    commit: Option<&'static str>,
    /// The SHA-256 of the program; `null` in the first moments, and where the program cannot be read.
    #[schema(required)]
    binary_sha256: Option<&'static str>,
    /// The SHA-256 of the list of files of the web app, with the lines that `sha256sum` writes, in the order of paths.
    web_sha256: &'static str,
    /// The files of the web app, in the order of paths; none if it was not built.
    web_files: Vec<WebFile>,
}

/// Returns version, commit, and the hashes of the program and of each file of the web app.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
#[utoipa::path(get, path = "/api/v1/build", operation_id = "getBuild", tag = "operation",
    responses((status = 200, body = Build), (status = 429, body = Problem)))]
pub async fn show(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.take_read(&request)?;
    let web = WebManifest::of_this_binary();
    Ok(HttpResponse::Ok().json(Build {
        version: VERSION,
        commit: COMMIT,
        binary_sha256: binary_hash::known(),
        web_sha256: web.sha256(),
        web_files: web.files().to_vec(),
    }))
}
