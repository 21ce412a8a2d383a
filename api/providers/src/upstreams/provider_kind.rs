//! The services that can be configured.

use std::num::NonZeroU32;

use bitcoin::Network;
use secrecy::SecretString;

use crate::resilience::ApiKey;

/// The API of an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// mempool.space's.
    Mempool,
    /// Esplora's.
    Esplora,
    /// `UniSat`'s open API.
    Unisat,
    /// Best in Slot's, version 3.
    BestInSlot,
    /// Ordiscan's.
    Ordiscan,
    /// Satflow's.
    Satflow,
}

impl ProviderKind {
    /// Returns the default address for a network, if it serves that network.
    #[must_use]
    pub const fn default_url(self, network: Network) -> Option<&'static str> {
        match (self, network) {
            (Self::Mempool, Network::Bitcoin) => Some("https://mempool.space/api"),
            (Self::Mempool, Network::Testnet4) => Some("https://mempool.space/testnet4/api"),
            (Self::Mempool, Network::Signet) => Some("https://mempool.space/signet/api"),
            (Self::Esplora, Network::Bitcoin) => Some("https://blockstream.info/api"),
            (Self::Unisat, Network::Bitcoin) => Some("https://open-api.unisat.io"),
            (Self::Unisat, Network::Testnet4) => Some("https://open-api-testnet4.unisat.io"),
            (Self::Unisat, Network::Signet) => Some("https://open-api-signet.unisat.io"),
            (Self::BestInSlot, Network::Bitcoin) => Some("https://api.bestinslot.xyz/v3"),
            (Self::BestInSlot, Network::Testnet4) => Some("https://testnet.api.bestinslot.xyz/v3"),
            (Self::BestInSlot, Network::Signet) => Some("https://signet.api.bestinslot.xyz/v3"),
            (Self::Ordiscan, Network::Bitcoin) => Some("https://api.ordiscan.com"),
            (Self::Satflow, Network::Bitcoin) => Some("https://api.satflow.com/v1"),
            _ => None,
        }
    }

    /// Returns whether it requires a key.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        matches!(self, Self::Unisat | Self::BestInSlot | Self::Ordiscan | Self::Satflow)
    }

    /// Returns the default rate limit, in requests per minute.
    #[must_use]
    pub const fn default_per_minute(self) -> NonZeroU32 {
        NonZeroU32::MIN.saturating_add(match self {
            Self::Mempool | Self::Esplora | Self::Satflow => 59,
            Self::Unisat | Self::BestInSlot | Self::Ordiscan => 239,
        })
    }

    pub(super) fn key(self, secret: SecretString) -> ApiKey {
        let (header, scheme) = match self {
            Self::BestInSlot | Self::Satflow => ("x-api-key", ""),
            _ => ("authorization", "Bearer "),
        };
        ApiKey { header, scheme, secret }
    }
}
