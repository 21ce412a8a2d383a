//! The verifier of tokens: Cloudflare, or a test double for its test keys.

use std::net::IpAddr;

use providers::{Turnstile, TurnstileError};
use secrecy::{ExposeSecret as _, SecretString};

use super::ACTION;
use crate::config::public_url::PublicUrl;
use crate::config::turnstile_settings::{SECRET_VARIABLE, TurnstileSettings};
use crate::config::turnstile_test_keys::TestKey;
use crate::failure::Failure;

/// A verifier of tokens.
#[derive(Debug)]
pub(super) enum Verifier {
    /// Over HTTP.
    Turnstile(Box<Turnstile>),
    /// In this process, behind a gate if there is one.
    TestKey(TestKey, Option<BotCheckGate>),
}

/// A check before the test double is asked, such as a simulated outage.
pub type BotCheckGate = fn() -> Result<(), TurnstileError>;

impl Verifier {
    /// Builds the verifier of the settings, with the configured secret or that of a test site key.
    pub(super) fn new(
        settings: &TurnstileSettings,
        site_key: &str,
        is_regtest: bool,
        variable: Option<String>,
        pages: &[PublicUrl],
        gate: Option<BotCheckGate>,
    ) -> Result<Self, Failure> {
        let published = || TestKey::secret_of(site_key).map(SecretString::from);
        let secret = settings.secret(variable)?.or_else(published).ok_or_else(|| {
            Failure::new(format!(
                "the setting turnstile.site_key needs the secret that belongs to it: put it into the variable \
                 {SECRET_VARIABLE}, or into the file of the setting turnstile.secret_file"
            ))
        })?;
        let test_key = TestKey::of_secret(secret.expose_secret());
        if !is_regtest && (test_key.is_some() || TestKey::secret_of(site_key).is_some()) {
            return Err(Failure::new(
                "Turnstile's test keys accept every client: they are for the network regtest alone",
            ));
        }
        if let Some(test_key) = test_key {
            return Ok(Self::TestKey(test_key, gate));
        }
        let hosts = pages.iter().map(|page| page.host().to_owned()).collect();
        let url = settings.verify_url.as_deref().unwrap_or(Turnstile::URL);
        let turnstile = Turnstile::new(url, secret, hosts, ACTION)
            .map_err(|error| Failure::new(format!("the setting turnstile.verify_url is not accepted: {error}")))?;
        Ok(Self::Turnstile(Box::new(turnstile)))
    }

    /// Verifies a token, which consumes it.
    pub(super) async fn verify(&self, token: &str, visitor: IpAddr) -> Result<(), TurnstileError> {
        match self {
            Self::Turnstile(turnstile) => turnstile.verify(token, visitor).await,
            Self::TestKey(test_key, gate) => {
                gate.map_or(Ok(()), |check| check())?;
                test_key.verify()
            }
        }
    }
}
