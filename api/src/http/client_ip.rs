//! The IP address of the client of a request.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use actix_web::http::header::{HeaderMap, HeaderName};

/// Returns the client's address: that of the connection or, if the connection is from one of `proxies`, the last entry
/// of `X-Forwarded-For`.
///
/// Only the last entry is written by the proxy itself; the client can send any entries before it.
#[must_use]
pub fn of(headers: &HeaderMap, peer: Option<IpAddr>, proxies: &[IpAddr]) -> IpAddr {
    let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical();
    let forwarded = || {
        let last = headers.get_all(HeaderName::from_static("x-forwarded-for")).last()?;
        last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
    };
    let address = if is_among(Some(peer), proxies) { forwarded().unwrap_or(peer) } else { peer };
    address.to_canonical()
}

/// Returns whether a connection is from one of these addresses.
#[must_use]
pub fn is_among(peer: Option<IpAddr>, proxies: &[IpAddr]) -> bool {
    peer.is_some_and(|peer| proxies.iter().any(|proxy| proxy.to_canonical() == peer.to_canonical()))
}

/// Returns the part of an address that identifies one client: the upper 64 bits of an IPv6 address.
#[must_use]
pub fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(ip) => IpAddr::V4(ip),
        IpAddr::V6(ip) => {
            let network = ip.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn a_client_cannot_name_its_own_address() {
        let mut headers = HeaderMap::new();
        headers.append(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static("9.9.9.9, 1.2.3.4"));
        let peer = Some("127.0.0.1".parse().unwrap());
        let proxies = ["127.0.0.1".parse().unwrap(), "2001:db8::1".parse().unwrap()];
        assert_eq!(of(&headers, peer, &[]).to_string(), "127.0.0.1");
        assert_eq!(of(&headers, peer, &proxies).to_string(), "1.2.3.4");
        for (peer, expected) in [
            ("::ffff:127.0.0.1", "1.2.3.4"),
            ("2001:db8::1", "1.2.3.4"),
            // A client that connects to the port directly, past the proxy.
            ("10.0.0.9", "10.0.0.9"),
            ("2001:db8::2", "2001:db8::2"),
        ] {
            assert_eq!(of(&headers, Some(peer.parse().unwrap()), &proxies).to_string(), expected, "{peer}");
        }
    }

    #[test]
    fn one_network_is_one_client() {
        let headers = HeaderMap::new();
        let client = |text: &str| network_of(of(&headers, Some(text.parse().unwrap()), &[]));
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:10.0.0.1").to_string(), "10.0.0.1");
    }
}
