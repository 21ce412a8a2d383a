//! Session tokens and the refresh tokens that renew them.

use domain::{Session, SessionId, UnixMs, UserId};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The lifetime of a session token, in seconds.
pub const SESSION_S: u64 = 900;

const ISSUER: &str = "lienbook";
const SESSION_AUDIENCE: &str = "lienbook-session";
const REFRESH_AUDIENCE: &str = "lienbook-refresh";

/// The longest token, in bytes; longer text is not parsed.
const LENGTH_MAX: usize = 1_024;

/// The user and session that a token identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The user.
    pub user: UserId,
    /// The session it belongs to.
    pub session: SessionId,
    /// Whether the wallet is a hardware wallet, as reported at sign-in.
    pub is_hardware_wallet: bool,
}

/// A token and the time from which it is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The token.
    pub text: String,
    /// The time at which it expires, in unix seconds.
    pub expires_s: u64,
}

/// The contents of a valid refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshProof {
    /// The user and session.
    pub subject: Subject,
    /// The number of the token within its session.
    pub serial: u32,
}

/// The reason why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenError {
    /// The token has expired.
    #[error("the session token expired")]
    Expired,
    /// The token is not valid: another key, algorithm, issuer, audience or shape.
    #[error("the session token is not valid")]
    Invalid,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    iat: u64,
    nbf: u64,
    exp: u64,
    sid: String,
    hw: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    serial: Option<u32>,
}

struct Signer {
    audience: &'static str,
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

/// Issues and checks both kinds of tokens. They are JWTs with HS256 only, each kind with a key of its own.
pub struct TokenIssuer {
    session: Signer,
    refresh: Signer,
}

impl TokenIssuer {
    /// Builds an issuer with these keys.
    #[must_use]
    pub fn new(session_key: &[u8; 32], refresh_key: &[u8; 32]) -> Self {
        Self {
            session: Signer::new(SESSION_AUDIENCE, session_key),
            refresh: Signer::new(REFRESH_AUDIENCE, refresh_key),
        }
    }

    /// Returns a session token that is valid from now on, at most until `ends_at`.
    ///
    /// # Errors
    /// [`TokenError::Invalid`] when the claims cannot be encoded, which no subject causes.
    pub fn issue_session(&self, subject: Subject, now_s: u64, ends_at: UnixMs) -> Result<Issued, TokenError> {
        let expires_s = now_s.saturating_add(SESSION_S).min(ends_at.seconds());
        self.session.issue(subject, now_s, expires_s, None)
    }

    /// Returns the token that renews a session now. A repeated call returns the same text, so that a token has one
    /// successor.
    ///
    /// # Errors
    /// Those of [`Self::issue_session`].
    pub fn issue_refresh(&self, subject: Subject, session: &Session) -> Result<Issued, TokenError> {
        let (from_s, until_s) = (session.used_at.seconds(), session.ends_at().seconds());
        self.refresh.issue(subject, from_s, until_s, Some(session.serial))
    }

    /// Checks a session token at the system's time.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn check_session(&self, text: &str) -> Result<Subject, TokenError> {
        self.session.check(text).and_then(|claims| claims.subject())
    }

    /// Checks a refresh token at the system's time. Whether it has been used before is known to the journal.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn check_refresh(&self, text: &str) -> Result<RefreshProof, TokenError> {
        let claims = self.refresh.check(text)?;
        Ok(RefreshProof { subject: claims.subject()?, serial: claims.serial.ok_or(TokenError::Invalid)? })
    }
}

impl Claims {
    fn subject(&self) -> Result<Subject, TokenError> {
        let user = self.sub.parse().map_err(|_| TokenError::Invalid)?;
        let session = self.sid.parse().map_err(|_| TokenError::Invalid)?;
        Ok(Subject { user, session, is_hardware_wallet: self.hw })
    }
}

impl Signer {
    fn new(audience: &'static str, key: &[u8; 32]) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        validation.validate_nbf = true;
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[audience]);
        validation.set_required_spec_claims(&["exp", "nbf", "iss", "aud", "sub"]);
        let (encoding, decoding) = (EncodingKey::from_secret(key), DecodingKey::from_secret(key));
        Self { audience, encoding, decoding, validation }
    }

    fn issue(&self, subject: Subject, from_s: u64, expires_s: u64, serial: Option<u32>) -> Result<Issued, TokenError> {
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: self.audience.to_owned(),
            sub: subject.user.to_string(),
            iat: from_s,
            nbf: from_s,
            exp: expires_s,
            sid: subject.session.to_string(),
            hw: subject.is_hardware_wallet,
            serial,
        };
        let text = encode(&Header::new(Algorithm::HS256), &claims, &self.encoding).map_err(|_| TokenError::Invalid)?;
        Ok(Issued { text, expires_s })
    }

    fn check(&self, text: &str) -> Result<Claims, TokenError> {
        if text.len() > LENGTH_MAX {
            return Err(TokenError::Invalid);
        }
        match decode::<Claims>(text, &self.decoding, &self.validation) {
            Ok(token) => Ok(token.claims),
            Err(error) if matches!(error.kind(), ErrorKind::ExpiredSignature) => Err(TokenError::Expired),
            Err(_) => Err(TokenError::Invalid),
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::*;
    use crate::clock;

    const SUBJECT: Subject = Subject { user: UserId(7), session: SessionId(3), is_hardware_wallet: true };

    fn session(now_s: u64, serial: u32) -> Session {
        let at = UnixMs(now_s * 1_000);
        Session { user: UserId(7), agent: String::new(), opened_at: at, used_at: at, serial }
    }

    fn issuer() -> TokenIssuer {
        TokenIssuer::new(&[1; 32], &[2; 32])
    }

    fn forged(algorithm: Algorithm, key: &[u8], claims: &serde_json::Value) -> String {
        encode(&Header::new(algorithm), claims, &EncodingKey::from_secret(key)).unwrap()
    }

    fn claims(now_s: u64) -> serde_json::Value {
        json!({"iss": "lienbook", "aud": "lienbook-session", "sub": "us_7", "iat": now_s, "nbf": now_s,
            "exp": now_s + 100, "sid": "se_3", "hw": true})
    }

    #[test]
    fn tokens_of_each_kind_are_accepted_only_as_their_own_kind() {
        let (issuer, now_s) = (issuer(), clock::now_s());
        let ends_at = session(now_s, 1).ends_at();
        let token = issuer.issue_session(SUBJECT, now_s, ends_at).unwrap();
        let refresh = issuer.issue_refresh(SUBJECT, &session(now_s, 4)).unwrap();
        assert_eq!((token.expires_s, refresh.expires_s), (now_s + 900, ends_at.seconds()));
        assert_eq!(issuer.check_session(&token.text), Ok(SUBJECT));
        assert_eq!(issuer.check_refresh(&refresh.text), Ok(RefreshProof { subject: SUBJECT, serial: 4 }));
        assert_eq!(issuer.check_session(&refresh.text), Err(TokenError::Invalid));
        assert_eq!(issuer.check_refresh(&token.text), Err(TokenError::Invalid));
        // The same successor again, and another one after the next renewal.
        assert_eq!(issuer.issue_refresh(SUBJECT, &session(now_s, 4)), Ok(refresh.clone()));
        assert_ne!(issuer.issue_refresh(SUBJECT, &session(now_s, 5)), Ok(refresh));
        // The last token of a session ends with it.
        let last = issuer.issue_session(SUBJECT, now_s, UnixMs((now_s + 5) * 1_000)).unwrap();
        assert_eq!(last.expires_s, now_s + 5);
        let other = TokenIssuer::new(&[3; 32], &[3; 32]);
        assert_eq!(other.check_session(&token.text), Err(TokenError::Invalid));
    }

    #[test]
    fn only_hs256_with_every_claim_in_order_is_accepted() {
        let (issuer, now_s) = (issuer(), clock::now_s());
        let key = [1; 32];
        assert_eq!(issuer.check_session(&forged(Algorithm::HS256, &key, &claims(now_s))), Ok(SUBJECT));
        for algorithm in [Algorithm::HS384, Algorithm::HS512] {
            let token = forged(algorithm, &key, &claims(now_s));
            assert_eq!(issuer.check_session(&token), Err(TokenError::Invalid), "{algorithm:?}");
        }
        let header = URL_SAFE_NO_PAD.encode(br#"{"alg":"none","typ":"JWT"}"#);
        let body = URL_SAFE_NO_PAD.encode(claims(now_s).to_string());
        for unsigned in [format!("{header}.{body}."), format!("{header}.{body}")] {
            assert_eq!(issuer.check_session(&unsigned), Err(TokenError::Invalid));
        }
        for (name, value) in [
            ("iss", json!("other")),
            ("aud", json!("lienbook-refresh")),
            ("nbf", json!(now_s + 1_000)),
            ("sub", json!("us_07")),
            ("sid", json!("se_03")),
            ("admin", json!(true)),
        ] {
            let mut changed = claims(now_s);
            changed[name] = value;
            assert_eq!(
                issuer.check_session(&forged(Algorithm::HS256, &key, &changed)),
                Err(TokenError::Invalid),
                "{name}"
            );
        }
        for name in ["iss", "aud", "nbf", "exp", "sub", "sid"] {
            let mut changed = claims(now_s);
            changed.as_object_mut().unwrap().remove(name);
            let outcome = issuer.check_session(&forged(Algorithm::HS256, &key, &changed));
            assert_eq!(outcome, Err(TokenError::Invalid), "{name}");
        }
        let mut old = claims(now_s);
        old["exp"] = json!(now_s - 1);
        assert_eq!(issuer.check_session(&forged(Algorithm::HS256, &key, &old)), Err(TokenError::Expired));
    }

    #[test]
    fn garbage_and_overlong_texts_are_invalid() {
        for text in ["", ".", "..", "a.b.c", &"x".repeat(100_000)] {
            assert_eq!(issuer().check_session(text), Err(TokenError::Invalid));
        }
    }
}
