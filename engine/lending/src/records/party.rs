//! One side of a loan on the chain: two keys.

use bitcoin::{Network, ScriptBuf, XOnlyPublicKey};
use domain::WalletAddresses;
use escrow::address::WalletAddress;
use escrow::contract::transaction::coin::CoinKey;

/// The keys of a user's wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// The ordinals key: it holds assets and is part of the contract.
    pub ordinals: XOnlyPublicKey,
    /// The key of the payment address, which pays and is paid.
    pub payment: CoinKey,
}

impl Party {
    /// Returns the keys behind the addresses of a sign-in; `None` when the ordinals address is not taproot, or an
    /// address does not belong to its key on this network.
    #[must_use]
    pub fn of(addresses: &WalletAddresses, network: Network) -> Option<Self> {
        let key = |address: &str, hex: &str| WalletAddress::parse(address, network).ok()?.coin_key(hex).ok();
        let payment = key(&addresses.payment_address, &addresses.payment_pubkey)?;
        match key(&addresses.ordinal_address, &addresses.ordinal_pubkey)? {
            CoinKey::P2tr(ordinals) => Some(Self { ordinals, payment }),
            CoinKey::P2wpkh(_) | CoinKey::P2shP2wpkh(_) => None,
        }
    }

    /// The ordinals key as a coin key.
    #[must_use]
    pub const fn ordinals_key(&self) -> CoinKey {
        CoinKey::P2tr(self.ordinals)
    }

    /// Both keys, for everything that the wallet signs.
    #[must_use]
    pub const fn keys(&self) -> [CoinKey; 2] {
        [self.ordinals_key(), self.payment]
    }

    /// The script that receives assets.
    #[must_use]
    pub fn ordinals_script(&self) -> ScriptBuf {
        self.ordinals_key().script_pubkey()
    }

    /// The script that receives bitcoin.
    #[must_use]
    pub fn payment_script(&self) -> ScriptBuf {
        self.payment.script_pubkey()
    }
}
