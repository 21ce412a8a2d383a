//! Users, each with a wallet and an account.

use bitcoin::{Network, ScriptBuf, XOnlyPublicKey};
use domain::{UserId, WalletAddresses};
use escrow::address::AddressKind;
use escrow::contract::transaction::coin::CoinKey;
use escrow::wallet_key::WalletKey;

/// A signed-in user.
pub struct Person {
    /// The wallet.
    pub wallet: WalletKey,
    /// The account.
    pub user: UserId,
}

/// The wallet of a number.
pub fn wallet(number: u8) -> WalletKey {
    WalletKey::from_seed([number; 32], Network::Regtest).unwrap()
}

/// The addresses that a wallet signs in with.
pub fn addresses(wallet: &WalletKey) -> WalletAddresses {
    WalletAddresses {
        payment_address: wallet.payment_address().to_string(),
        payment_pubkey: wallet.public_key_hex(AddressKind::P2wpkh),
        ordinal_address: wallet.ordinals_address().to_string(),
        ordinal_pubkey: wallet.public_key_hex(AddressKind::P2tr),
    }
}

impl Person {
    /// The key of the payment address.
    pub fn payment(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2wpkh)
    }

    /// The script of the payment address.
    pub fn payment_script(&self) -> ScriptBuf {
        self.wallet.payment_address().script_pubkey()
    }

    /// The key of the ordinals address.
    pub fn ordinals(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2tr)
    }

    /// The ordinals key.
    pub fn ordinals_key(&self) -> XOnlyPublicKey {
        self.ordinals().x_only()
    }
}
