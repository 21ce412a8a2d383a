//! The address of a server.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::{Host, Url};

/// A text that is not the address of a server. It is not repeated, as it may contain credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidServerUrl {
    /// Neither `http` nor `https`, or it has credentials, a query or a fragment.
    #[error("expected a URL like https://lienbook.example, without credentials")]
    Malformed,
    /// Without TLS, to another machine.
    #[error("expected https; http is accepted for this machine only")]
    Unencrypted,
}

/// The address of a server: over TLS, or unencrypted on this machine only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl(String);

impl ServerUrl {
    /// The URL of a resource whose path begins with a slash.
    pub(crate) fn resource(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// The URL of the feed's socket.
    pub(crate) fn feed(&self) -> String {
        // `http` becomes `ws`, and `https` becomes `wss`.
        self.resource("/api/v1/feed").replacen("http", "ws", 1)
    }
}

impl FromStr for ServerUrl {
    type Err = InvalidServerUrl;

    fn from_str(text: &str) -> Result<Self, InvalidServerUrl> {
        let url: Url = text.trim().parse().map_err(|_| InvalidServerUrl::Malformed)?;
        let is_bare = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.host().is_some();
        let is_local = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        match url.scheme() {
            "https" if is_bare => {}
            "http" if is_bare && is_local => {}
            "http" if is_bare => return Err(InvalidServerUrl::Unencrypted),
            _ => return Err(InvalidServerUrl::Malformed),
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_to_this_machine_or_over_tls() {
        let parse = |text: &str| text.parse::<ServerUrl>().map(|url| url.to_string());
        for (text, shown) in [
            ("https://lienbook.example/", "https://lienbook.example"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
            ("http://localhost:8080", "http://localhost:8080"),
        ] {
            assert_eq!(parse(text), Ok(shown.to_owned()));
        }
        assert_eq!(parse("http://lienbook.example"), Err(InvalidServerUrl::Unencrypted));
        assert_eq!(parse("http://127.0.0.1.example"), Err(InvalidServerUrl::Unencrypted));
        for text in
            ["", "lienbook.example", "ftp://127.0.0.1", "https://a:b@c", "https://a@c", "https://c/?q", "file:///"]
        {
            assert_eq!(parse(text), Err(InvalidServerUrl::Malformed), "{text}");
        }
    }

    #[test]
    fn the_feed_is_a_socket_of_the_same_server() {
        let feed = |text: &str| text.parse::<ServerUrl>().unwrap().feed();
        assert_eq!(feed("https://http.example"), "wss://http.example/api/v1/feed");
        assert_eq!(feed("http://127.0.0.1:1"), "ws://127.0.0.1:1/api/v1/feed");
    }
}
