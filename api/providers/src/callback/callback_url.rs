//! A URL that a user gives.

use std::fmt;

use hyper::Uri;
use thiserror::Error;
use url::{Host, Url};

use super::address_policy::AddressPolicy;

/// The maximum length of a URL, in bytes, as it is given and in its normal form.
pub const CALLBACK_URL_LENGTH_MAX: usize = 512;

/// The reason why a URL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CallbackUrlError {
    /// It is longer than the maximum.
    #[error("the URL is longer than {CALLBACK_URL_LENGTH_MAX} characters")]
    TooLong,
    /// It is not a URL with a host.
    #[error("this is not a URL such as https://example.org/hook")]
    Malformed,
    /// Its scheme is not `https`.
    #[error("the URL must begin with https://")]
    NotHttps,
    /// It has a user name, a password or a fragment.
    #[error("the URL must have no user name, password or fragment")]
    ForeignPart,
    /// Its host is an address outside of the public Internet.
    #[error("the URL must lead to the public Internet")]
    AddressRefused,
}

/// A URL that a user gives: `https`, or unencrypted on this machine where the policy permits that. Its host may be a name,
/// whose addresses are checked when it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackUrl {
    text: String,
    uri: Uri,
}

impl CallbackUrl {
    /// Parses a URL into its normal form.
    pub fn parse(text: &str, policy: AddressPolicy) -> Result<Self, CallbackUrlError> {
        if text.len() > CALLBACK_URL_LENGTH_MAX {
            return Err(CallbackUrlError::TooLong);
        }
        let url = Url::parse(text).map_err(|_| CallbackUrlError::Malformed)?;
        let (is_loopback, is_permitted) = match url.host() {
            Some(Host::Domain(name)) => (name == "localhost", true),
            Some(Host::Ipv4(address)) => (address.is_loopback(), policy.permits(address.into())),
            Some(Host::Ipv6(address)) => (address.to_canonical().is_loopback(), policy.permits(address.into())),
            None => return Err(CallbackUrlError::Malformed),
        };
        if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback && policy.is_loopback_permitted) {
            return Err(CallbackUrlError::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(CallbackUrlError::ForeignPart);
        }
        if !is_permitted {
            return Err(CallbackUrlError::AddressRefused);
        }
        let text = url.as_str().to_owned();
        if text.len() > CALLBACK_URL_LENGTH_MAX {
            return Err(CallbackUrlError::TooLong);
        }
        let uri = text.parse().map_err(|_| CallbackUrlError::Malformed)?;
        Ok(Self { text, uri })
    }

    /// Returns the normal form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) const fn uri(&self) -> &Uri {
        &self.uri
    }
}

impl fmt::Display for CallbackUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use CallbackUrlError::{AddressRefused, ForeignPart, Malformed, NotHttps, TooLong};

    use super::*;

    fn parse(text: &str) -> Result<String, CallbackUrlError> {
        CallbackUrl::parse(text, AddressPolicy::default()).map(|url| url.to_string())
    }

    #[test]
    fn a_url_is_https_and_leads_to_a_name_or_a_public_address() {
        for (text, normal) in [
            ("https://example.org", "https://example.org/"),
            ("https://Example.ORG:443/hook?a=b", "https://example.org/hook?a=b"),
            ("https://example.org:8443/ä", "https://example.org:8443/%C3%A4"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://1.1.1.1/", "https://1.1.1.1/"),
            ("https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(normal));
        }
        let long = format!("https://example.org/{}", "a".repeat(CALLBACK_URL_LENGTH_MAX));
        let escaped = format!("https://example.org/{}", "ä".repeat(CALLBACK_URL_LENGTH_MAX / 4));
        for (text, error) in [
            ("", Malformed),
            ("example.org", Malformed),
            ("https://", Malformed),
            ("http://example.org/", NotHttps),
            ("ftp://example.org/", NotHttps),
            ("file:///etc/passwd", Malformed),
            ("http://127.0.0.1/", NotHttps),
            ("https://user@example.org/", ForeignPart),
            ("https://user:secret@example.org/", ForeignPart),
            ("https://example.org/#part", ForeignPart),
            ("https://127.0.0.1/", AddressRefused),
            ("https://2130706433/", AddressRefused),
            ("https://0x7f.1/", AddressRefused),
            ("https://0177.0.0.1/", AddressRefused),
            ("https://127.1/", AddressRefused),
            ("https://169.254.169.254/latest/meta-data", AddressRefused),
            ("https://[::1]/", AddressRefused),
            ("https://[::ffff:127.0.0.1]/", AddressRefused),
            ("https://[::ffff:7f00:1]/", AddressRefused),
            ("https://[fe80::1]/", AddressRefused),
            (&long, TooLong),
            (&escaped, TooLong),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn only_this_machine_is_called_without_tls_and_only_by_the_setting() {
        let policy = AddressPolicy { is_loopback_permitted: true };
        for text in ["http://127.0.0.1:1/a", "http://[::1]:1/", "http://localhost:1/", "https://localhost/"] {
            assert!(CallbackUrl::parse(text, policy).is_ok(), "{text}");
        }
        for text in ["http://example.org/", "http://10.0.0.1/", "http://localhost.example.org/"] {
            assert!(CallbackUrl::parse(text, policy).is_err(), "{text}");
        }
    }
}
