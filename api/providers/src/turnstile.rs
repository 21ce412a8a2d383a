//! A client of Cloudflare Turnstile: whether a token was issued to a visitor of our own page, recently, and not used
//! before.
//!
//! The check is the one that Cloudflare documents as `siteverify`: the secret, the token and the visitor's address are
//! posted, and the response says whether the token is valid, on which host's page it was made and for which action.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::Duration;

use hyper::StatusCode;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;

use crate::http::{HttpEndpoint, HttpRequest, HttpResponse};
use crate::http::{RequestError, SetupError, TIME_LIMIT};
use crate::parsing::text::excerpt;

/// The maximum size of a response, which has a few hundred bytes.
const ANSWER_BYTES_MAX: usize = 16_384;
/// The maximum length of a token, in bytes (Cloudflare's own limit).
pub const TOKEN_BYTES_MAX: usize = 2_048;
/// The error code for a token that the provider did not issue, or not for this site key.
const NOT_A_TOKEN: &str = "invalid-input-response";
/// The error code for a token that is older than five minutes, or was used before.
const SPENT: &str = "timeout-or-duplicate";

/// The reason why a token is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TurnstileError {
    /// The provider rejects the token.
    #[error("the provider rejects the token ({0})")]
    InvalidToken(String),
    /// It was used before, or has expired.
    #[error("the token was used before or is too old")]
    TimeoutOrDuplicate,
    /// It was made on a page of another site.
    #[error("the token was made on a page of {0:?}")]
    WrongHostname(String),
    /// It was made on our page for another action.
    #[error("the token was made for {0:?}")]
    WrongAction(String),
    /// No connection, a broken one, a timeout, or an error of the provider.
    #[error("the provider gives no answer: {0}")]
    Unreachable(String),
    /// An invalid or contradictory response.
    #[error("invalid response of the provider: {0}")]
    InvalidResponse(String),
    /// The provider rejects our secret, which only the operator can fix.
    #[error("the provider does not accept our secret")]
    InvalidSecret,
}

impl TurnstileError {
    /// Returns whether the visitor is at fault, rather than the provider or this server.
    #[must_use]
    pub fn is_about_visitor(&self) -> bool {
        match self {
            Self::InvalidToken(_) | Self::TimeoutOrDuplicate | Self::WrongHostname(_) | Self::WrongAction(_) => true,
            Self::Unreachable(_) | Self::InvalidResponse(_) | Self::InvalidSecret => false,
        }
    }
}

/// A client for one site and one action.
#[derive(Debug)]
pub struct Turnstile {
    endpoint: HttpEndpoint,
    time_limit: Duration,
    secret: SecretString,
    hosts: Vec<String>,
    action: String,
}

#[derive(Deserialize)]
struct Answer {
    success: bool,
    #[serde(default)]
    hostname: Option<String>,
    #[serde(default)]
    action: Option<String>,
    #[serde(default, rename = "error-codes")]
    error_codes: Vec<String>,
}

impl Turnstile {
    /// The address of the API.
    pub const URL: &'static str = "https://challenges.cloudflare.com/turnstile/v0/siteverify";

    /// Creates a client for `url` with `secret`. Tokens must be made on a page of one of `hosts`, without ports, for
    /// `action`.
    pub fn new(url: &str, secret: SecretString, hosts: Vec<String>, action: &str) -> Result<Self, SetupError> {
        Self::within(TIME_LIMIT, url, secret, hosts, action)
    }

    fn within(
        time_limit: Duration,
        url: &str,
        secret: SecretString,
        hosts: Vec<String>,
        action: &str,
    ) -> Result<Self, SetupError> {
        let endpoint = HttpEndpoint::remote(url, time_limit, ANSWER_BYTES_MAX)?;
        Ok(Self { endpoint, time_limit, secret, hosts, action: action.to_owned() })
    }

    /// Verifies a token, which also consumes it.
    pub async fn verify(&self, token: &str, visitor: IpAddr) -> Result<(), TurnstileError> {
        if !(1..=TOKEN_BYTES_MAX).contains(&token.len()) {
            return Err(TurnstileError::InvalidToken(format!("it has {} bytes", token.len())));
        }
        let request = json!({ "secret": self.secret.expose_secret(), "response": token, "remoteip": visitor });
        let answer = self.endpoint.send(HttpRequest::json("", request.to_string()), self.time_limit).await;
        let HttpResponse { status, body, .. } = answer.map_err(|error| match error.failure {
            RequestError::Unreachable(why) => TurnstileError::Unreachable(excerpt(&why)),
            too_large @ RequestError::TooLarge { .. } => TurnstileError::InvalidResponse(too_large.to_string()),
        })?;
        // The body explains a bad request in the same format as a good one.
        if !status.is_success() && status != StatusCode::BAD_REQUEST {
            return Err(TurnstileError::Unreachable(format!("it answers {status}")));
        }
        let answer: Answer = serde_json::from_slice(&body)
            .map_err(|error| TurnstileError::InvalidResponse(excerpt(&error.to_string())))?;
        self.check_response(answer)
    }

    fn check_response(&self, answer: Answer) -> Result<(), TurnstileError> {
        let Answer { success, hostname, action, error_codes } = answer;
        if !success {
            return Err(refusal(&error_codes));
        }
        if !error_codes.is_empty() {
            return Err(TurnstileError::InvalidResponse(excerpt(&format!(
                "a success with {}",
                error_codes.join(", ")
            ))));
        }
        let hostname = hostname.unwrap_or_default();
        if !self.hosts.iter().any(|host| host.eq_ignore_ascii_case(&hostname)) {
            return Err(TurnstileError::WrongHostname(excerpt(&hostname)));
        }
        let action = action.unwrap_or_default();
        if action != self.action {
            return Err(TurnstileError::WrongAction(excerpt(&action)));
        }
        Ok(())
    }
}

/// Interprets a refusal. Our own mistakes come first, because they affect every visitor.
fn refusal(codes: &[String]) -> TurnstileError {
    let has = |wanted: &str| codes.iter().any(|code| code == wanted);
    if has("missing-input-secret") || has("invalid-input-secret") {
        TurnstileError::InvalidSecret
    } else if has(SPENT) {
        TurnstileError::TimeoutOrDuplicate
    } else if has(NOT_A_TOKEN) || has("missing-input-response") {
        TurnstileError::InvalidToken(excerpt(&codes.join(", ")))
    } else if has("internal-error") {
        TurnstileError::Unreachable("it has an internal error".to_owned())
    } else {
        TurnstileError::InvalidResponse(excerpt(&format!("a refusal with [{}]", codes.join(", "))))
    }
}
