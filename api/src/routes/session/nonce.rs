//! `/api/v1/session/nonce`: nonces for sign-in.

use actix_web::{HttpRequest, HttpResponse, web};
use bitcoin::Network;
use escrow::address::WalletAddress;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::config::network;
use crate::http::api_error::{ApiError, Problem};
use crate::http::body::JsonBody;
use crate::session::nonce_issuer::Purpose;

/// The address for which a nonce is requested.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NonceRequest {
    /// The address that will sign.
    pub address: String,
}

/// An issued nonce.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NonceAnswer {
    /// Always true; errors are problems.
    ok: bool,
    /// The nonce.
    data: NonceData,
    /// Always null.
    #[schema(required)]
    error_message: Option<String>,
}

/// The values that the message must contain.
#[derive(Serialize, ToSchema)]
struct NonceData {
    /// `Nonce`: 32 hexadecimal digits.
    nonce: String,
    /// `Issued` in unix seconds.
    issued: u64,
    /// `Expires` in unix seconds.
    expires: u64,
    /// `Domain`.
    domain: String,
    /// `Network`.
    #[serde(with = "network")]
    #[schema(schema_with = network::schema)]
    network: Network,
}

/// Issues a nonce for an address. Any caller may request one, because it is useless without a signature by the address.
///
/// # Errors
/// The codes of addresses, if the text is not an address of this network.
pub(super) fn answer(app: &App, purpose: Purpose, address: &str) -> Result<NonceAnswer, ApiError> {
    let address = WalletAddress::parse(address, app.settings.network)?;
    let envelope = app.fresh_envelope(purpose, address.to_string());
    Ok(NonceAnswer {
        ok: true,
        data: NonceData {
            nonce: envelope.nonce,
            issued: envelope.issued_s,
            expires: envelope.expires_s,
            domain: envelope.domain,
            network: envelope.network,
        },
        error_message: None,
    })
}

/// Issues a nonce for a sign-in.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`], and the codes of addresses.
#[utoipa::path(post, path = "/api/v1/session/nonce", operation_id = "issueSignInNonce", tag = "session", request_body = NonceRequest,
    responses((status = 200, body = NonceAnswer), (status = 422, body = Problem), (status = 429, body = Problem)))]
pub async fn issue(
    app: web::Data<App>,
    request: HttpRequest,
    body: JsonBody<NonceRequest>,
) -> Result<HttpResponse, ApiError> {
    app.rates.sign_ins.take(app.client_ip(&request), app.now())?;
    Ok(HttpResponse::Ok().json(answer(&app, Purpose::SignIn, &body.value.address)?))
}
