//! The `Idempotency-Key` of a request, and the fingerprint that distinguishes requests with the same key.

use actix_web::dev::Payload;
use actix_web::http::header::HeaderName;
use actix_web::{FromRequest, HttpRequest};
use domain::{Nonce, UserId};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// The header with the key.
pub const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The time for which an answer is stored, in milliseconds.
pub const RETENTION_MS: u64 = 24 * 3_600 * 1_000;

/// The largest number of keys that are stored for one user.
pub const KEYS_PER_USER_MAX: usize = 4_096;

/// The longest key, in characters.
pub const KEY_LENGTH_MAX: usize = 64;

/// The key of one request: 1 to 64 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Parses a key; `None` for a text that is not 1 to 64 visible ASCII characters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_key = (1..=KEY_LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then(|| Self(text.to_owned()))
    }

    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a nonce that only this user's request with this key consumes, so that it cannot be applied again after a
    /// restart.
    #[must_use]
    pub fn nonce(&self, user: UserId) -> Nonce {
        let mut hasher = blake3::Hasher::new_derive_key("lienbook 2026 idempotency key");
        hasher.update(&user.0.to_be_bytes()).update(self.0.as_bytes());
        let mut bytes = [0; 16];
        hasher.finalize_xof().fill(&mut bytes);
        Nonce(u128::from_be_bytes(bytes))
    }
}

/// The key of the current request, if it has one.
pub struct MaybeKey(pub Option<IdempotencyKey>);

impl FromRequest for MaybeKey {
    type Error = actix_web::Error;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        std::future::ready(match request.headers().get(HEADER) {
            None => Ok(Self(None)),
            Some(value) => match value.to_str().ok().and_then(IdempotencyKey::parse) {
                Some(key) => Ok(Self(Some(key))),
                None => Err(ApiError::new(
                    ErrorCode::InvalidIdempotencyKey,
                    "an idempotency key is 1 to 64 visible ASCII characters",
                )
                .into()),
            },
        })
    }
}

/// A hash that distinguishes requests by method, path and body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(blake3::Hash);

impl Fingerprint {
    /// Returns the fingerprint of a request with this body.
    #[must_use]
    pub fn of(request: &HttpRequest, body: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(request.method().as_str().as_bytes()).update(b"\n");
        hasher.update(request.path().as_bytes()).update(b"\n").update(body);
        Self(hasher.finalize())
    }

    /// Returns the fingerprint of a command over a socket, in a form that is the same for equal commands.
    #[must_use]
    pub fn of_command(canonical: &[u8]) -> Self {
        // No method is a space, so no request has the same fingerprint.
        Self(blake3::Hasher::new().update(b" \n").update(canonical).finalize())
    }

    #[cfg(test)]
    pub(super) fn of_text(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()))
    }
}
