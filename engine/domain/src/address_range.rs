//! A network of IP addresses.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::{AddrParseError, IpNet};
use serde::{Deserialize, Serialize};

/// A network of IP addresses in CIDR notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AddressRange {
    address: IpAddr,
    prefix: u8,
}

impl AddressRange {
    /// Whether an address is in the network.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        // A prefix that is too long is in no journal of ours, and then matches nothing.
        IpNet::new(self.address, self.prefix).is_ok_and(|network| network.contains(&address))
    }
}

impl From<IpNet> for AddressRange {
    fn from(network: IpNet) -> Self {
        Self { address: network.network(), prefix: network.prefix_len() }
    }
}

impl FromStr for AddressRange {
    type Err = AddrParseError;

    /// Parses `203.0.113.0/24`; bits after the prefix are cleared.
    fn from_str(text: &str) -> Result<Self, AddrParseError> {
        text.parse::<IpNet>().map(Self::from)
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}
