//! The address under which people see the server.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Not the address of a web site.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is not of the form https://name or http://name:port")]
pub struct PublicUrlError {
    text: String,
}

/// Scheme and authority, `https://lienbook.example`: what browsers send as `Origin` and signed messages carry as domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicUrl {
    is_https: bool,
    authority: String,
}

impl PublicUrl {
    /// The address of a server that listens on `address` and that nobody gave a name.
    #[must_use]
    pub fn of_listener(address: SocketAddr) -> Self {
        let shown = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
            IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port()),
            IpAddr::V4(_) | IpAddr::V6(_) => address,
        };
        Self { is_https: false, authority: shown.to_string() }
    }

    /// Host and port as the address bar shows them: the `Domain` of signed messages.
    #[must_use]
    pub fn domain(&self) -> &str {
        &self.authority
    }

    /// Whether browsers reach the server by TLS, so that cookies can be marked `Secure`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.is_https
    }

    /// The same server under the name `localhost`, when it is only known by its loopback address.
    #[must_use]
    pub fn localhost_twin(&self) -> Option<Self> {
        let port = self.authority.strip_prefix("127.0.0.1").or_else(|| self.authority.strip_prefix("[::1]"))?;
        Some(Self { is_https: self.is_https, authority: format!("localhost{port}") })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_https { "https" } else { "http" }, self.authority)
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let refuse = || PublicUrlError { text: text.chars().take(128).collect() };
        let (is_https, authority) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(refuse()),
        };
        let authority = authority.strip_suffix('/').unwrap_or(authority);
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:[]".contains(&byte);
        if authority.is_empty() || authority.len() > 128 || !authority.bytes().all(is_plain) {
            return Err(refuse());
        }
        Ok(Self { is_https, authority: authority.to_owned() })
    }
}

impl TryFrom<String> for PublicUrl {
    type Error = PublicUrlError;

    fn try_from(text: String) -> Result<Self, PublicUrlError> {
        text.parse()
    }
}

impl From<PublicUrl> for String {
    fn from(url: PublicUrl) -> Self {
        url.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_a_scheme_and_an_authority() {
        let url: PublicUrl = "https://lienbook.example/".parse().unwrap();
        assert_eq!(
            (url.to_string().as_str(), url.domain(), url.is_https()),
            ("https://lienbook.example", "lienbook.example", true)
        );
        for other in
            ["lienbook.example", "ftp://a", "https://", "https://a/b", "https://user@a", "https://A", "http://a b"]
        {
            assert!(other.parse::<PublicUrl>().is_err(), "{other} was taken");
        }
    }

    #[test]
    fn a_listener_on_every_interface_is_shown_as_loopback_and_has_a_twin_by_name() {
        let url = PublicUrl::of_listener("0.0.0.0:8080".parse().unwrap());
        assert_eq!(url.to_string(), "http://127.0.0.1:8080");
        assert_eq!(url.localhost_twin().unwrap().to_string(), "http://localhost:8080");
        assert_eq!("https://lienbook.example".parse::<PublicUrl>().unwrap().localhost_twin(), None);
    }
}
