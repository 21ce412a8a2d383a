//! The credential by which one node shows another that a request was forwarded, and for which client.

use std::net::IpAddr;

use domain::UnixMs;

/// The header with the credential.
pub const HEADER: &str = "lienbook-forwarded";

/// The age up to which a credential is accepted, in milliseconds; the clocks of nodes may differ by as much.
const AGE_MS_MAX: u64 = 30_000;

/// The longest credential: a time, an IPv6 address and 64 hexadecimal digits.
const LENGTH_MAX: usize = 160;

/// Issues and checks credentials by a key that all nodes derive from the session key.
#[derive(Clone)]
pub struct NodeCredential([u8; 32]);

impl NodeCredential {
    /// Returns the credential of nodes with this key.
    #[must_use]
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the credential for a request of a client to this path.
    #[must_use]
    pub fn issue(&self, client: IpAddr, path: &str, now: UnixMs) -> String {
        format!("{} {client} {}", now.0, self.tag(now, client, path).to_hex())
    }

    /// Returns the client of a request to this path, if the credential is one of a node.
    #[must_use]
    pub fn check(&self, text: &str, path: &str, now: UnixMs) -> Option<IpAddr> {
        if text.len() > LENGTH_MAX {
            return None;
        }
        let mut parts = text.split(' ');
        let (issued_at, client, tag) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
        let issued_at = UnixMs(issued_at);
        // Hashes are compared in constant time.
        let is_issued = blake3::Hash::from_hex(tag).ok()? == self.tag(issued_at, client, path);
        let is_fresh = issued_at.0.abs_diff(now.0) <= AGE_MS_MAX;
        (is_issued && is_fresh && parts.next().is_none()).then_some(client)
    }

    fn tag(&self, issued_at: UnixMs, client: IpAddr, path: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.0, format!("{} {client} {path}", issued_at.0).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_valid_for_one_path_and_a_short_time() {
        let (nodes, others) = (NodeCredential::new([1; 32]), NodeCredential::new([2; 32]));
        for client in ["203.0.113.7", "2001:db8::7"] {
            let client: IpAddr = client.parse().unwrap();
            let issued = nodes.issue(client, "/api/v1/offers", UnixMs(1_000_000));
            let check = |text: &str, path, now| nodes.check(text, path, UnixMs(now));
            assert_eq!(check(&issued, "/api/v1/offers", 1_000_000), Some(client));
            assert_eq!(check(&issued, "/api/v1/offers", 1_030_000), Some(client));
            assert_eq!(check(&issued, "/api/v1/offers", 1_030_001), None);
            assert_eq!(check(&issued, "/api/v1/offers", 969_999), None);
            assert_eq!(check(&issued, "/api/v1/vaults", 1_000_000), None);
            assert_eq!(others.check(&issued, "/api/v1/offers", UnixMs(1_000_000)), None);
            for wrong in [issued.replace("1000000", "1000001"), format!("{issued} x"), issued[..20].to_owned()] {
                assert_eq!(check(&wrong, "/api/v1/offers", 1_000_000), None, "{wrong}");
            }
        }
        assert_eq!(nodes.check(&"1 ".repeat(1_000), "/", UnixMs(1)), None);
    }
}
