//! Cloudflare Turnstile: whether a token was given to a person on our own page, a moment ago, and never used before.
//!
//! The check is the one that Cloudflare documents as `siteverify`: the secret, the token and the visitor's address are
//! posted, and the answer says whether the token is good, which host's page it was made on and for which action.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::Duration;

use hyper::StatusCode;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;

use crate::https::HttpsEndpoint;
use crate::text::excerpt;
use crate::upstream::{NoAnswer, SetupError, TIME_LIMIT};

/// An answer has a few hundred bytes.
const ANSWER_BYTES_MAX: usize = 16_384;
/// No token is longer, in bytes (Cloudflare's own bound).
pub const TOKEN_BYTES_MAX: usize = 2_048;
/// What the provider says of a token that it did not make, or not for this site key.
const NOT_A_TOKEN: &str = "invalid-input-response";
/// What the provider says of a token that is older than five minutes, or was shown before.
const SPENT: &str = "timeout-or-duplicate";

/// Why a token does not let anybody in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TurnstileError {
    /// The provider does not vouch for whoever sent it.
    #[error("the provider does not vouch for the token ({0})")]
    NotVouched(String),
    /// It was used before, or made too long ago.
    #[error("the token was used before or is too old")]
    Spent,
    /// It was made on a page of another site.
    #[error("the token was made on a page of {0:?}")]
    OtherSite(String),
    /// It was made on our own page for something else.
    #[error("the token was made for {0:?}")]
    OtherAction(String),
    /// No connection, a broken one, too slow, or the provider is in trouble.
    #[error("the provider gives no answer: {0}")]
    Unreachable(String),
    /// An answer that the provider could not mean.
    #[error("the provider's answer makes no sense: {0}")]
    Nonsense(String),
    /// The provider does not know our secret, which only the operator can repair.
    #[error("the provider does not accept our secret")]
    Secret,
}

impl TurnstileError {
    /// Whether it says something about the visitor; otherwise the provider or this server is at fault.
    #[must_use]
    pub fn is_about_visitor(&self) -> bool {
        match self {
            Self::NotVouched(_) | Self::Spent | Self::OtherSite(_) | Self::OtherAction(_) => true,
            Self::Unreachable(_) | Self::Nonsense(_) | Self::Secret => false,
        }
    }
}

/// The provider, asked for one site and one action.
#[derive(Debug)]
pub struct Turnstile {
    endpoint: HttpsEndpoint,
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
    /// Where the provider answers.
    pub const URL: &'static str = "https://challenges.cloudflare.com/turnstile/v0/siteverify";

    /// Asks at `url` with `secret`. Tokens must have been made on a page of one of `hosts`, without ports, for `action`.
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
        let endpoint = HttpsEndpoint::new(url, time_limit, ANSWER_BYTES_MAX)?;
        Ok(Self { endpoint, secret, hosts, action: action.to_owned() })
    }

    /// Asks whether a token is good, which uses it up.
    pub async fn verify(&self, token: &str, visitor: IpAddr) -> Result<(), TurnstileError> {
        if !(1..=TOKEN_BYTES_MAX).contains(&token.len()) {
            return Err(TurnstileError::NotVouched(format!("it has {} bytes", token.len())));
        }
        let question = json!({ "secret": self.secret.expose_secret(), "response": token, "remoteip": visitor });
        let answer = self.endpoint.post(question.to_string().into_bytes()).await;
        let (status, body) = answer.map_err(|error| match error {
            NoAnswer::Unreachable(why) => TurnstileError::Unreachable(excerpt(&why)),
            NoAnswer::TooLarge { .. } => TurnstileError::Nonsense(error.to_string()),
        })?;
        // A bad request is explained in the body, as a good one is.
        if !status.is_success() && status != StatusCode::BAD_REQUEST {
            return Err(TurnstileError::Unreachable(format!("it answers {status}")));
        }
        let answer: Answer =
            serde_json::from_slice(&body).map_err(|error| TurnstileError::Nonsense(excerpt(&error.to_string())))?;
        self.judge(answer)
    }

    fn judge(&self, answer: Answer) -> Result<(), TurnstileError> {
        let Answer { success, hostname, action, error_codes } = answer;
        if !success {
            return Err(refusal(&error_codes));
        }
        if !error_codes.is_empty() {
            return Err(TurnstileError::Nonsense(excerpt(&format!("a success with {}", error_codes.join(", ")))));
        }
        let hostname = hostname.unwrap_or_default();
        if !self.hosts.iter().any(|host| host.eq_ignore_ascii_case(&hostname)) {
            return Err(TurnstileError::OtherSite(excerpt(&hostname)));
        }
        let action = action.unwrap_or_default();
        if action != self.action {
            return Err(TurnstileError::OtherAction(excerpt(&action)));
        }
        Ok(())
    }
}

/// What a refusal means. Our own mistakes come first, because they refuse everybody.
fn refusal(codes: &[String]) -> TurnstileError {
    let has = |wanted: &str| codes.iter().any(|code| code == wanted);
    if has("missing-input-secret") || has("invalid-input-secret") {
        TurnstileError::Secret
    } else if has(SPENT) {
        TurnstileError::Spent
    } else if has(NOT_A_TOKEN) || has("missing-input-response") {
        TurnstileError::NotVouched(excerpt(&codes.join(", ")))
    } else if has("internal-error") {
        TurnstileError::Unreachable("it has an internal error".to_owned())
    } else {
        TurnstileError::Nonsense(excerpt(&format!("a refusal with [{}]", codes.join(", "))))
    }
}
