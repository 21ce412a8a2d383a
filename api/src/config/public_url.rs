//! The public URL of the server.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The longest authority that signed messages carry, in bytes.
const AUTHORITY_LENGTH_MAX: usize = 128;

/// The longest part of a name between dots, in bytes.
const LABEL_LENGTH_MAX: usize = 63;

/// The text is not the URL of a web site.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is not of the form https://name or http://name:port")]
pub struct PublicUrlError {
    text: String,
}

/// The scheme and authority, `https://lienbook.example`: the `Origin` that browsers send and the domain in signed
/// messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicUrl {
    is_https: bool,
    authority: String,
}

impl PublicUrl {
    /// Returns the URL of a server without a configured one, which listens on `address`.
    #[must_use]
    pub fn of_listener(address: SocketAddr) -> Self {
        let shown = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
            IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port()),
            IpAddr::V4(_) | IpAddr::V6(_) => address,
        };
        Self { is_https: false, authority: shown.to_string() }
    }

    /// Returns host and port as the address bar shows them: the `Domain` of signed messages.
    #[must_use]
    pub fn domain(&self) -> &str {
        &self.authority
    }

    /// Returns the host name or IP address as browsers show it: an IPv6 address with its brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        // A colon within brackets belongs to the IP address.
        match self.authority.rfind(':') {
            Some(at) if !self.authority[at..].contains(']') => &self.authority[..at],
            _ => &self.authority,
        }
    }

    /// Returns whether browsers use TLS, so that cookies can be marked `Secure`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.is_https
    }

    /// Returns the same URL with the name `localhost`, if it has a loopback address.
    #[must_use]
    pub fn localhost_alias(&self) -> Option<Self> {
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
        let (host, port) = host_and_port(authority).ok_or_else(refuse)?;
        // Browsers omit the default port in `Origin`, so it is omitted here, too.
        let usual_port = if is_https { 443 } else { 80 };
        let authority = match port.filter(|port| *port != usual_port) {
            Some(port) => format!("{host}:{port}"),
            None => host,
        };
        if authority.len() > AUTHORITY_LENGTH_MAX {
            return Err(refuse());
        }
        Ok(Self { is_https, authority })
    }
}

/// Returns the host as browsers write it, and the port if there is one.
fn host_and_port(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, rest) = if let Some(inner) = authority.strip_prefix('[') {
        let (ip, rest) = inner.split_once(']')?;
        (format!("[{}]", ip.parse::<Ipv6Addr>().ok()?), rest)
    } else {
        let (host, rest) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
        (host.to_owned(), rest)
    };
    let is_ip = host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok();
    if !is_ip && !is_name(&host) {
        return None;
    }
    match rest.strip_prefix(':') {
        None => rest.is_empty().then_some((host, None)),
        // The digits are checked because Rust would also parse "+80".
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            let port = port.parse().ok().filter(|port| *port != 0)?;
            Some((host, Some(port)))
        }
        Some(_) => None,
    }
}

/// Returns whether the text is a host name in lower case. Browsers take one that ends in a number for an IP address.
fn is_name(host: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        let has_bare_ends = !label.starts_with('-') && !label.ends_with('-');
        (1..=LABEL_LENGTH_MAX).contains(&label.len()) && has_bare_ends && label.bytes().all(is_plain)
    };
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    host.split('.').all(is_label) && !host.rsplit('.').next().is_some_and(is_number)
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
            assert!(other.parse::<PublicUrl>().is_err(), "{other} was accepted");
        }
        for host in [
            ":::[]",
            "[::1",
            "::1",
            "[1.2.3.4]",
            "[]",
            "a..b",
            ".a",
            "a.",
            "-a",
            "a-",
            "1.2.3",
            "a.7",
            "256.1.1.1",
            "a:",
            "a:0",
            "a:+80",
            "a:65536",
            "a:80:80",
            "[::1]80",
            "[::1]:",
            "a_b",
        ] {
            assert!(format!("https://{host}").parse::<PublicUrl>().is_err(), "{host} was accepted");
        }
    }

    #[test]
    fn a_public_url_is_written_as_browsers_write_an_origin() {
        for (given, shown) in [
            ("https://a.example:443", "https://a.example"),
            ("http://a.example:80/", "http://a.example"),
            ("http://a.example:443", "http://a.example:443"),
            ("https://xn--a-1.example:8443", "https://xn--a-1.example:8443"),
            ("http://localhost:5173", "http://localhost:5173"),
            ("http://10.0.0.1:8080", "http://10.0.0.1:8080"),
            ("http://[0:0::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(given.parse::<PublicUrl>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn a_host_has_no_port() {
        for (given, host) in [
            ("https://a.example", "a.example"),
            ("https://a.example:8443", "a.example"),
            ("http://10.0.0.1:8080", "10.0.0.1"),
            ("http://[::1]:8080", "[::1]"),
            ("http://[::1]", "[::1]"),
        ] {
            assert_eq!(given.parse::<PublicUrl>().unwrap().host(), host);
        }
    }

    #[test]
    fn a_listener_on_every_interface_is_shown_as_loopback_and_has_a_twin_by_name() {
        let url = PublicUrl::of_listener("0.0.0.0:8080".parse().unwrap());
        assert_eq!(url.to_string(), "http://127.0.0.1:8080");
        assert_eq!(url.localhost_alias().unwrap().to_string(), "http://localhost:8080");
        assert_eq!("https://lienbook.example".parse::<PublicUrl>().unwrap().localhost_alias(), None);
    }
}
