//! The addresses that a user's URL may lead to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The networks of IPv4 that are not the public Internet, or contain services of a host's own network: address and length
/// of the prefix (IANA's registry of special purposes).
const REFUSED_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared with the customers of a provider; some clouds have their metadata there.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // The platform of a cloud, as seen by its virtual machines.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    // Link-local, with the metadata of most clouds.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Global unicast, the only network of IPv6 that is routed in public.
const ROUTED_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// The networks within it that are not the public Internet, or lead to addresses of IPv4 by translation.
const REFUSED_V6: [(Ipv6Addr, u32); 4] = [
    // Among others Teredo, ORCHID and benchmarks.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The addresses that a user's URL may lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    /// Whether this machine's loopback is permitted beside the public Internet: for demos and tests.
    pub is_loopback_permitted: bool,
}

impl AddressPolicy {
    /// Returns whether a connection may be made to an address.
    #[must_use]
    pub fn permits(self, address: IpAddr) -> bool {
        // `::ffff:127.0.0.1` is 127.0.0.1 to the system.
        let address = address.to_canonical();
        (self.is_loopback_permitted && address.is_loopback()) || is_public(address)
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !REFUSED_V4.iter().any(|(network, length)| {
            let shift = 32 - length;
            address.to_bits().checked_shr(shift) == network.to_bits().checked_shr(shift)
        }),
        IpAddr::V6(address) => {
            let is_in = |(network, length): &(Ipv6Addr, u32)| {
                let shift = 128 - length;
                address.to_bits().checked_shr(shift) == network.to_bits().checked_shr(shift)
            };
            is_in(&ROUTED_V6) && !REFUSED_V6.iter().any(is_in)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permits(policy: AddressPolicy, address: &str) -> bool {
        policy.permits(address.parse().unwrap())
    }

    #[test]
    fn private_local_and_metadata_addresses_are_refused_in_every_form() {
        let policy = AddressPolicy::default();
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!permits(policy, address), "{address}");
            // Mapped, compatible, translated by NAT64, 6to4, and Teredo's form.
            let v4: Ipv4Addr = address.parse().unwrap();
            let [a, b, c, d] = v4.octets();
            for form in [
                format!("::ffff:{address}"),
                format!("::{address}"),
                format!("64:ff9b::{address}"),
                format!("64:ff9b:1::{address}"),
                format!("2002:{:x}:{:x}::1", u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])),
                format!(
                    "2001:0:4136:e378:8000:63bf:{:x}:{:x}",
                    !u16::from_be_bytes([a, b]),
                    !u16::from_be_bytes([c, d])
                ),
            ] {
                assert!(!permits(policy, &form), "{form}");
            }
        }
        for address in [
            "::",
            "::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "fdff::1",
            "ff02::1",
            "ff0e::1",
            "100::1",
            "2001::1",
            "2001:10::1",
            "2001:db8::1",
            "2002::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
            "1fff::1",
        ] {
            assert!(!permits(policy, address), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_permitted_and_loopback_only_by_the_setting() {
        let with_loopback = AddressPolicy { is_loopback_permitted: true };
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "3ffe::1",
            "::ffff:1.1.1.1",
        ] {
            assert!(permits(AddressPolicy::default(), address) && permits(with_loopback, address), "{address}");
        }
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert!(!permits(AddressPolicy::default(), address) && permits(with_loopback, address), "{address}");
        }
        for address in ["10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fe80::1", "0.0.0.0", "::"] {
            assert!(!permits(with_loopback, address), "{address}");
        }
    }
}
