//! The address of a browser at its push service, and the keys that encrypt for it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::PushTarget;
use providers::{AddressPolicy, CallbackUrl, CallbackUrlError};
use thiserror::Error;
use web_push_native::Auth;
use web_push_native::p256::PublicKey;

use crate::http::request_limits::{PUSH_AUTH_LENGTH, PUSH_KEY_LENGTH};

/// The length of an uncompressed point of P-256, in bytes.
const POINT_BYTES: usize = 65;
/// The length of the secret that browser and server share, in bytes.
const AUTH_BYTES: usize = 16;

/// The reason why a subscription is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PushAddressError {
    /// Its URL.
    #[error(transparent)]
    Url(#[from] CallbackUrlError),
    /// Its public key is not an uncompressed point of P-256 in base64url.
    #[error("p256dh is not an uncompressed point of P-256 in base64url")]
    PublicKey,
    /// Its secret is not 16 bytes in base64url.
    #[error("auth is not 16 bytes in base64url")]
    Auth,
}

/// The parsed address and keys of a browser.
pub struct PushAddress {
    /// The URL of the push service.
    pub url: CallbackUrl,
    /// The browser's public key.
    pub public_key: PublicKey,
    /// The secret that browser and server share.
    pub auth: Auth,
}

impl PushAddress {
    /// Parses an address. The policy may have become stricter since it was accepted.
    ///
    /// # Errors
    /// The first part that is refused.
    pub fn parse(target: &PushTarget, policy: AddressPolicy) -> Result<Self, PushAddressError> {
        let url = CallbackUrl::parse(&target.endpoint, policy)?;
        let point = decoded(&target.public_key, PUSH_KEY_LENGTH, POINT_BYTES).ok_or(PushAddressError::PublicKey)?;
        let public_key = PublicKey::from_sec1_bytes(&point).map_err(|_| PushAddressError::PublicKey)?;
        let auth = decoded(&target.auth, PUSH_AUTH_LENGTH, AUTH_BYTES).ok_or(PushAddressError::Auth)?;
        let auth: [u8; AUTH_BYTES] = auth.try_into().map_err(|_| PushAddressError::Auth)?;
        Ok(Self { url, public_key, auth: Auth::from(auth) })
    }

    /// Returns the origin of the push service, which its token names.
    #[must_use]
    pub fn origin(&self) -> &str {
        let text = self.url.as_str();
        let host = text.find("://").map_or(0, |place| place + 3);
        let end = text[host..].find(['/', '?']).map_or(text.len(), |length| host + length);
        &text[..end]
    }

    /// Encrypts a text for the browser (RFC 8291); `None` if it is too long.
    #[must_use]
    pub fn encrypt(&self, text: Vec<u8>) -> Option<Vec<u8>> {
        web_push_native::encrypt(text, &self.public_key, &self.auth).ok()
    }
}

fn decoded(text: &str, length: usize, bytes: usize) -> Option<Vec<u8>> {
    let decoded = (text.len() == length).then(|| URL_SAFE_NO_PAD.decode(text).ok())??;
    (decoded.len() == bytes).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use web_push_native::p256::SecretKey;

    use super::*;

    // RFC 8291, appendix A.
    const PLAIN: &str = "When I grow up, I want to be a watermelon";
    const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
    const PUBLIC: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const MESSAGE: &str = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";

    fn target(endpoint: &str, public_key: &str, auth: &str) -> PushTarget {
        PushTarget { endpoint: endpoint.to_owned(), public_key: public_key.to_owned(), auth: auth.to_owned() }
    }

    fn parse(endpoint: &str, public_key: &str, auth: &str) -> Result<PushAddress, PushAddressError> {
        PushAddress::parse(&target(endpoint, public_key, auth), AddressPolicy::default())
    }

    fn private() -> SecretKey {
        SecretKey::from_slice(&URL_SAFE_NO_PAD.decode(PRIVATE).unwrap()).unwrap()
    }

    #[test]
    fn a_message_is_encrypted_as_in_the_example_of_the_standard() {
        let auth: [u8; AUTH_BYTES] = URL_SAFE_NO_PAD.decode(AUTH).unwrap().try_into().unwrap();
        let decrypt = |message: Vec<u8>| web_push_native::decrypt(message, &private(), &Auth::from(auth)).unwrap();
        assert_eq!(decrypt(URL_SAFE_NO_PAD.decode(MESSAGE).unwrap()), PLAIN.as_bytes());
        let address = parse("https://push.example.net/a", PUBLIC, AUTH).unwrap();
        let [one, other] = [(), ()].map(|()| address.encrypt(PLAIN.into()).unwrap());
        assert!(one != other && one.len() == 86 + PLAIN.len() + 17, "each has a key and a salt of its own");
        assert_eq!((decrypt(one), decrypt(other)), (PLAIN.into(), PLAIN.into()));
    }

    #[test]
    fn only_an_address_with_keys_of_the_curve_is_accepted() {
        let url = "https://push.example.net:8443/a?b=https://c";
        assert_eq!(parse(url, PUBLIC, AUTH).unwrap().origin(), "https://push.example.net:8443");
        assert_eq!(parse("https://push.example.net", PUBLIC, AUTH).unwrap().origin(), "https://push.example.net");
        let not_on_curve = PUBLIC.replace("BCV", "BCW");
        for (public_key, auth, error) in [
            ("", AUTH, PushAddressError::PublicKey),
            (&PUBLIC[..86], AUTH, PushAddressError::PublicKey),
            (&"A".repeat(87), AUTH, PushAddressError::PublicKey),
            (&not_on_curve, AUTH, PushAddressError::PublicKey),
            (&PUBLIC.replace('_', "/"), AUTH, PushAddressError::PublicKey),
            (PUBLIC, "", PushAddressError::Auth),
            (PUBLIC, "BTBZMqHH6r4Tts7J_aSIgh", PushAddressError::Auth),
            (PUBLIC, "BTBZMqHH6r4Tts7J_aSIgg==", PushAddressError::Auth),
        ] {
            assert_eq!(parse(url, public_key, auth).err(), Some(error), "{public_key} {auth}");
        }
        for url in ["http://push.example.net/", "https://10.0.0.1/", "https://[::1]/", "push"] {
            assert!(matches!(parse(url, PUBLIC, AUTH).err(), Some(PushAddressError::Url(_))), "{url}");
        }
    }
}
