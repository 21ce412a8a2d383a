//! The keys of the user who is about to sign.

use bitcoin::{Network, ScriptBuf, XOnlyPublicKey};
use escrow::address::WalletAddress;
use escrow::contract::transaction::coin::CoinKey;
use serde::Deserialize;

use crate::fault::Fault;

/// The addresses of the connected wallet, with their public keys.
#[derive(Clone, Debug, Deserialize)]
pub struct OwnAddresses {
    /// The address that pays and is paid.
    pub payment: OwnAddress,
    /// The address that holds inscriptions and runes.
    pub ordinals: OwnAddress,
}

/// An address and its public key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnAddress {
    /// The address.
    pub address: String,
    /// The public key, in hexadecimal.
    pub public_key: String,
}

/// The keys behind [`OwnAddresses`], each of which belongs to its address.
#[derive(Clone, Copy, Debug)]
pub struct OwnKeys {
    /// The ordinals key, which is part of every contract.
    pub ordinals: XOnlyPublicKey,
    /// The payment key.
    pub payment: CoinKey,
}

impl OwnAddresses {
    /// Derives the keys.
    ///
    /// # Errors
    /// [`Fault::OwnAddress`] where a key does not give its address on this network, or cannot be in a contract.
    pub fn keys(&self, network: Network) -> Result<OwnKeys, Fault> {
        match (self.ordinals.key(network)?, self.payment.key(network)?) {
            (CoinKey::P2tr(ordinals), payment) => Ok(OwnKeys { ordinals, payment }),
            _ => Err(Fault::OwnAddress { address: self.ordinals.address.clone() }),
        }
    }
}

impl OwnAddress {
    fn key(&self, network: Network) -> Result<CoinKey, Fault> {
        let address = WalletAddress::parse(&self.address, network).ok();
        let key = address.and_then(|address| address.coin_key(&self.public_key).ok());
        key.ok_or_else(|| Fault::OwnAddress { address: self.address.clone() })
    }
}

impl OwnKeys {
    /// The keys that the wallet signs with.
    #[must_use]
    pub const fn all(&self) -> [CoinKey; 2] {
        [CoinKey::P2tr(self.ordinals), self.payment]
    }

    /// Whether the wallet could sign for a coin of this key.
    #[must_use]
    pub fn holds(&self, key: &CoinKey) -> bool {
        key.x_only() == self.ordinals || key.x_only() == self.payment.x_only()
    }

    /// The script of the ordinals address.
    #[must_use]
    pub fn ordinals_script(&self) -> ScriptBuf {
        CoinKey::P2tr(self.ordinals).script_pubkey()
    }

    /// The script of the payment address.
    #[must_use]
    pub fn payment_script(&self) -> ScriptBuf {
        self.payment.script_pubkey()
    }
}
