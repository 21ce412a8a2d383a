//! One side of a loan, as far as Bitcoin knows it: two keys.

use bitcoin::{Network, ScriptBuf, XOnlyPublicKey};
use domain::WalletAddresses;
use escrow::address::WalletAddress;
use escrow::contract::coin::CoinKey;

/// The keys of a person's wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// The ordinals key: assets are kept with it, and it stands in the contract.
    pub ordinals: XOnlyPublicKey,
    /// Whoever pays and is paid.
    pub payment: CoinKey,
}

impl Party {
    /// The keys behind the addresses that somebody signed in with; `None` when the ordinals address is no taproot
    /// address, or an address is not its key's on this network.
    #[must_use]
    pub fn of(addresses: &WalletAddresses, network: Network) -> Option<Self> {
        let key = |address: &str, hex: &str| WalletAddress::parse(address, network).ok()?.coin_key(hex).ok();
        let payment = key(&addresses.payment_address, &addresses.payment_pubkey)?;
        match key(&addresses.ordinal_address, &addresses.ordinal_pubkey)? {
            CoinKey::P2tr(ordinals) => Some(Self { ordinals, payment }),
            CoinKey::P2wpkh(_) | CoinKey::P2shP2wpkh(_) => None,
        }
    }

    /// The ordinals key, as the key of coins.
    #[must_use]
    pub const fn assets(&self) -> CoinKey {
        CoinKey::P2tr(self.ordinals)
    }

    /// Both, for whatever the wallet signs.
    #[must_use]
    pub const fn keys(&self) -> [CoinKey; 2] {
        [self.assets(), self.payment]
    }

    /// Where assets go.
    #[must_use]
    pub fn home(&self) -> ScriptBuf {
        self.assets().script_pubkey()
    }

    /// Where money goes.
    #[must_use]
    pub fn purse(&self) -> ScriptBuf {
        self.payment.script_pubkey()
    }
}
